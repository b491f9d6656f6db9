// What other packages do with an overfull window, as far as their documentation and code say, at the same budget.
//
// A policy is made per session and budget and returns, for each step, what is shown: entries { at, text? } in order, where
// `text` stands in place of the item. All end in the same last resort.

import { toModelMessages } from './model-messages.mjs';
import { sizeOf } from './tokens.mjs';

/** Rounds the results of which count as recent. */
const RECENT = 3;

/** @typedef {{ at: number, text?: string }} Shown @typedef {{ show(step: number): Shown[], readable(at: number): boolean }} Policy */

/** State that the clearing policies share: what was cleared and what was dropped, for good. */
class Window {
  /** @param {import('./sessions.mjs').Session} session @param {number} budget */
  constructor(session, budget) {
    this.session = session;
    this.budget = budget;
    /** @type {Map<number, string>} */
    this.cleared = new Map();
    /** @type {Set<number>} */
    this.dropped = new Set();
  }

  /** Items before a step that were not dropped. @param {number} step */
  history(step) {
    const out = [];
    for (let at = 0; at < this.session.start[step]; at += 1) if (!this.dropped.has(at)) out.push(at);
    return out;
  }

  /** @param {number} at */
  size(at) {
    const text = this.cleared.get(at);
    return text === undefined ? this.session.items[at].size : sizeOf(text);
  }

  /** @param {number[]} list */
  total(list) {
    return list.reduce((sum, at) => sum + this.size(at), 0);
  }

  /** Replaces an item unless that makes it larger. @param {number} at @param {string} text */
  clear(at, text) {
    if (sizeOf(text) < this.session.items[at].size) this.cleared.set(at, text);
  }

  /** @param {number[]} list */
  results(list) {
    return list.filter((at) => this.session.items[at].role === 'tool');
  }

  /** @param {number[]} list @param {number} step @returns {Shown[]} */
  finish(list, step) {
    const shown = list.map((at) => (this.cleared.has(at) ? { at, text: this.cleared.get(at) } : { at }));
    const left = lastResort(this.session, shown, this.budget, step);
    if (left.length < shown.length) {
      const kept = new Set(left.map(({ at }) => at));
      for (const at of list) if (!kept.has(at)) this.dropped.add(at);
    }
    return left;
  }
}

/**
 * The last resort of every policy: over budget the oldest rounds go, in one batch, down to 80 % of it. The newest round stays.
 * @param {import('./sessions.mjs').Session} session @param {Shown[]} shown @param {number} budget @param {number} step @returns {Shown[]}
 */
export function lastResort({ items }, shown, budget, step) {
  const size = (/** @type {Shown} */ { at, text }) => (text === undefined ? items[at].size : sizeOf(text));
  let total = shown.reduce((sum, entry) => sum + size(entry), 0);
  if (total <= budget) return shown;
  const gone = new Set();
  for (let old = 0; old < step - 1 && total > 0.8 * budget; old += 1) {
    for (const entry of shown) {
      if (items[entry.at]?.step !== old || items[entry.at].pinned) continue;
      gone.add(entry);
      total -= size(entry);
    }
  }
  return shown.filter((entry) => !gone.has(entry));
}

