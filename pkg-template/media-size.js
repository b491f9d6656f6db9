// @ts-check
// Width and height from the header of a PNG, JPEG, GIF or WebP. Reads a few bytes; refuses to guess.

import { bytesAt } from './media-bytes.js';

/** @typedef {import('./media-bytes.js').Bytes} Bytes */

/**
 * @param {unknown} data as `bytesAt` takes it
 * @returns {{ width: number, height: number } | undefined} pixels
 */
export function imageSize(data) {
  const bytes = bytesAt(data);
  if (!bytes) return undefined;
  const found = png(bytes) ?? gif(bytes) ?? webp(bytes) ?? jpeg(bytes);
  return found && found.width > 0 && found.height > 0 ? found : undefined;
}

const big = (/** @type {Bytes} */ b, /** @type {number} */ at, /** @type {number} */ n) => {
  let value = 0;
  for (let i = 0; i < n; i += 1) value = value * 256 + Math.max(0, b.at(at + i));
  return value;
};
const little = (/** @type {Bytes} */ b, /** @type {number} */ at, /** @type {number} */ n) => {
  let value = 0;
  for (let i = n - 1; i >= 0; i -= 1) value = value * 256 + Math.max(0, b.at(at + i));
  return value;
};

/** @param {Bytes} b */
function png(b) {
  if (b.text(0, 8) !== '\x89PNG\r\n\x1a\n' || b.text(12, 16) !== 'IHDR') return undefined;
  return { width: big(b, 16, 4), height: big(b, 20, 4) };
}

/** @param {Bytes} b */
function gif(b) {
  if (!/^GIF8[79]a$/.test(b.text(0, 6))) return undefined;
  return { width: little(b, 6, 2), height: little(b, 8, 2) };
}

/** @param {Bytes} b */
function webp(b) {
  if (b.text(0, 4) !== 'RIFF' || b.text(8, 12) !== 'WEBP') return undefined;
  switch (b.text(12, 16)) {
    case 'VP8 ':
      return { width: little(b, 26, 2) & 0x3fff, height: little(b, 28, 2) & 0x3fff };
    case 'VP8L': {
      const bits = little(b, 21, 4);
      return { width: (bits % 0x4000) + 1, height: (Math.floor(bits / 0x4000) % 0x4000) + 1 };
    }
    case 'VP8X':
      return { width: little(b, 24, 3) + 1, height: little(b, 27, 3) + 1 };
    default:
      return undefined;
  }
}

/** Segments are skipped by their stated length until the frame header. @param {Bytes} b */
function jpeg(b) {
  if (b.at(0) !== 0xff || b.at(1) !== 0xd8) return undefined;
  let at = 2;
  for (let segments = 0; segments < 1_000 && at < b.length; segments += 1) {
    if (b.at(at) !== 0xff) return undefined;
    while (b.at(at) === 0xff) at += 1;
    const marker = b.at(at);
    at += 1;
    if (marker === 0xda || marker === 0xd9 || marker < 0) return undefined;
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) continue;
    const frame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (frame) return { width: big(b, at + 5, 2), height: big(b, at + 3, 2) };
    const length = big(b, at, 2);
    if (length < 2) return undefined;
    at += length;
  }
  return undefined;
}
