// @ts-check
// The words a format uses to describe a message to the core: kinds, flags, and what a call is about.
// The numbers are those of the core's projector.

/** A table looked up by words from outside, which may be `constructor`. @template T @param {T} entries @returns {T} */
export const table = (entries) => Object.freeze(Object.assign(Object.create(null), entries));

export const ROLE = table({ system: 0, user: 1, assistant: 2, tool: 3 });
export const KIND = Object.freeze({ text: 0, reasoning: 1, call: 2, result: 3, media: 4, approvalRequest: 5, approvalResponse: 6, compaction: 7, opaque: 8 });
export const FLAG = Object.freeze({ error: 1, signed: 2, provider: 4, itemId: 8, json: 16, list: 32, unserialisable: 64, denied: 128, byName: 256, notice: 512, sealed: 1 << 16, fixed: 1 << 21 });

/**
 * @typedef {object} ProjectedPart
 * @property {number} kind
 * @property {string} text
 * @property {number} [flags]
 * @property {string} [id]
 * @property {string} [name]
 * @property {string} [target]
 * @property {string} [caller] id of the call whose code made this one
 * @property {number} [media] tokens of media, or minus the number of media whose size is not known
 * @property {readonly Media[]} [held] the media themselves
 *
 * @typedef {import('../outputs.js').Output} Output
 * @typedef {import('../outputs.js').Media} Media
 * @typedef {(media: Media) => number} Price tokens of one image or file
 *
 * A change of one message, as an op of the recipe carries it.
 * @typedef {{ set?: { path: (string | number)[], value: unknown }[], cut?: number[], append?: any[] }} Change
 *
 * @typedef {{ text: string, origin: string }} Own a text of ours, and what it is
 *
 * What the rest of the package knows of a message format; one file each.
 * @typedef {object} Format
 * @property {string} name
 * @property {boolean} [items] whether a message is an item of a step instead of a step
 * @property {(message: any) => number | undefined} role undefined when it has none of this format
 * @property {(message: any, price?: Price) => ProjectedPart[]} parts in the order of the message
 * @property {(message: any, at: number) => Output} output of the result that is part `at`
 * @property {(message: any, at: number, output: Output) => { path: (string | number)[], value: unknown }} leaf where an output is set, and to what
 * @property {(parts: Own[], origin: string) => any} userMessage a user message of ours: a head, a group line, a digest
 * @property {(message: any, parts: Own[]) => Change} appended blocks of ours behind a user message's own parts
 * @property {(def: { name: string, description: string, inputSchema: any }) => any} toolDefinition as this format's requests list tools
 * @property {(messages: readonly any[], positions?: readonly any[]) => Listed} [rows] where one message of the host is several rows
 * @property {Format} [rowFormat] the format of those rows
 *
 * @typedef {{ messages: readonly any[], positions?: readonly (number | null | undefined)[], owners?: readonly (number | null)[] }} Listed
 */

/** Ours, on messages that can carry it: `{ origin }`. */
export const MARK = 'gentle-cascade';
/** Formats whose messages can carry it. */
export const MARKED = new Set(['ai-sdk', 'ai-sdk-ui']);

const TARGET_KEYS = ['path', 'file_path', 'filePath', 'filename', 'file', 'command', 'cmd', 'pattern', 'query', 'url', 'uri', 'directory', 'dir', 'name', 'id'];

/** What a call is about: the path, command or pattern in its arguments. @param {any} input @param {unknown} [tool] */
export function targetOf(input, tool) {
  if (!input || typeof input !== 'object') return '';
  // A read-back is about a handle and a place in it; the core takes them apart again.
  if (tool === 'read_tool_output') return input.offset > 0 ? `${input.id}\n${Math.floor(input.offset)}` : String(input.id ?? '');
  for (const key of TARGET_KEYS) {
    const value = input[key];
    if (typeof value === 'string' && value !== '') return value.slice(0, 200);
    if (Array.isArray(value) && value.every((v) => typeof v === 'string') && value.length > 0) return value.join(' ').slice(0, 200);
  }
  return '';
}

/** Arguments that are JSON text, for what they name; too long ones are not looked into. @param {unknown} text */
export function parsedInput(text) {
  if (typeof text !== 'string' || text.length > 100_000) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Media, and their tokens, or minus their number where nobody prices them. @param {readonly Media[]} held @param {Price} [price] @returns {{ media: number, held?: readonly Media[] }} */
export function weighed(held, price) {
  if (held.length === 0) return { media: 0 };
  return { media: price ? held.reduce((sum, one) => sum + price(one), 0) : -held.length, held };
}

/** @param {any} data base64 text, bytes, URL or reference */
export function mediaBytes(data) {
  if (typeof data === 'string') {
    if (!data.startsWith('data:') && /^[a-z]+:/i.test(data)) return 0;
    const from = data.startsWith('data:') ? data.indexOf(',', 5) + 1 : 0;
    return Math.floor(((data.length - from) * 3) / 4) - (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0);
  }
  if (ArrayBuffer.isView(data) || data instanceof ArrayBuffer) return data.byteLength;
  return 0;
}

/** @param {any} data @param {unknown} type @param {Record<string, unknown>} [more] @returns {Media} */
export const media = (data, type, more) => ({ type: String(type ?? ''), bytes: mediaBytes(data), data, ...more });

/** A value as text: strings as they are, else JSON. @param {unknown} value */
export const asText = (value) => (typeof value === 'string' ? value : value === undefined || value === null ? '' : String(value));

/**
 * The parts of a list, each by itself: one whose getters throw is kept as something unknown.
 * @param {readonly any[]} list @param {(part: any) => ProjectedPart} read @returns {ProjectedPart[]}
 */
export function readParts(list, read) {
  return list.map((part) => {
    try {
      return read(part);
    } catch {
      return { kind: KIND.opaque, text: '', flags: FLAG.unserialisable };
    }
  });
}
