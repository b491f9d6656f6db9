// @ts-check
// OpenAI Chat Completions messages, and the message classes of frameworks that mirror them (`getType()`
// instead of `role`, parsed arguments). Calls stand beside the content, each result is a message.

import { listOutput, textOutput } from '../outputs.js';
import { jsonText } from '../safe-json.js';
import { FLAG, KIND, ROLE, asText, media, parsedInput, readParts, table, targetOf, weighed } from './parts.js';

/** @typedef {import('./parts.js').ProjectedPart} ProjectedPart */
/** @typedef {import('./parts.js').Price} Price */

/** @type {Record<string, number>} */
const ROLES = table({ system: ROLE.system, developer: ROLE.system, user: ROLE.user, human: ROLE.user, assistant: ROLE.assistant, ai: ROLE.assistant, tool: ROLE.tool, function: ROLE.tool });

/** Reasoning that compatible servers put beside the content. */
const REASONING = ['reasoning_content', 'reasoning', 'reasoning_details'];

/** @type {import('./parts.js').Format} */
export const openaiChat = Object.freeze({
  name: 'openai-chat',

  role: (message) => (Array.isArray(message?.parts) ? undefined : ROLES[message?.role ?? typeOf(message)]),

  parts(message, price) {
    if (openaiChat.role(message) === ROLE.tool) return [result(message, price)];
    return [...reasoning(message), ...content(message.content, price), ...beside(message), ...calls(message)];
  },

  output: (message) => outputOf(message.content),

  leaf: (_message, _at, output) => ({ path: ['content'], value: output.form === 'json' ? output.text : output.value }),

  userMessage: (parts) => ({ role: 'user', content: parts.length === 1 ? parts[0].text : parts.map(own) }),

  appended: (_message, parts) => ({ append: parts.map(own) }),

  toolDefinition: ({ name, description, inputSchema }) => ({ type: 'function', function: { name, description, parameters: inputSchema } }),
});

/** @param {import('./parts.js').Own} part */
const own = ({ text }) => ({ type: 'text', text });

/** What a message class calls itself. @param {any} message @returns {any} */
function typeOf(message) {
  if (typeof message?.getType === 'function') return message.getType();
  return typeof message?._getType === 'function' ? message._getType() : undefined;
}

/** @param {any} message @returns {ProjectedPart[]} */
function reasoning(message) {
  return REASONING.flatMap((key) => {
    const value = message[key];
    return value === undefined || value === null || value === '' ? [] : [{ kind: KIND.reasoning, text: typeof value === 'string' ? value : jsonText(value).text }];
  });
}

/** @param {any} content @param {Price} [price] @returns {ProjectedPart[]} */
function content(content, price) {
  if (typeof content === 'string') return [{ kind: KIND.text, text: content }];
  return Array.isArray(content) ? readParts(content, (p) => part(p, price)) : [];
}

/** @param {any} p @param {Price} [price] @returns {ProjectedPart} */
function part(p, price) {
  if (p?.type === 'text') return { kind: KIND.text, text: asText(p.text) };
  if (p?.type === 'refusal') return { kind: KIND.text, text: asText(p.refusal) };
  const found = mediaOf(p);
  if (found) return { kind: KIND.media, text: '', name: found.type, ...weighed([found], price) };
  // A message class repeats its calls inside the content of some providers; they are counted with the calls.
  if (p?.type === 'tool_use') return { kind: KIND.opaque, text: '' };
  return { kind: KIND.opaque, text: jsonText(p).text };
}

/** @param {any} p */
function mediaOf(p) {
  if (p?.type === 'image_url') {
    const url = typeof p.image_url === 'string' ? p.image_url : p.image_url?.url;
    return media(url, 'image', p.image_url?.detail && { detail: String(p.image_url.detail) });
  }
  if (p?.type === 'input_audio') return media(p.input_audio?.data, `audio/${p.input_audio?.format ?? ''}`);
  if (p?.type === 'file') return media(p.file?.file_data, /^data:([^;,]+)/.exec(asText(p.file?.file_data).slice(0, 100))?.[1] ?? 'application/pdf');
  if (p?.type === 'image' && p.source) return media(p.source.data ?? p.source.url, p.source.media_type ?? 'image');
  return undefined;
}

/** Fields of an assistant message that count and are not content. @param {any} message @returns {ProjectedPart[]} */
function beside(message) {
  const parts = [];
  if (message.refusal) parts.push({ kind: KIND.text, text: asText(message.refusal) });
  if (message.audio) parts.push({ kind: KIND.opaque, text: jsonText(message.audio).text });
  return parts;
}

/** @param {any} message @returns {ProjectedPart[]} */
function calls(message) {
  const list = Array.isArray(message.tool_calls) ? readParts(message.tool_calls, call) : [];
  const old = message.function_call;
  return old ? [...list, call({ id: old.name, function: old })] : list;
}

/** @param {any} c @returns {ProjectedPart} */
function call(c) {
  const { name, text, safe, input } = callFields(c);
  return { kind: KIND.call, text, id: asText(c?.id), name, target: targetOf(input, name), flags: safe ? 0 : FLAG.unserialisable };
}

/** Arguments are JSON text, free text of a custom tool, or an object of a message class. @param {any} c */
export function callFields(c) {
  const given = c?.function ? c.function.arguments : c?.custom ? c.custom.input : (c?.args ?? c?.arguments);
  const name = asText(c?.function?.name ?? c?.custom?.name ?? c?.name);
  if (typeof given === 'string') return { name, text: given, safe: true, input: parsedInput(given) };
  return { name, ...jsonText(given), input: given };
}

/** @param {any} message @param {Price} [price] @returns {ProjectedPart} */
function result(message, price) {
  const output = outputOf(message.content);
  const error = message.status === 'error' ? FLAG.error : 0;
  return { kind: KIND.result, text: output.text, id: asText(message.tool_call_id ?? message.name), name: asText(message.name), ...weighed(output.media, price), flags: error | (output.form === 'list' ? FLAG.list : 0) };
}

/** @param {any} content */
function outputOf(content) {
  if (typeof content === 'string') return textOutput(content);
  if (!Array.isArray(content)) return textOutput(content === undefined || content === null ? '' : jsonText(content).text);
  if (content.length === 1 && content[0]?.type === 'text') return textOutput(asText(content[0].text));
  return listOutput(content, false, mediaOf);
}
