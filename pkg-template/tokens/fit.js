// @ts-check
// The longest part of a text that fits a number of tokens. Decides where to cut: never inside a surrogate
// pair, and so that the part itself, counted on its own, fits. Refuses to know how tokens are counted.
//
// A count of `limit` tokens is short work, so the cut is searched for by counting candidates: no text is
// tokenised whole, and a tail costs no more than a head.

import { badInput } from '../errors.js';

/** How far behind the last part that fits a longer one is looked for: a word may have fewer tokens than its beginning. */
const LOOK_AHEAD = 32;
const DEFAULT_SHARE = 0.7;
const DEFAULT_MARKER = '\n…\n';

/** @typedef {(part: string, limit: number) => number} Measure tokens of a part; any number above `limit` will do when there are more */

/**
 * @param {string} text
 * @param {number} limit
 * @param {{ from?: string, share?: number, marker?: string }} options
 * @param {Measure} measure
 * @returns {string}
 */
export function longestFit(text, limit, { from = 'head', share = DEFAULT_SHARE, marker = DEFAULT_MARKER }, measure) {
  if (from !== 'head' && from !== 'tail' && from !== 'both') throw badInput("`from` must be 'head', 'tail' or 'both'");
  if (measure(text, limit) <= limit) return text;
  if (from !== 'both') return part(text, limit, from, measure);
  if (typeof share !== 'number' || !(share >= 0 && share <= 1)) throw badInput('`share` must be a number from 0 to 1');
  if (typeof marker !== 'string') throw badInput('`marker` must be a string');
  const room = limit - measure(marker, limit);
  if (room <= 0) return part(text, limit, 'head', measure);
  const head = part(text, Math.floor(room * share), 'head', measure);
  const rest = text.slice(head.length);
  // What meets at the marker may count differently than apart: give way until the whole fits.
  for (let left = room - measure(head, room); left > 0; left -= 1) {
    const whole = head + marker + part(rest, left, 'tail', measure);
    if (measure(whole, limit) <= limit) return whole;
  }
  return measure(head + marker, limit) <= limit ? head + marker : part(text, limit, 'head', measure);
}

/** @param {string} text @param {number} limit @param {'head' | 'tail'} from @param {Measure} measure */
function part(text, limit, from, measure) {
  const cut = (/** @type {number} */ n) => {
    const at = from === 'head' ? n : text.length - n;
    const inPair = at > 0 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
    if (from === 'head') return text.slice(0, inPair ? at - 1 : at);
    return text.slice(inPair ? at + 1 : at);
  };
  if (limit === 0) return '';
  let fits = 0;
  let fitsTokens = 0;
  let over = Math.min(text.length, limit * 4);
  let overTokens = measure(cut(over), limit);
  while (overTokens <= limit) {
    [fits, fitsTokens] = [over, overTokens];
    if (over === text.length) return text;
    over = Math.min(text.length, over * 2);
    overTokens = measure(cut(over), limit);
  }
  for (let round = 0; over - fits > 1; round += 1) {
    // Where a constant rate of tokens would put it; every third time the middle, so that it always ends.
    const share = round % 3 === 2 || !Number.isFinite(overTokens) ? 0.5 : (limit + 0.5 - fitsTokens) / (overTokens - fitsTokens);
    const n = Math.min(over - 1, Math.max(fits + 1, fits + Math.round((over - fits) * share)));
    const tokens = measure(cut(n), limit);
    if (tokens <= limit) [fits, fitsTokens] = [n, tokens];
    else [over, overTokens] = [n, tokens];
  }
  for (let n = Math.min(text.length, fits + LOOK_AHEAD); n > fits; n -= 1) {
    if (measure(cut(n), limit) <= limit) return cut(n);
  }
  return cut(fits);
}
