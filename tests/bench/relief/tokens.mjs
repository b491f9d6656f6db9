// Sizes of the bench: tokens of o200k plus 4 per item, each text counted once.

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

const PIECE = 20_000;
const plainText = { disallowedSpecial: new Set() };
/** @type {Map<string, number>} */
const known = new Map();

/** @param {string} text */
export function sizeOf(text) {
  let size = known.get(text);
  if (size === undefined) {
    size = 4;
    // Long texts in pieces: the encoder's time grows faster than the text on some inputs.
    for (let at = 0; at < text.length; at += PIECE) size += countTokens(text.slice(at, at + PIECE), plainText);
    known.set(text, size);
  }
  return size;
}
