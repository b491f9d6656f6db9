// @ts-check
// What an image or file weighs: its size is read from the header without decoding it, and priced by the
// formula of the model's family. Decides nothing where the size or the family is unknown; the caller's
// own figure stands then. Formulas: the providers' vision pages as of 2026-08-22.

import { bytesAt } from './media-bytes.js';
import { imageSize } from './media-size.js';

/**
 * @typedef {{ width: number, height: number }} Size
 * @typedef {'claude' | 'claude-high' | 'tile-4o' | 'tile-mini' | 'tile-5' | 'tile-o' | 'tile-cua' | 'patch-1.62' | 'patch-1.72' | 'patch-2.46' | 'gemini-2' | 'gemini-3'} Family
 */

/** @type {[RegExp, Family][]} the first that matches */
const FAMILIES = [
  [/claude-(fable|mythos)|claude-(opus|sonnet|haiku)-5|claude-opus-4[.-][789]/, 'claude-high'],
  [/claude/, 'claude'],
  [/gpt-4\.1-mini|gpt-5-mini/, 'patch-1.62'],
  [/gpt-4\.1-nano|gpt-5-nano/, 'patch-2.46'],
  [/o4-mini/, 'patch-1.72'],
  [/gpt-4o-mini/, 'tile-mini'],
  [/gpt-5/, 'tile-5'],
  [/gpt-4o|gpt-4\.1|gpt-4\.5/, 'tile-4o'],
  [/computer-use/, 'tile-cua'],
  [/(^|\/)o[13](-|$)/, 'tile-o'],
  [/gemini-[3-9]/, 'gemini-3'],
  [/gemini/, 'gemini-2'],
];

/** @type {Record<string, { base: number, tile: number }>} */
const TILES = { 'tile-4o': { base: 85, tile: 170 }, 'tile-mini': { base: 2833, tile: 5667 }, 'tile-5': { base: 70, tile: 140 }, 'tile-o': { base: 75, tile: 150 }, 'tile-cua': { base: 65, tile: 129 } };

/** @type {Record<string, Family>} of models that the list does not know */
const BY_PROVIDER = { anthropic: 'claude', openai: 'tile-4o', google: 'gemini-2' };

/** How a model prices images, or undefined. @param {{ id?: string, provider?: string }} model @returns {Family | undefined} */
export const mediaFamily = ({ id = '', provider }) => FAMILIES.find(([pattern]) => pattern.test(id.toLowerCase()))?.[1] ?? (provider ? BY_PROVIDER[provider] : undefined);

/**
 * Tokens of an image.
 * @param {Size} size pixels @param {Family} family @param {string} [detail] `low`, `medium` or `high`, where the request says
 */
export function imageTokens({ width, height }, family, detail) {
  if (family === 'claude') return claude(width, height, 1568, 1568).tokens;
  if (family === 'claude-high') return claude(width, height, 2576, 4784).tokens;
  if (family === 'gemini-3') return detail === 'low' ? 280 : detail === 'medium' ? 560 : 1120;
  if (family === 'gemini-2') return width <= 384 && height <= 384 ? 258 : 258 * Math.ceil(width / 768) * Math.ceil(height / 768);
  if (family.startsWith('patch-')) return Math.ceil(patches(width, height) * Number(family.slice(6)));
  const { base, tile } = TILES[family];
  if (detail === 'low') return base;
  const fit = Math.min(1, 2048 / Math.max(width, height));
  const scale = fit * Math.min(1, 768 / (Math.min(width, height) * fit));
  return base + tile * Math.ceil(round(width * scale) / 512) * Math.ceil(round(height * scale) / 512);
}

/** Products of fractions miss whole pixels by less than this. @param {number} n */
const round = (n) => Math.round(n * 1e6) / 1e6;

/**
 * Claude counts squares of 28 pixels after shrinking to what the tier allows; the published procedure
 * looks for the long edge by halving.
 * @param {number} width @param {number} height @param {number} edge @param {number} most tokens
 */
export function claude(width, height, edge, most) {
  const squares = (/** @type {number} */ w, /** @type {number} */ h) => Math.ceil(w / 28) * Math.ceil(h / 28);
  const fits = (/** @type {number} */ w, /** @type {number} */ h) => Math.max(Math.ceil(w / 28), Math.ceil(h / 28)) * 28 <= edge && squares(w, h) <= most;
  if (fits(width, height)) return { width, height, tokens: squares(width, height) };
  const long = Math.max(width, height);
  const aspect = long / Math.min(width, height);
  const sides = (/** @type {number} */ l) => {
    const short = Math.max(1, halfEven(l / aspect));
    return width >= height ? [l, short] : [short, l];
  };
  let low = 1;
  let high = long;
  while (low + 1 < high) {
    const middle = Math.floor((low + high) / 2);
    const [w, h] = sides(middle);
    if (fits(w, h)) low = middle;
    else high = middle;
  }
  const [w, h] = sides(low);
  return { width: w, height: h, tokens: squares(w, h) };
}

/** @param {number} n */
function halfEven(n) {
  const floor = Math.floor(n);
  if (n - floor !== 0.5) return Math.round(n);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** Squares of 32 pixels, at most 1,536: a larger image is shrunk so that whole squares fit. @param {number} width @param {number} height */
export function patches(width, height) {
  const count = Math.ceil(width / 32) * Math.ceil(height / 32);
  if (count <= 1536) return count;
  const shrink = Math.sqrt((32 * 32 * 1536) / (width * height));
  const [across, down] = [(width * shrink) / 32, (height * shrink) / 32];
  const whole = shrink * Math.min(Math.floor(across) / across, Math.floor(down) / down);
  return Math.ceil(round((width * whole) / 32)) * Math.ceil(round((height * whole) / 32));
}

/** Tokens of one PDF page: its text (the middle of the stated range) and its image. */
const PAGE = { claude: 2250 + 1560, 'claude-high': 2250 + 1560, 'gemini-2': 258, 'gemini-3': 560 };
/** Larger files are not searched for their number of pages. */
const PDF_BYTES = 16_000_000;

/** Pages of a PDF as its page tree states them, or undefined. @param {unknown} data */
export function pdfPages(data) {
  const bytes = bytesAt(data);
  if (!bytes || bytes.length > PDF_BYTES || bytes.text(0, 5) !== '%PDF-') return undefined;
  const linear = /\/Linearized\b[^>]{0,200}\/N\s+(\d+)/.exec(bytes.text(0, 2_000));
  if (linear) return Number(linear[1]);
  const text = bytes.text(0, bytes.length);
  const counts = [...text.matchAll(/\/Count\s+(\d{1,6})\b/g)].map((m) => Number(m[1]));
  const pages = text.match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;
  return Math.max(pages, ...counts) || undefined;
}

/**
 * What media weigh for a model.
 * @param {{ id?: string, provider?: string }} model @param {number} unknown tokens of what cannot be priced
 * @returns {import('./formats/parts.js').Price}
 */
export function mediaPrice(model, unknown) {
  const family = mediaFamily(model);
  return ({ type, data, detail }) => {
    if (!family) return unknown;
    if (type === 'application/pdf') {
      const page = PAGE[/** @type {keyof typeof PAGE} */ (family)];
      const pages = page === undefined ? undefined : pdfPages(data);
      return pages === undefined ? unknown : pages * page;
    }
    if (type.startsWith('video/') || type.startsWith('audio/')) return unknown;
    if (family === 'gemini-3' && type.startsWith('image')) return imageTokens({ width: 1, height: 1 }, family, detail);
    const size = imageSize(data);
    return size ? imageTokens(size, family, detail) : unknown;
  };
}
