// @ts-check
// OpenAI Chat messages to entries, for plain dumps and for every log that stores them. Decides what each role becomes, and
// that arguments which are not JSON stay text. Refuses to know usage: it stands on responses, not on messages.

import { argumentsOf, list, object, outputOf, text, urlPart } from './parts.js';

/** @typedef {import('./assemble.js').Entry} Entry */

/**
 * @param {any} raw one message @param {number} at its position
 * @param {{ model?: string, provider?: string, usage?: any }} [step] what is known about the call that wrote it
 * @returns {Entry[]}
 */
export function chatEntries(raw, at, step = {}) {
  const message = object(raw);
  switch (message.role) {
    case 'system':
    case 'developer':
      return [{ kind: 'message', at, message: { role: 'system', content: words(message.content) } }];
    case 'user': {
      const content = chatParts(message.content);
      return content.length > 0 ? [{ kind: 'message', at, message: { role: 'user', content: typeof message.content === 'string' ? message.content : content } }] : [];
    }
    case 'assistant':
      return [{ kind: 'assistant', at, content: assistantParts(message, at), step }];
    case 'tool':
    case 'function': {
      const callId = text(message.tool_call_id) || text(list(message.tool_call_ids)[0]) || text(message.name);
      return [{ kind: 'result', at, callId, output: outputOf(chatParts(message.content)) }];
    }
    default:
      return [];
  }
}

/** @param {Record<string, any>} message @param {number} at */
function assistantParts(message, at) {
  const reasoning = text(message.reasoning_content) || text(message.reasoning);
  const calls = list(message.tool_calls).map(object).map((call, i) => {
    const named = object(call.function ?? call.custom);
    return { type: 'tool-call', toolCallId: text(call.id) || `call_${at}_${i}`, toolName: text(named.name), input: argumentsOf(named.arguments ?? named.input) };
  });
  const legacy = object(message.function_call);
  if (calls.length === 0 && text(legacy.name) !== '') {
    calls.push({ type: 'tool-call', toolCallId: legacy.name, toolName: legacy.name, input: argumentsOf(legacy.arguments) });
  }
  const refusal = text(message.refusal);
  return [
    ...(reasoning === '' ? [] : [{ type: 'reasoning', text: reasoning }]),
    ...chatParts(message.content),
    ...(refusal === '' ? [] : [{ type: 'text', text: refusal }]),
    ...calls,
  ];
}

/** @param {unknown} content @returns {any[]} text, image and file parts */
export function chatParts(content) {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return list(content).flatMap(/** @returns {any[]} */ (raw) => {
    const part = object(raw);
    if (part.type === 'image_url') return optional(urlPart(typeof part.image_url === 'string' ? part.image_url : object(part.image_url).url));
    if (part.type === 'input_audio') return [{ type: 'file', data: text(object(part.input_audio).data), mediaType: `audio/${text(object(part.input_audio).format) || 'wav'}` }];
    if (part.type === 'file') return optional(urlPart(object(part.file).file_data, undefined, text(object(part.file).filename)));
    const said = text(part.text) || text(part.refusal);
    return said === '' ? [] : [{ type: 'text', text: said }];
  });
}

/** @template T @param {T | null} part @returns {T[]} */
const optional = (part) => (part ? [part] : []);

/** @param {unknown} content */
const words = (content) => chatParts(content).map((part) => part.text ?? '').join('\n\n');
