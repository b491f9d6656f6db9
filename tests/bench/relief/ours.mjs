// The package itself: `next` before every step, the real prompt size told with `settle`, no summarizer.
//
// The window is set so that hard, where relief is no longer a matter of price, is the budget. On besides the defaults:
// cache prices, old arguments, newer rounds at hard, whole rounds behind group lines. Off: the cap on arrival, so that only
// what leaves later is compared, and folds, which need a model.

import { open } from '../../../pkg/inline.js';
import { memoryStore } from '../../../pkg/stores/memory.js';
import { lastResort } from './peers.mjs';
import { partsOf } from './sessions.mjs';
import { sizeOf } from './tokens.mjs';

const HARD = 0.9;
/** Room for what the estimate of the newest rows is off by: the budget is a limit. */
const MARGIN = 0.98;

/** @param {number} budget @param {any} [extra] eviction settings to try */
export const settings = (budget, extra = {}) => {
  const window = Math.floor((budget * MARGIN) / HARD);
  return {
    model: { id: 'bench', window, maxOutput: 0 },
    config: {
      eviction: { clearAtLeast: Math.min(2_000, Math.floor(window / 64)), inputs: true, keepAtHard: 1, rounds: true, ...extra },
      prices: { input: 1, cacheRead: 0.1, cacheWrite: 1.25 },
      summarize: { enabled: false },
      toolOutput: { maxChars: 10_000_000 },
    },
  };
};

/** @param {import('./sessions.mjs').Session} session @param {number} budget @param {any} [extra] */
export async function ours(session, budget, extra) {
  const { messages, rowStart } = session;
  const store = memoryStore();
  const host = { ...store, rows: (/** @type {{ from: number, to: number }} */ { from, to }) => messages.slice(from, to + 1).map((message, i) => ({ position: from + i, message })) };
  const cascade = await open({ transcript: 'bench', format: 'ai-sdk', host, ...settings(budget, extra) });
  /** Items of each message. @type {number[][]} */
  const itemsOf = messages.map(() => []);
  for (const item of session.items) itemsOf[item.row].push(item.at);
  /** @type {Map<string, Promise<string>>} */
  const replies = new Map();
  /** @type {any} */
  let ledger;
  const read = (/** @type {string} */ id) => {
    const known = replies.get(id) ?? Promise.resolve(cascade.tools[0].execute({ id })).then(String);
    replies.set(id, known);
    return known;
  };
  /** @type {any} */
  let last;
  /** @type {{ at: number, text?: string }[]} */
  let before = [];
  return {
    async show(/** @type {number} */ step) {
      try {
        last = await cascade.next({ messages: messages.slice(0, rowStart[step]) });
      } catch (error) {
        if (/** @type {any} */ (error).code !== 'budget_impossible') throw error;
        // The newest rows alone exceed the window: the host has to act. Here it does what every policy does last.
        for (let at = session.start[step - 1]; at < session.start[step]; at += 1) before.push({ at });
        before = lastResort(session, before, budget, step);
        return before;
      }
      /** @type {{ at: number, text?: string }[]} */
      const shown = [];
      let at = 0;
      for (const op of last.recipe) {
        if (op.insert) for (const part of partsOf(op.insert)) shown.push({ at: -1, text: part.text });
        else if (op.keep) for (let row = op.keep[0]; row < op.keep[1]; row += 1) for (const item of itemsOf[row]) shown.push({ at: item });
        else if ('edit' in op) {
          const copy = last.view[at];
          for (const [i, part] of partsOf(copy).entries()) {
            const item = itemsOf[op.edit][i];
            shown.push(part.text === session.items[item]?.text ? { at: item } : { at: item, text: part.text });
          }
        }
        at += op.keep ? op.keep[1] - op.keep[0] : op.drop ? 0 : 1;
      }
      const size = shown.reduce((sum, s) => sum + (s.text === undefined ? session.items[s.at].size : sizeOf(s.text)), 0);
      await cascade.settle({ usage: { inputTokens: size } });
      before = shown.slice();
      return shown;
    },
    /** Reads hidden bytes back the way the model would: with the tool and the handle that stands for them. @param {number} at */
    async readable(at) {
      const item = session.items[at];
      ledger ??= cascade.inspect().ledger;
      const entry = ledger[item.row];
      // A row that holds several results names the handle of each; arguments may be read back as they were written.
      const needles = item.call ? [typeof item.input === 'string' ? item.input : JSON.stringify(item.input ?? {}), item.text] : [item.text];
      for (const { handle } of [entry, ...(entry?.parts ?? [])]) {
        if (!handle) continue;
        const reply = await read(handle);
        if (needles.some((text) => reply.includes(text))) return true;
      }
      return false;
    },
    last: () => last,
    close: () => cascade.close(),
    stateBytes: () => Buffer.byteLength(JSON.stringify(cascade.state)),
  };
}
