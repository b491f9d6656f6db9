// @ts-check
// Rows as Gemini contents: the answers of one batch in one content behind their calls, each response an
// object, signatures on the part they were on.

import { jsonText } from '../safe-json.js';
import { contentParts, plainRounds } from './read.js';
import { isMedia, mediumOf, outputOf } from './values.js';

/** @typedef {import('./read.js').Note} Note */

/** @param {import('./read.js').Row[]} rows @param {Note} note */
export function writeGemini(rows, note) {
  /** @type {string[]} */
  const system = [];
  /** @type {any[]} */
  const messages = [];
  for (const { at, message } of plainRounds(rows, note)) {
    if (message.role === 'system') {
      if (messages.length > 0) note(at, 'system', 'instructions stand before the conversation');
      system.push(message.content);
      continue;
    }
    const parts = contentParts(message).flatMap((p) => part(p, at, note));
    if (parts.length === 0) continue;
    const last = messages[messages.length - 1];
    if (message.role === 'tool' && last?.parts.every((/** @type {any} */ p) => p.functionResponse)) last.parts.push(...parts);
    else messages.push({ role: message.role === 'assistant' ? 'model' : 'user', parts });
  }
  return { messages, ...(system.length > 0 && { system: system.join('\n\n') }) };
}

/** @param {any} p @param {number} at @param {Note} note @returns {any[]} */
function part(p, at, note) {
  const signature = p?.providerOptions?.google?.thoughtSignature ?? p?.providerOptions?.vertex?.thoughtSignature;
  const signed = signature ? { thoughtSignature: signature } : {};
  switch (p?.type) {
    case 'text':
      if (String(p.text ?? '') === '' && !signature) return note(at, 'text', 'an empty text is refused'), [];
      return [{ text: p.text, ...signed }];
    case 'reasoning':
      if (!signature && p.providerOptions) note(at, 'signature', 'reasoning of another provider is sent as a plain thought');
      if (p.text === '') return note(at, 'reasoning', 'reasoning without a readable text'), [];
      return [{ text: p.text, thought: true, ...signed }];
    case 'tool-call': {
      const object = p.input !== null && typeof p.input === 'object' && !Array.isArray(p.input);
      if (!object && p.input !== undefined) note(at, 'arguments', 'arguments that are no object stand under the key `input`');
      return [{ functionCall: { id: p.toolCallId, name: p.toolName, args: object ? p.input : p.input === undefined ? {} : { input: p.input } }, ...signed }];
    }
    case 'tool-result':
      return [{ functionResponse: response(p, at, note) }];
    default:
      if (isMedia(p)) return medium(p, at, note);
      return note(at, p?.type?.startsWith?.('tool-approval') ? 'approval' : 'part', 'nothing of this kind exists here'), [];
  }
}

/** @param {any} p @param {number} at @param {Note} note */
function response(p, at, note) {
  const output = outputOf(p.output);
  const key = output.error ? 'error' : 'output';
  const named = { id: p.toolCallId, name: p.toolName };
  if (!output.list) {
    const object = output.text === undefined && output.json !== null && typeof output.json === 'object' && !Array.isArray(output.json) && !output.error;
    return { ...named, response: object ? output.json : { [key]: output.text ?? output.json ?? null } };
  }
  const texts = output.list.filter((item) => !isMedia(item)).map((item) => (typeof item?.text === 'string' ? item.text : jsonText(item).text));
  // @ts-ignore the branches make different parts on purpose
  const parts = output.list.filter(isMedia).flatMap((item) => medium(item, at, note));
  return { ...named, response: { [key]: texts.join('\n') }, ...(parts.length > 0 && { parts }) };
}

/** @param {any} p @param {number} at @param {Note} note */
function medium(p, at, note) {
  const m = mediumOf(p);
  if (!m) return note(at, 'media', 'a reference that only its provider can follow'), [];
  if (m.text !== undefined) return [{ text: m.text }];
  return [m.url ? { fileData: { mimeType: m.type, fileUri: m.url } } : { inlineData: { mimeType: m.type, data: m.base64 } }];
}
