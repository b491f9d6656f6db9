// @ts-check
// What stands in the place of an image or file that left the view: its type, its size, and where it is. Decides how
// much a request holds of media, and how a result looks without them.

import { shorten, textOutput } from './outputs.js';
import { jsonText } from './safe-json.js';

/** @typedef {import('./outputs.js').Media} Media */
/** @typedef {import('./outputs.js').Output} Output */
/** @typedef {{ handle?: string, loss?: string }} Gap */

/** Longest address that is named. */
const ADDRESS = 200;
const ITEMS = new Set(['file', 'image', 'file-data', 'image-data', 'file-url', 'image-url', 'file-id', 'image-file-id', 'file-reference', 'image-file-reference', 'media', 'document', 'image_url', 'input_audio', 'input_image', 'input_file']);

/** How many, and how many characters they take in a request, bytes as base64. @param {readonly Media[]} held */
export function mediaLoad(held) {
  const sizes = held.map(({ data }) => sizeOf(data));
  return { count: held.length, chars: sizes.reduce((sum, n) => sum + n, 0), longest: Math.max(0, ...sizes) };
}

/** @param {unknown} data */
function sizeOf(data) {
  if (typeof data === 'string') return data.length;
  if (ArrayBuffer.isView(data) || data instanceof ArrayBuffer) return 4 * Math.ceil(data.byteLength / 3);
  if (data instanceof URL) return data.href.length;
  return 0;
}

/** Where media are that are not in the message itself. @param {unknown} data */
function addressOf(data) {
  const text = data instanceof URL ? data.href : data;
  return typeof text === 'string' && text.length <= ADDRESS && /^[a-z][a-z0-9+.-]*:/i.test(text) && !text.startsWith('data:') ? text : undefined;
}

/** @param {Media} media @param {Gap} gap */
export function leftOut({ type: named, bytes, data }, { handle, loss }) {
  const type = (typeof data === 'string' && /^data:([\w.+-]+\/[\w.+-]+)/.exec(data.slice(0, 100))?.[1]) || named;
  const address = addressOf(data);
  const what = address ? `${type || 'file'} at ${address}` : bytes > 0 ? `${type || 'file'}, ${bytes} bytes` : type || 'file';
  const where = handle ? `read_tool_output({ id: ${JSON.stringify(handle)} }) returns ${loss ? 'a part of it' : 'it'}` : 'not stored';
  return `[${what}, left out; ${where}]`;
}

/** An image or file as a text to keep: its address, or base64. @param {Media} media @returns {Output} */
export function mediaOutput({ type, data }) {
  if (typeof data === 'string') return textOutput(data);
  if (data instanceof URL) return textOutput(data.href);
  const bytes = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : data instanceof ArrayBuffer ? new Uint8Array(data) : undefined;
  if (!bytes) return textOutput(jsonText(data ?? null).text);
  let text = '';
  // A multiple of three, so that the pieces join.
  for (let i = 0; i < bytes.length; i += 24_576) text += btoa(String.fromCharCode(...bytes.subarray(i, i + 24_576)));
  return textOutput(`data:${type};base64,${text}`);
}

/** A result at most `cap` characters long, with a text in the place of each image and file. @param {Output} output @param {number} cap @param {Gap} gap @param {import('./formats/parts.js').Format} format @returns {Output} */
export function shortenedWithoutMedia(output, cap, gap, format) {
  // The texts that are put in stay whole; the others leave room for them.
  const room = output.media.reduce((n, one) => n - leftOut(one, gap).length, cap);
  return withoutMedia(shorten(output, Math.max(0, room), gap), gap, format);
}

/** @param {Output} output @param {Gap} gap @param {import('./formats/parts.js').Format} format @returns {Output} */
function withoutMedia(output, gap, format) {
  if (output.form !== 'list' || output.media.length === 0) return output;
  const left = output.media.map((one) => leftOut(one, gap));
  const texts = output.value.filter((/** @type {any} */ item) => !isMedia(item));
  // Where a response carries its files beside a text, they go behind it.
  if (format.name === 'gemini') return textOutput([...texts.map((/** @type {any} */ item) => item?.text ?? ''), ...left].filter(Boolean).join('\n'), output.error);
  const type = format.name === 'openai-responses' ? 'input_text' : 'text';
  let next = 0;
  const value = output.value.map((/** @type {any} */ item) => (isMedia(item) ? { type, text: left[next++] } : item));
  return { ...output, value, text: jsonText(value).text, media: [] };
}

/** @param {any} item */
const isMedia = (item) => Boolean(item?.inlineData || item?.fileData || (ITEMS.has(item?.type) && item?.source?.type !== 'text' && item?.data?.type !== 'text'));

/** Where a text stands in place of a part that is an image or file. @param {any} message @param {number} at @param {string} text @param {import('./formats/parts.js').Format} format */
export function mediaLeaf(message, at, text, format) {
  const [own] = format.appended(message, [{ text, origin: 'stub' }]).append ?? [];
  return { path: [Array.isArray(message.parts) ? 'parts' : 'content', at], value: own };
}