/** @type {Record<string, (session: import('./sessions.mjs').Session, budget: number, prune?: any) => Policy>} */
export const PEERS = {
  full: (session) => ({ show: (step) => new Window(session, Infinity).history(step).map((at) => ({ at })), readable: () => false }),

  /** Newest whole rounds that fit, at each step anew: trimMessages with strategy last, a token limiter. */
  'drop-oldest': (session, budget) => ({
    show(step) {
      const { items, start } = session;
      const all = new Window(session, budget).history(step);
      if (all.reduce((sum, at) => sum + items[at].size, 0) <= budget) return all.map((at) => ({ at }));
      const keep = new Set(all.filter((at) => items[at].role === 'system'));
      let total = [...keep].reduce((sum, at) => sum + items[at].size, 0);
      for (let round = step - 1; round >= 0; round -= 1) {
        const own = [];
        for (let at = start[round]; at < start[round + 1]; at += 1) if (!keep.has(at)) own.push(at);
        const size = own.reduce((sum, at) => sum + items[at].size, 0);
        if (total + size > budget && round < step - 1) break;
        total += size;
        for (const at of own) keep.add(at);
      }
      return all.filter((at) => keep.has(at)).map((at) => ({ at }));
    },
    readable: () => false,
  }),

  /** The real pruneMessages of AI SDK 7, over budget, its result carried forward from step to step. */
  'ai-prune': (session, budget, pruneMessages) => {
    const window = new Window(session, budget);
    /** @type {any[]} */
    let carried = [];
    let upTo = 0;
    return {
      show(step) {
        carried = [...carried, ...toModelMessages(session, upTo, session.start[step])];
        upTo = session.start[step];
        const flat = () => {
          const system = window.history(step).filter((at) => session.items[at].role === 'system');
          return [...system, ...carried.flatMap((m) => m.content.map((/** @type {any} */ p) => p.at))].filter((at) => !window.dropped.has(at)).sort((a, b) => a - b);
        };
        let list = flat();
        if (window.total(list) > budget) {
          carried = pruneMessages({ messages: carried, toolCalls: 'before-last-2-messages' });
          list = flat();
        }
        return window.finish(list, step);
      },
      readable: () => false,
    };
  },

  /** LangChain's tool-use clearing: at the trigger all results but the newest 3, in the run's own state. */
  'langchain-clear': (session, budget) =>
    clearing(session, budget, (window, list) => {
      if (window.total(list) < budget) return;
      for (const at of window.results(list).slice(0, -RECENT)) if (!window.cleared.has(at)) window.cleared.set(at, '[cleared]');
    }),

  /** clear_tool_uses with keep 3: the same, remembered, if it frees at least a sixth of the budget. */
  'clear-tool-uses': (session, budget) =>
    clearing(session, budget, (window, list) => {
      if (window.total(list) <= budget) return;
      const note = '[Old tool result cleared]';
      const old = window.results(list).slice(0, -RECENT).filter((at) => !window.cleared.has(at));
      if (old.reduce((sum, at) => sum + session.items[at].size - sizeOf(note), 0) >= budget / 6) for (const at of old) window.clear(at, note);
    }),

  /** The newest 40 % of the budget in tool output is protected; at least a tenth must be gained. */
  'protect-newest': (session, budget) =>
    clearing(session, budget, (window, list) => {
      if (window.total(list) <= budget) return;
      const old = [];
      let seen = 0;
      let gain = 0;
      for (const at of window.results(list).reverse()) {
        if (window.cleared.has(at)) break;
        seen += session.items[at].size;
        if (seen <= 0.4 * budget) continue;
        gain += session.items[at].size;
        old.push(at);
      }
      if (gain > 0.1 * budget) for (const at of old) window.clear(at, '[Old tool result content cleared]');
    }),
};

/** @param {import('./sessions.mjs').Session} session @param {number} budget @param {(window: Window, list: number[], step: number) => void} clear @returns {Policy} */
function clearing(session, budget, clear) {
  const window = new Window(session, budget);
  return {
    show(step) {
      const list = window.history(step);
      clear(window, list, step);
      return window.finish(list, step);
    },
    readable: () => false,
  };
}

/**
 * Knows what will be reused: evicts what loses least per token, and its stubs keep exactly the names that come back.
 * @param {import('./sessions.mjs').Session} session @param {number} budget @param {import('./events.mjs').Reuse} reuse @param {number} low how far down a batch goes
 * @returns {Policy}
 */
export function oracle(session, budget, reuse, low) {
  const { items } = session;
  /** @type {import('./events.mjs').Event[][]} */
  const later = items.map(() => []);
  for (const event of reuse.events) for (const at of event.places) later[at].push(event);
  const policy = clearing(session, budget, (window, list, step) => {
    let total = window.total(list);
    if (total <= budget) return;
    const inView = new Set(list);
    const wanted = (/** @type {number} */ at) => [...new Set(later[at].filter((e) => e.step >= step && e.last < step).map((e) => e.name))];
    const stub = (/** @type {number} */ at) => {
      let names = '';
      for (const name of wanted(at)) if (!names.includes(name) && sizeOf(`${names} ${name}`) < Math.min(240, items[at].size / 5) + 4) names += ` ${name}`;
      return `[context-cleared] ${items[at].tool}:${names} read_tool_output("${(items[at].id ?? String(at)).slice(0, 40)}")`;
    };
    const loss = (/** @type {number} */ at, /** @type {string} */ text) =>
      later[at].filter((e) => e.step >= step && e.last < step && !text.includes(e.name) && !e.places.some((p) => p !== at && inView.has(p) && (window.cleared.get(p) ?? e.name).includes(e.name))).length;
    const take = (/** @type {number[]} */ pool, /** @type {number} */ until) => {
      const ranked = pool.map((at) => ({ at, text: stub(at) })).map((x) => ({ ...x, free: items[x.at].size - sizeOf(x.text) })).filter((x) => x.free > 0);
      ranked.sort((a, b) => loss(a.at, a.text) / a.free - loss(b.at, b.text) / b.free || b.free - a.free);
      for (const { at, text, free } of ranked) {
        if (total <= until * budget) return;
        window.cleared.set(at, text);
        total -= free;
      }
    };
    const open = (/** @type {number} */ at) => !window.cleared.has(at);
    take(list.filter((at) => items[at].role === 'tool' && open(at) && items[at].step < step - RECENT && items[at].size >= 40), low);
    if (total > 0.85 * budget) take(list.filter((at) => items[at].call && open(at) && items[at].step < step - RECENT && items[at].size >= 200), Math.max(low, 0.7));
    if (total > budget) take(list.filter((at) => items[at].role === 'tool' && open(at) && items[at].step < step - 1 && items[at].size >= 200), 0.85);
  });
  return { ...policy, readable: () => true };
}
