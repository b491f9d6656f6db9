// @ts-check
// A tool output in the host's own form, as the stages see it: a text to measure and to keep, and a way
// back into that form. Decides how an output is shortened without leaving its form (JSON stays JSON, a
// list keeps its media). Refuses to know message formats; those wrap the value themselves.

import { planClamp } from './core_bg.js';
import { shortenJson } from './json-clamp.js';
import { renderText } from './render-text.js';
import { jsonText } from './safe-json.js';

/**
 * @typedef {'text' | 'json' | 'list'} Form
 * @typedef {object} Output
 * @property {Form} form
 * @property {any} value string, JSON value, or list of content items
 * @property {boolean} error whether it reports a failure
 * @property {string} text what is measured: the text, or the JSON text; media inside a list are not in it
 * @property {boolean} safe false when `text` only describes the value
 * @property {Media[]} media
 * @typedef {{ type: string, bytes: number, data?: unknown, detail?: string }} Media
 */

/** @param {string} value @param {boolean} [error] @returns {Output} */
export const textOutput = (value, error = false) => ({ form: 'text', value, error, text: value, safe: true, media: [] });

/** @param {unknown} value @param {boolean} [error] @returns {Output} */
export function jsonOutput(value, error = false) {
  const { text, safe } = jsonText(value);
  return { form: 'json', value, error, text, safe, media: [] };
}

/** @param {any[]} value @param {boolean} error @param {(item: any) => Media | undefined} mediaOf @returns {Output} */
export function listOutput(value, error, mediaOf) {
  /** @type {Media[]} */
  const media = [];
  const shown = value.map((item) => {
    const m = mediaOf(item);
    if (!m) return item;
    media.push(m);
    return { type: item?.type, mediaType: m.type };
  });
  const { text, safe } = jsonText(shown);
  return { form: 'list', value, error, text, safe, media };
}

/** The full text as the raw store keeps it. @param {Output} output */
export const rawText = (output) => (output.form === 'text' ? output.value : jsonText(output.value).text);

/**
 * @param {Output} output
 * @param {number} cap UTF-16 code units
 * @param {{ handle?: string, loss?: string }} gap
 * @returns {Output}
 */
export function shorten(output, cap, gap) {
  if (output.text.length <= cap) return output;
  if (output.form === 'json' && output.safe) {
    const short = shortenJson(output.value, cap, gap);
    return short === undefined ? textOutput(shortenText(output.text, cap, gap), output.error) : jsonOutput(short, output.error);
  }
  if (output.form === 'list') return shortenList(output, cap, gap);
  return textOutput(shortenText(output.text, cap, gap), output.error);
}

/**
 * @param {string} original @param {number} cap @param {{ handle?: string, loss?: string }} gap
 * @returns {string} at most `cap` code units, marker included
 */
export function shortenText(original, cap, gap) {
  if (original.length <= cap) return original;
  const json = parseContainer(original);
  if (json !== undefined) {
    const short = shortenJson(json, cap, gap);
    if (short !== undefined) return JSON.stringify(short);
  }
  const text = renderText(original);
  if (text.length <= cap) return text;
  const changed = text !== original;
  const cut = /** @type {any} */ (planClamp(text, cap, { ...gap, ...(changed ? { renderedFrom: original.length } : {}) }));
  if (!cut) return text;
  // What is about to be hidden decides what the marker must say, so the cut is planned twice.
  const hidden = ending(text, cut);
  const final = hidden ? /** @type {any} */ (planClamp(text, cap, { ...gap, ...hidden, ...(changed ? { renderedFrom: original.length } : {}) })) : cut;
  return text.slice(0, final.head) + final.marker + text.slice(final.tail);
}

const EXIT = /(?:exit(?:ed with)?(?: code| status)|exit_?code)["']?[:= ]+(-?\d+)/i;
const ERROR = /^.{0,80}?\b(?:error|fatal|panic|exception|failed)\b.*$/gim;

/** An exit code or a last error line that only the hidden part has. @param {string} text @param {{ head: number, tail: number }} cut */
function ending(text, cut) {
  const gap = text.slice(Math.max(cut.head, cut.tail - 100_000), cut.tail);
  const shown = text.slice(0, cut.head) + text.slice(cut.tail);
  /** @type {{ exit?: number, errorLine?: string }} */
  const found = {};
  const exit = EXIT.exec(gap);
  if (exit && !EXIT.test(shown)) found.exit = Number(exit[1]);
  if (!/\b(?:error|fatal|panic|exception|failed)\b/i.test(text.slice(cut.tail))) {
    const lines = gap.match(ERROR);
    const last = lines?.at(-1)?.trim();
    if (last) found.errorLine = last;
  }
  return Object.keys(found).length > 0 ? found : undefined;
}

/** @param {string} text */
function parseContainer(text) {
  const first = /^\s*[[{]/.test(text.slice(0, 100));
  if (!first) return undefined;
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Media items are kept whole; the texts share what is left. @param {Output} output @param {number} cap @param {{ handle?: string, loss?: string }} gap @returns {Output} */
function shortenList(output, cap, gap) {
  const texts = output.value.filter((/** @type {any} */ i) => typeof i?.text === 'string');
  const total = texts.reduce((/** @type {number} */ n, /** @type {any} */ i) => n + i.text.length, 0);
  const fixed = output.text.length - total;
  const room = Math.max(0, cap - fixed - 8 * texts.length);
  const value = output.value.map((/** @type {any} */ item) => {
    if (typeof item?.text !== 'string' || total === 0) return item;
    // Quoting may lengthen a text; a share in proportion to its quoted length keeps the whole below the cap.
    const share = Math.floor((room * item.text.length) / Math.max(total, JSON.stringify(item.text).length));
    return item.text.length <= share ? item : { ...item, text: shortenText(item.text, share, gap) };
  });
  return { ...output, value, text: jsonText(value.map((/** @type {any} */ i) => (typeof i?.text === 'string' ? i : { type: i?.type }))).text };
}
