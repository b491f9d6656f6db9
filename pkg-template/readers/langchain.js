// @ts-check
// LangChain messages in both JSON forms ({type, content} and {lc, kwargs}), as lists or inside LangGraph thread states.
// Decides that tool calls count once though blocks may repeat them. Refuses artifacts: they are never sent.

import { assemble, Findings, liftSystem } from './assemble.js';
import { assistantParts, userParts } from './anthropic-blocks.js';
import { chatParts } from './chat-messages.js';
import { list, object, outputOf, text, tokens, usageOf } from './parts.js';

/** @typedef {import('./assemble.js').Entry} Entry */

const ROLES = new Map([['human', 'user'], ['HumanMessage', 'user'], ['HumanMessageChunk', 'user'], ['ai', 'assistant'], ['AIMessage', 'assistant'], ['AIMessageChunk', 'assistant'],
  ['tool', 'tool'], ['ToolMessage', 'tool'], ['system', 'system'], ['SystemMessage', 'system'], ['developer', 'system']]);

/** @param {any} value @returns {any[] | undefined} */
function messagesOf(value) {
  if (Array.isArray(value)) return value;
  const { messages, values, channel_values: channels } = object(value);
  return [messages, object(values).messages, object(channels).messages].find(Array.isArray);
}

/** @param {any} raw @returns {{ role: string | undefined, fields: Record<string, any> }} */
function opened(raw) {
  const message = object(raw);
  if (message.lc === 1 && Array.isArray(message.id)) return { role: ROLES.get(text(message.id.at(-1))), fields: object(message.kwargs) };
  return { role: ROLES.get(text(message.type)), fields: message };
}

/** @param {any} value */
export function isLangChain(value) {
  const messages = messagesOf(value);
  return messages !== undefined && messages.length > 0 && messages.every((message) => {
    const { role, fields } = opened(message);
    return role !== undefined && !('role' in fields) && 'content' in fields;
  });
}

/** @param {any} value @param {Findings} [findings] @returns {import('./index.js').Session} */
export function readLangChain(value, findings = new Findings()) {
  const lifted = liftSystem((messagesOf(value) ?? []).flatMap((message, i) => entriesOf(message, i + 1, findings)));
  const built = assemble(lifted.entries, findings);
  const last = built.steps.filter((step) => step.model).at(-1);
  return {
    format: 'langchain',
    ...(last ? { model: { id: /** @type {string} */ (last.model), ...(last.provider ? { provider: last.provider } : {}) } } : {}),
    ...(lifted.system ? { system: lifted.system } : {}),
    ...built,
  };
}

/** @param {any} raw @param {number} at @param {Findings} findings @returns {Entry[]} */
function entriesOf(raw, at, findings) {
  const { role, fields } = opened(raw);
  if (role === 'assistant') return [{ kind: 'assistant', at, content: contentOf(fields, at, findings), step: stepOf(fields) }];
  const parts = partsOf(fields.content);
  if (role === 'tool') return [{ kind: 'result', at, callId: text(fields.tool_call_id), output: outputOf(parts, fields.status === 'error') }];
  if (role === 'system') return [{ kind: 'message', at, message: { role, content: parts.map((part) => part.text ?? '').join('\n\n') } }];
  return parts.length > 0 ? [{ kind: 'message', at, message: { role: 'user', content: typeof fields.content === 'string' ? fields.content : parts } }] : [];
}

/** Blocks come in the provider's own shapes. @param {unknown} content @returns {any[]} */
function partsOf(content) {
  if (!Array.isArray(content)) return chatParts(content);
  return content.flatMap((block) => (['image', 'document'].includes(object(block).type) ? userParts([sourced(object(block))], () => {}) : chatParts([typeof block === 'string' ? { type: 'text', text: block } : block])));
}

/** LangChain's own media block as an Anthropic one. @param {Record<string, any>} block */
function sourced(block) {
  if (block.source) return block;
  const source = text(block.url) !== '' ? { type: 'url', url: block.url } : { type: 'base64', data: block.data ?? block.base64, media_type: block.mime_type ?? block.mimeType };
  return { ...block, source };
}

/** @param {Record<string, any>} fields @param {number} at @param {Findings} findings */
function contentOf(fields, at, findings) {
  const reasoning = text(object(fields.additional_kwargs).reasoning_content);
  const calls = list(fields.tool_calls).map(object);
  const ids = new Set(calls.map((call) => call.id));
  const blocks = typeof fields.content === 'string' ? (fields.content === '' ? [] : [{ type: 'text', text: fields.content }]) : list(fields.content);
  const own = blocks.filter((block) => object(block).type !== 'tool_use' || !ids.has(object(block).id))
    .map((block) => (object(block).type === 'reasoning' ? { type: 'thinking', thinking: block.reasoning ?? '' } : block));
  return [
    ...(reasoning === '' ? [] : [{ type: 'reasoning', text: reasoning }]),
    ...assistantParts(own, () => findings.once('unknown_record', at, 'content blocks of a type this reader does not know are left out')),
    ...calls.map((call, i) => ({ type: 'tool-call', toolCallId: text(call.id) || `call_${at}_${i}`, toolName: text(call.name), input: call.args ?? {} })),
  ];
}

/** @param {Record<string, any>} fields */
function stepOf(fields) {
  const { input_tokens: input, output_tokens: output, input_token_details: inside, output_token_details: outside } = object(fields.usage_metadata);
  const meta = object(fields.response_metadata);
  const usage = usageOf({ input: tokens(input), cacheRead: tokens(object(inside).cache_read), cacheWrite: tokens(object(inside).cache_creation), output: tokens(output), reasoning: tokens(object(outside).reasoning) });
  return { usage, model: text(meta.model_name) || text(meta.model) || undefined, provider: text(meta.model_provider) || undefined };
}
