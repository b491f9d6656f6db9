// @ts-check
// Media and outputs of the form in between, as the wire formats want them: base64 with a type, or a URL;
// a text or a list, and whether it reports a failure.

import { jsonText } from '../safe-json.js';

/**
 * @typedef {{ type: string, base64?: string, url?: string, text?: string, filename?: string }} Medium
 * @param {any} part an image or file part, or an item of a list output
 * @returns {Medium | undefined} undefined for a reference that only its provider can follow
 */
export function mediumOf(part) {
  const type = part.mediaType ?? part.mimeType ?? (/^image/.test(part.type) ? 'image/png' : 'application/octet-stream');
  const named = part.filename === undefined ? {} : { filename: part.filename };
  let data = part.image ?? part.data ?? part.url;
  if (data !== null && typeof data === 'object' && typeof data.type === 'string' && !ArrayBuffer.isView(data)) {
    if (data.type === 'text') return { type, text: String(data.text ?? ''), ...named };
    data = data.type === 'data' ? data.data : data.type === 'url' ? data.url : undefined;
  }
  if (data instanceof URL) data = data.href;
  if (data instanceof ArrayBuffer) data = new Uint8Array(data);
  if (ArrayBuffer.isView(data)) return { type, base64: base64Of(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)), ...named };
  if (typeof data !== 'string' || data === '') return undefined;
  const inline = /^data:([^;,]*)[^,]*;base64,/i.exec(data.slice(0, 300));
  if (inline) return { type: inline[1] || type, base64: data.slice(inline[0].length), ...named };
  return /^[a-z][a-z0-9+.-]*:/i.test(data) ? { type, url: data, ...named } : { type, base64: data, ...named };
}

/** @param {Medium} medium */
export const dataUrlOf = (medium) => medium.url ?? `data:${medium.type};base64,${medium.base64}`;

/** @param {Uint8Array} bytes */
function base64Of(bytes) {
  let binary = '';
  for (let i = 0; i < bytes.length; i += 8_192) binary += String.fromCharCode(...bytes.subarray(i, i + 8_192));
  return btoa(binary);
}

const MEDIA_TYPES = /^(file|image|reasoning-file|media|(file|image)(-data|-url|-id|-file-id|-reference|-file-reference))$/;
/** @param {any} part */
export const isMedia = (part) => MEDIA_TYPES.test(String(part?.type));

/**
 * @param {any} output of a tool-result part
 * @returns {{ error: boolean, text?: string, json?: unknown, list?: any[] }} one of text, json, list
 */
export function outputOf(output) {
  const { type, value } = output ?? {};
  const error = type === 'error-text' || type === 'error-json' || type === 'execution-denied';
  if (type === 'execution-denied') return { error, text: String(output.reason ?? 'The tool was not allowed to run.') };
  if (type === 'json' || type === 'error-json') return { error, json: value };
  if (type === 'content') return { error, list: Array.isArray(value) ? value : [] };
  return { error, text: typeof value === 'string' ? value : typeof output === 'string' ? output : jsonText(value).text };
}

/** An output that has no media, as one text. @param {ReturnType<typeof outputOf>} output */
export const outputText = ({ text, json }) => text ?? jsonText(json).text;
