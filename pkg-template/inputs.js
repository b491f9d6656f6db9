// @ts-check
// Old arguments of a call, shortened in place: same keys, short values as they were, long strings left
// out. Decides which formats allow it (those whose assistant messages nothing is bound to) and how the
// shortened arguments look. Refuses anything that is not an object: free text has no keys to keep.

import { FLAG, KIND } from './formats/parts.js';
import { parsedObject } from './parsed-object.js';
import { jsonText } from './safe-json.js';

/** The core's flag of a call whose arguments may be shortened. */
const EDITABLE = 1 << 20;
/** How much of the beginning of a string that is left out stays, in UTF-16 code units. */
const HEAD = 60;

/**
 * Where arguments live, by format. `at` is the index of the projected part.
 * @type {Record<string, { get(message: any, at: number, format: any): unknown, leaf(message: any, at: number, value: any, format: any): { path: (string | number)[], value: unknown } }>}
 */
const PLACES = {
  'ai-sdk': {
    get: (message, at) => message.content[at]?.input,
    leaf: (_message, at, value) => ({ path: ['content', at, 'input'], value }),
  },
  'openai-chat': {
    get: (message, at, format) => message.tool_calls?.[callIndex(message, at, format)]?.function?.arguments,
    leaf: (message, at, value, format) => ({ path: ['tool_calls', callIndex(message, at, format), 'function', 'arguments'], value: JSON.stringify(value) }),
  },
};

/** Calls are the last parts of such a message. @param {any} message @param {number} at @param {any} format */
const callIndex = (message, at, format) => at - (format.parts(message).length - (message.tool_calls?.length ?? 0));

/** The flag to project a part with. @param {any} format @param {import('./formats/parts.js').ProjectedPart} part */
export function inputFlag(format, part) {
  const bound = (part.flags ?? 0) & (FLAG.signed | FLAG.itemId | FLAG.provider | FLAG.unserialisable);
  return part.kind === KIND.call && !bound && Object.hasOwn(PLACES, format.name) && part.text.startsWith('{') ? EDITABLE : 0;
}

/** The arguments as an object, if they are one. @param {any} message @param {number} at @param {any} format @returns {Record<string, unknown> | undefined} */
export function inputOf(message, at, format) {
  const given = PLACES[format.name]?.get(message, at, format);
  return typeof given === 'string' ? parsedObject(given) : isObject(given) ? /** @type {any} */ (given) : undefined;
}

/** Where shortened arguments are set, and the value. @param {any} message @param {number} at @param {number} cap @param {string} marker @param {any} format */
export function inputLeaf(message, at, cap, marker, format) {
  const input = inputOf(message, at, format);
  return PLACES[format.name].leaf(message, at, input === undefined ? undefined : shortInput(input, cap, marker), format);
}

/**
 * @param {Record<string, unknown>} input
 * @param {number} cap strings longer than this are left out, in UTF-16 code units
 * @param {string} marker stands once, in the longest of them
 */
export function shortInput(input, cap, marker) {
  let longest = '';
  each(input, (text) => {
    if (text.length > cap && text.length > longest.length) longest = text;
  });
  let said = false;
  return mapped(input, (text) => {
    if (text.length <= cap) return text;
    const note = text === longest && !said ? marker : `[${text.length} chars left out]`;
    said ||= text === longest;
    return `${head(text)}… ${note}`;
  });
}

/** The JSON text that is measured. @param {Record<string, unknown>} input @param {number} cap @param {string} marker */
export const shortInputText = (input, cap, marker) => jsonText(shortInput(input, cap, marker)).text;

/** @param {string} text */
function head(text) {
  const line = text.slice(0, HEAD).split(/[\r\n]/, 1)[0];
  return /[\uD800-\uDBFF]$/.test(line) ? line.slice(0, -1) : line;
}

const isObject = (/** @type {unknown} */ v) => typeof v === 'object' && v !== null && !Array.isArray(v);

/** Deep enough for any tool; what lies deeper stays as it is. */
const DEPTH = 8;

/** @param {any} value @param {(text: string) => void} see */
function each(value, see, depth = 0) {
  if (typeof value === 'string') see(value);
  else if (value && typeof value === 'object' && depth < DEPTH) for (const v of Object.values(value)) each(v, see, depth + 1);
}

/** @param {any} value @param {(text: string) => string} change @returns {any} */
function mapped(value, change, depth = 0) {
  if (typeof value === 'string') return change(value);
  if (!value || typeof value !== 'object' || depth >= DEPTH) return value;
  if (Array.isArray(value)) return value.map((v) => mapped(v, change, depth + 1));
  const out = Object.create(Object.getPrototypeOf(value));
  for (const [key, v] of Object.entries(value)) Object.defineProperty(out, key, { value: mapped(v, change, depth + 1), writable: true, enumerable: true, configurable: true });
  return out;
}
