// @ts-check
// The core's search by words, on its own: for a host's own `search`, or for anything else that has rows.

import { Lexical } from './core_bg.js';
import { badInput } from './errors.js';

/** Longest text that is indexed, in UTF-16 code units; of a longer one the beginning. */
const LONGEST = 100_000;

/**
 * An index in memory: BM25 over words, parts of names and paths, and runs of characters, in any language. It
 * keeps no texts. Call `free()` when it is done with.
 */
export function lexicalIndex() {
  const index = new Lexical();
  return {
    get size() {
      return index.size();
    },
    /** @param {number} position @param {string} text */
    add(position, text) {
      index.add(whole(position), words(text, 'text').slice(0, LONGEST));
    },
    /** @param {number} position */
    remove(position) {
      index.remove(whole(position));
    },
    /** Best first, the newer of equals; `score` 0 to 1 is the share of the query that a row holds. @param {string} query @param {number} [max] @returns {{ position: number, score: number }[]} */
    search: (query, max = 10) => index.search(words(query, 'query'), max),
    /** The part of a text that answers a query best, one line of at most 240 characters. @param {string} text @param {string} query @returns {string} */
    snippet: (text, query) => index.snippet(words(text, 'text').slice(0, LONGEST), words(query, 'query')),
    free: () => index.free(),
  };
}

/** @param {number} position */
function whole(position) {
  if (!Number.isSafeInteger(position) || position < 0) throw badInput('`position` must be a whole number of at least 0');
  return position;
}

/** @param {string} text @param {string} name */
function words(text, name) {
  if (typeof text !== 'string') throw badInput(`\`${name}\` must be a string`);
  return text;
}
