// @ts-check
// Gemini contents. Results are objects in user contents; ids are often missing, so pairs are made by the
// tool's name and order. A response wrapped under one key is read and written as what it wraps.

import { jsonOutput, listOutput, textOutput } from '../outputs.js';
import { jsonText } from '../safe-json.js';
import { FLAG, KIND, ROLE, asText, media, readParts, table, targetOf, weighed } from './parts.js';

/** @typedef {import('./parts.js').ProjectedPart} ProjectedPart */
/** @typedef {import('./parts.js').Price} Price */

/** @type {Record<string, number>} */
const ROLES = table({ user: ROLE.user, model: ROLE.assistant, function: ROLE.tool, system: ROLE.system });
/** Keys that say nothing but "this is the output". */
const WRAPPERS = ['output', 'result', 'content', 'error'];

/** @type {import('./parts.js').Format} */
export const gemini = Object.freeze({
  name: 'gemini',

  role(message) {
    const parts = message?.parts;
    if (!Array.isArray(parts)) return undefined;
    if ((message?.role ?? 'user') === 'user' && parts.length > 0 && parts.every((p) => p?.functionResponse)) return ROLE.tool;
    return ROLES[message?.role ?? 'user'];
  },

  parts: (message, price) => (Array.isArray(message.parts) ? readParts(message.parts, (p) => part(p, price)) : []),

  output: (message, at) => outputOf(message.parts[at]?.functionResponse),

  leaf(message, at, output) {
    const before = message.parts[at].functionResponse;
    const path = ['parts', at, 'functionResponse'];
    if (output.form === 'list') {
      const [first, ...media] = output.value;
      return { path, value: { ...before, response: responseOf(before, textOutput(asText(first?.text), output.error)), parts: media } };
    }
    const response = responseOf(before, output);
    if (!Array.isArray(before?.parts) || before.parts.length === 0) return { path: [...path, 'response'], value: response };
    const { parts: _media, ...rest } = before;
    return { path, value: { ...rest, response } };
  },

  userMessage: (parts) => ({ role: 'user', parts: parts.map(({ text }) => ({ text })) }),

  appended: (_message, parts) => ({ append: parts.map(({ text }) => ({ text })) }),

  toolDefinition: ({ name, description, inputSchema }) => ({ functionDeclarations: [{ name, description, parametersJsonSchema: inputSchema }] }),
});

/** @param {any} p @param {Price} [price] @returns {ProjectedPart} */
function part(p, price) {
  const flags = p?.thoughtSignature ? FLAG.signed : 0;
  if (typeof p?.text === 'string') return { kind: p.thought ? KIND.reasoning : KIND.text, text: p.text, flags };
  if (p?.functionCall) {
    const { id, name, args } = p.functionCall;
    const { text, safe } = jsonText(args);
    return { kind: KIND.call, text, id: asText(id), name: asText(name), target: targetOf(args, name), flags: flags | FLAG.byName | (safe ? 0 : FLAG.unserialisable) };
  }
  if (p?.functionResponse) return result(p.functionResponse, flags, price);
  const found = mediaOf(p);
  if (found) return { kind: KIND.media, text: '', name: found.type, ...weighed([found], price), flags };
  return { kind: KIND.opaque, text: jsonText(p).text, flags };
}

/** @param {any} r @param {number} flags @param {Price} [price] @returns {ProjectedPart} */
function result(r, flags, price) {
  const output = outputOf(r);
  const form = output.form === 'json' ? FLAG.json : output.form === 'list' ? FLAG.list : 0;
  return { kind: KIND.result, text: output.text, id: asText(r.id), name: asText(r.name), ...weighed(output.media, price), flags: flags | FLAG.byName | form | (output.error ? FLAG.error : 0) | (output.safe ? 0 : FLAG.unserialisable) };
}

/** The one key the response is wrapped under, if it is; a repeated name does not count. @param {any} response */
function wrapperOf(response) {
  if (response === null || typeof response !== 'object' || Array.isArray(response)) return undefined;
  const keys = Object.keys(response).filter((k) => k !== 'name');
  return keys.length === 1 && WRAPPERS.includes(keys[0]) ? keys[0] : undefined;
}

/** @param {any} r @returns {import('../outputs.js').Output} */
function outputOf(r) {
  const response = r?.response;
  const key = wrapperOf(response);
  const value = key === undefined ? response : response[key];
  const error = key === 'error';
  const output = typeof value === 'string' ? textOutput(value, error) : value === undefined ? textOutput('', error) : jsonOutput(value, error);
  if (!Array.isArray(r?.parts) || r.parts.length === 0) return output;
  return listOutput([{ text: output.text }, ...r.parts], error, mediaOf);
}

/** Always an object, under the key it was under. @param {any} before @param {import('../outputs.js').Output} output */
function responseOf(before, output) {
  const response = before?.response;
  const key = wrapperOf(response);
  if (key !== undefined) return { ...response, [key]: output.value };
  const { value } = output;
  const object = output.form === 'json' && value !== null && typeof value === 'object' && !Array.isArray(value);
  return object ? value : { [output.error ? 'error' : 'output']: value };
}

/** @param {any} p */
function mediaOf(p) {
  const level = /(LOW|MEDIUM|HIGH)/.exec(asText(p?.mediaResolution?.level ?? p?.mediaResolution))?.[1]?.toLowerCase();
  const detail = level ? { detail: level } : undefined;
  if (p?.inlineData) return media(p.inlineData.data, p.inlineData.mimeType, detail);
  if (p?.fileData) return media(p.fileData.fileUri, p.fileData.mimeType, detail);
  return undefined;
}
