// @ts-check
// Rows as OpenAI Responses items, in the order reasoning, messages, calls, outputs. Ids of items are only
// repeated, never made.

import { jsonText } from '../safe-json.js';
import { argumentsText } from './openai-chat.js';
import { contentParts, plainRounds } from './read.js';
import { dataUrlOf, isMedia, mediumOf, outputOf, outputText } from './values.js';

/** @typedef {import('./read.js').Note} Note */

/** @param {import('./read.js').Row[]} rows @param {Note} note */
export function writeOpenaiResponses(rows, note) {
  return { messages: plainRounds(rows, note).flatMap(({ at, message }) => itemsOf(message, at, note)) };
}

/** @param {any} message @param {number} at @param {Note} note @returns {any[]} */
function itemsOf(message, at, note) {
  const parts = contentParts(message);
  switch (message.role) {
    case 'system':
      return [{ type: 'message', role: 'system', content: [{ type: 'input_text', text: message.content }] }];
    case 'user': {
      const content = parts.flatMap((p) => inputPart(p, at, note));
      return content.length > 0 ? [{ type: 'message', role: 'user', content }] : [];
    }
    case 'assistant':
      return parts.flatMap((p) => assistantItem(p, at, note));
    default:
      return parts.flatMap((p) => {
        if (p?.type !== 'tool-result') return note(at, 'approval', 'an answer to a request for consent is tied to its provider'), [];
        return [{ type: 'function_call_output', call_id: p.toolCallId, output: outputItems(outputOf(p.output), at, note) }];
      });
  }
}

/** @param {any} p @param {number} at @param {Note} note @returns {any[]} */
function assistantItem(p, at, note) {
  const own = p?.providerOptions?.openai;
  const id = own?.itemId ? { id: own.itemId } : {};
  switch (p?.type) {
    case 'text':
      return [{ type: 'message', ...id, role: 'assistant', content: [{ type: 'output_text', text: p.text }], ...(own?.phase && { phase: own.phase }) }];
    case 'reasoning':
      if (!own?.reasoningEncryptedContent && !own?.itemId) return note(at, 'reasoning', 'reasoning is only taken as the provider gave it'), [];
      return [{ type: 'reasoning', ...id, summary: p.text === '' ? [] : [{ type: 'summary_text', text: p.text }], ...(own.reasoningEncryptedContent && { encrypted_content: own.reasoningEncryptedContent }) }];
    case 'tool-call':
      return [{ type: 'function_call', ...id, call_id: p.toolCallId, name: p.toolName, arguments: argumentsText(p.input) }];
    case 'custom':
      if (p.kind === 'openai.compaction' && own?.encryptedContent) return [{ type: 'compaction', ...id, encrypted_content: own.encryptedContent }];
      break;
    default:
  }
  const what = isMedia(p) ? 'media' : p?.type?.startsWith?.('tool-approval') ? 'approval' : 'part';
  return note(at, what, 'an assistant message can hold nothing of this kind'), [];
}

/** @param {any} p @param {number} at @param {Note} note @returns {any[]} */
function inputPart(p, at, note) {
  if (p?.type === 'text') return [{ type: 'input_text', text: p.text }];
  const m = isMedia(p) ? mediumOf(p) : undefined;
  if (!m) return note(at, isMedia(p) ? 'media' : 'part', 'nothing of this kind exists here'), [];
  if (m.text !== undefined) return [{ type: 'input_text', text: m.text }];
  if (m.type.startsWith('image')) return [{ type: 'input_image', image_url: dataUrlOf(m), detail: 'auto' }];
  return [m.url ? { type: 'input_file', file_url: m.url } : { type: 'input_file', filename: m.filename ?? 'file', file_data: dataUrlOf(m) }];
}

/** @param {ReturnType<typeof outputOf>} output @param {number} at @param {Note} note */
function outputItems(output, at, note) {
  if (output.error) note(at, 'error', 'that a result reports a failure is only in its text');
  if (!output.list) return outputText(output);
  return output.list.flatMap((item) => (typeof item?.text === 'string' ? [{ type: 'input_text', text: item.text }] : isMedia(item) ? inputPart(item, at, note) : [{ type: 'input_text', text: jsonText(item).text }]));
}
