// What stands in the view for rows that left it without a model: ours, and two simpler ways at the same size.

import { open } from '../../../pkg/inline.js';
import { memoryStore } from '../../../pkg/stores/memory.js';
import { partsOf } from '../relief/sessions.mjs';
import { sizeOf } from '../relief/tokens.mjs';

/**
 * Relief by rule alone, and as much of it as there is: everything but the verbatim tail becomes digests.
 * @type {any}
 */
const RULES_ALONE = {
  model: { id: 'bench', window: 200_000, maxOutput: 4_096 },
  config: { eviction: { enabled: false }, summarize: { enabled: false, ceilingTokens: 1 }, digest: { atFraction: 0.000001 }, toolOutput: { maxChars: 10_000_000 } },
};

/**
 * @typedef {object} Folded
 * @property {string} text everything of ours in the view
 * @property {number} size its tokens
 * @property {number[]} hidden items that left the view
 * @property {string[]} visible texts that are still there
 */

/**
 * The view before a step, made by the package.
 * @param {import('../relief/sessions.mjs').Session} session @param {number} step @returns {Promise<Folded | undefined>} nothing where no relief was possible
 */
export async function oursAt(session, step) {
  const { items } = session;
  const messages = session.messages.slice(0, session.rowStart[step]);
  const host = { ...memoryStore(), rows: (/** @type {{ from: number, to: number }} */ { from, to }) => messages.slice(from, to + 1).map((message, i) => ({ position: from + i, message })) };
  const cascade = await open({ transcript: 'bench', format: 'ai-sdk', host, ...RULES_ALONE });
  try {
    const { recipe, view } = await cascade.next({ messages });
    /** @type {string[]} */
    const own = [];
    /** @type {string[]} */
    const visible = [];
    const gone = new Set();
    let at = 0;
    for (const op of recipe) {
      if (op.insert) own.push(...partsOf(op.insert).map((p) => p.text));
      else if (op.drop) for (let row = op.drop[0]; row < op.drop[1]; row += 1) gone.add(row);
      else if (op.keep) for (const message of messages.slice(...op.keep)) visible.push(...partsOf(message).map((p) => p.text));
      else if ('edit' in op) visible.push(...partsOf(view[at]).map((p) => p.text));
      at += op.keep ? op.keep[1] - op.keep[0] : op.drop ? 0 : 1;
    }
    const hidden = items.filter((item) => gone.has(item.row)).map((item) => item.at);
    const text = own.join('\n');
    return hidden.length === 0 ? undefined : { text, size: sizeOf(text), hidden, visible };
  } catch (error) {
    if (/** @type {any} */ (error).code !== 'budget_impossible') throw error;
    return undefined;
  } finally {
    cascade.close();
  }
}

/** The rows as a reader would be shown them. @param {import('../relief/sessions.mjs').Session} session @param {number[]} hidden */
const told = ({ items }, hidden) => hidden.map((at) => `${items[at].role}: ${items[at].text}`).join('\n');

/** @type {Record<string, (text: string, size: number) => string>} */
export const SIMPLER = {
  /** The newest that fits, the oldest left out; cut inside a text so that no token is wasted. */
  'drop-oldest': (text, size) => fitted(size, text.length, (n) => text.slice(text.length - n)),
  /** As much of the beginning as of the end. */
  'head-tail': (text, size) => fitted(size, text.length, (n) => `${text.slice(0, n / 2)}\n[…]\n${text.slice(text.length - n / 2)}`),
};

/** What the simpler ways keep of the same rows in as many tokens. @param {import('../relief/sessions.mjs').Session} session @param {Folded} folded */
export function simplerAt(session, { hidden, size }) {
  const text = told(session, hidden);
  return Object.fromEntries(Object.entries(SIMPLER).map(([name, cut]) => [name, cut(text, size)]));
}

/** The largest cut of at most `size` tokens. @param {number} size @param {number} most @param {(chars: number) => string} cut */
function fitted(size, most, cut) {
  let low = 0;
  let high = Math.min(most, size * 12);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sizeOf(cut(middle)) <= size) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}
