// @ts-check
// Rows as OpenAI Chat messages: arguments as JSON text, one message per result, results of text only.

import { jsonText } from '../safe-json.js';
import { contentParts, plainRounds } from './read.js';
import { dataUrlOf, isMedia, mediumOf, outputOf, outputText } from './values.js';

/** @typedef {import('./read.js').Note} Note */

/** @param {import('./read.js').Row[]} rows @param {Note} note */
export function writeOpenaiChat(rows, note) {
  return { messages: plainRounds(rows, note).flatMap(({ at, message }) => messagesOf(message, at, note)) };
}

/** @param {any} message @param {number} at @param {Note} note @returns {any[]} */
function messagesOf(message, at, note) {
  if (message.role === 'system') return [{ role: 'system', content: message.content }];
  const parts = contentParts(message);
  if (message.role === 'tool') return parts.flatMap((p) => result(p, at, note));
  const content = parts.flatMap((p) => contentPart(p, at, note, message.role));
  const calls = parts.filter((p) => p?.type === 'tool-call').map((p) => ({ id: p.toolCallId, type: 'function', function: { name: p.toolName, arguments: argumentsText(p.input) } }));
  if (content.length === 0 && calls.length === 0) return [];
  return [{ role: message.role, content: written(content, calls), ...(calls.length > 0 && { tool_calls: calls }) }];
}

/** @param {any[]} content @param {any[]} calls */
function written(content, calls) {
  if (content.length === 0) return calls.length > 0 ? null : '';
  return content.length === 1 && content[0].type === 'text' ? content[0].text : content;
}

/** Text that was never JSON stays as it was. @param {unknown} input */
export const argumentsText = (input) => (typeof input === 'string' ? input : input === undefined ? '{}' : jsonText(input).text);

/** @param {any} p @param {number} at @param {Note} note @param {string} role @returns {any[]} */
function contentPart(p, at, note, role) {
  if (p?.type === 'text') return [{ type: 'text', text: p.text }];
  if (p?.type === 'tool-call') return [];
  if (p?.type === 'reasoning') return note(at, 'reasoning', 'reasoning has no place in these messages'), [];
  if (!isMedia(p)) return note(at, p?.type?.startsWith?.('tool-approval') ? 'approval' : 'part', 'nothing of this kind exists here'), [];
  const m = role === 'user' ? mediumOf(p) : undefined;
  if (!m) return note(at, 'media', 'only a user message can hold media that are sent along'), [];
  if (m.text !== undefined) return [{ type: 'text', text: m.text }];
  if (m.type.startsWith('image')) return [{ type: 'image_url', image_url: { url: dataUrlOf(m) } }];
  if (m.type.startsWith('audio/') && m.base64) return [{ type: 'input_audio', input_audio: { data: m.base64, format: m.type.slice('audio/'.length) } }];
  if (m.base64) return [{ type: 'file', file: { filename: m.filename ?? 'file', file_data: dataUrlOf(m) } }];
  return note(at, 'media', 'a file behind a URL cannot be named'), [];
}

/** @param {any} p @param {number} at @param {Note} note @returns {any[]} */
function result(p, at, note) {
  if (p?.type !== 'tool-result') return note(at, 'approval', 'a request for consent and its answer have no place here'), [];
  const output = outputOf(p.output);
  if (output.error) note(at, 'error', 'that a result reports a failure is only in its text');
  if (!output.list) return [{ role: 'tool', tool_call_id: p.toolCallId, content: outputText(output) }];
  const media = output.list.filter(isMedia);
  for (const _ of media) note(at, 'media', 'a result can only be text');
  const texts = output.list.filter((item) => !isMedia(item)).map((item) => ({ type: 'text', text: typeof item?.text === 'string' ? item.text : jsonText(item).text }));
  const shown = media.map((item) => ({ type: 'text', text: `[${item.mediaType ?? item.type}, not shown]` }));
  const content = [...texts, ...shown];
  return [{ role: 'tool', tool_call_id: p.toolCallId, content: content.length === 0 ? '' : content.length === 1 ? content[0].text : content }];
}
