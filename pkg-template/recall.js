// @ts-check
// What recall asks of the host: vectors, the store's own search, durable rows as text.
//
// Decides how long a search may hold up a request, and that an answer of the wrong shape is a failure like
// any other: recall is silent about all of them. Vectors never leave this side when the store searches.

import { badInput } from './errors.js';
import { callHost } from './host.js';
import { KIND } from './formats/parts.js';
import { shortenText } from './outputs.js';

/** Milliseconds each of these calls may take: the first token waits for them. */
export const RECALL_MS = 3_000;
/** Longest text of a part that is searched, in UTF-16 code units. */
const INDEX_CHARS = 24_000;
const SEARCHED = new Set([KIND.text, KIND.call, KIND.result]);

/** @typedef {{ host: any, transcript: string, signal?: AbortSignal, format: any }} Side */

/** @param {Side} side @param {string} name @param {any[]} args */
const ask = ({ host, transcript, signal }, name, args) => callHost(host, host, name, args, { transcript, ms: RECALL_MS, ...(signal ? { signal } : {}) });

/** One vector per text, all of one length. @param {Side} side @param {string[]} texts @returns {Promise<ArrayLike<number>[]>} */
export async function embed(side, texts) {
  const vectors = await ask(side, 'embed', [texts]);
  if (!Array.isArray(vectors) || vectors.length !== texts.length) throw badInput('`host.embed` must return one vector per text');
  const size = vectors[0]?.length;
  const whole = (/** @type {any} */ v) => (Array.isArray(v) || ArrayBuffer.isView(v)) && /** @type {any} */ (v).length === size && size > 0;
  if (!vectors.every(whole)) throw badInput('`host.embed` must return vectors of numbers, all of one length');
  return vectors;
}

/** Hits of the host's search, best first as the host says. @param {Side} side @param {string} query @param {number} max */
export async function search(side, query, max) {
  const [vector] = await embed(side, [query]);
  const hits = (await ask(side, 'search', [{ query, vector, max }])) ?? [];
  if (!Array.isArray(hits)) throw badInput('`host.search` must return an array of { position, text, score }');
  return hits
    .filter((hit) => Number.isSafeInteger(hit?.position) && hit.position >= 0 && Number.isFinite(hit.score) && (hit.transcript === undefined || hit.transcript === side.transcript))
    .map(({ position, text, score }) => ({ position, score, text: typeof text === 'string' ? text : '' }));
}

/** Durable rows between two positions as text. @param {Side} side @param {number} from @param {number} to */
export async function rowTexts(side, from, to) {
  const rows = (await ask(side, 'rows', [{ from, to }])) ?? [];
  if (!Array.isArray(rows)) throw badInput('`host.rows` must return an array of { position, message }');
  return rows.flatMap(({ position, message }) => {
    if (!Number.isSafeInteger(position) || position < from || position > to || !message) return [];
    const role = ['system', 'user', 'assistant', 'tool'][side.format.role(message)];
    if (role === undefined || role === 'system') return [];
    const parts = side.format.parts(message).filter((/** @type {any} */ p) => SEARCHED.has(p.kind) && p.text.trim() !== '');
    return [{ position, role, parts: parts.map((/** @type {any} */ p) => ({ tool: p.kind === KIND.text ? '' : String(p.name ?? ''), result: p.kind === KIND.result, text: shortenText(p.text, INDEX_CHARS, {}) })) }];
  });
}
