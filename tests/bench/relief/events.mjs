// Reuse: the agent names something that it last saw more than three rounds ago.
//
// A name is matched by the longest form that occurs before. Fragile is a name whose only earlier place is one tool result.

import { holds, namesIn, plain, weaker } from './names.mjs';

/** Rounds that count as recent. */
export const RECENT = 3;

/**
 * @typedef {{ step: number, name: string, places: number[], last: number, fragile: boolean }} Event `places`: items that hold it before
 * @typedef {{ events: Event[], at: Event[][], uses: string[][], names(item: number): Set<string>, places(name: string): number[] }} Reuse
 */

/** Names that occur in three or more unrelated projects need no memory. @param {import('./sessions.mjs').Session[]} sessions @returns {Set<string>} */
export function commonNames(sessions) {
  const projects = new Map();
  for (const { items, project } of sessions) {
    for (const item of items) for (const name of namesIn(item.plain, new Set())) projects.set(name, (projects.get(name) ?? new Set()).add(project));
  }
  return new Set([...projects].filter(([, set]) => set.size >= 3).map(([name]) => name));
}

/** @param {import('./sessions.mjs').Session} session @param {Set<string>} common @returns {Reuse} */
export function reuseOf({ items, start, steps }, common) {
  const words = new Map();
  for (const { at, plain: text } of items) for (const word of new Set(text.match(/[A-Za-z0-9_]+/g) ?? [])) words.set(word, [...(words.get(word) ?? []), at]);
  const known = new Map();
  const places = (/** @type {string} */ name) => {
    let found = known.get(name);
    if (!found) {
      const lists = (name.match(/[A-Za-z0-9_]+/g) ?? []).map((word) => words.get(word) ?? []);
      const rarest = lists.reduce((a, b) => (b.length < a.length ? b : a), lists[0] ?? []);
      known.set(name, (found = rarest.filter((/** @type {number} */ at) => holds(items[at].plain, name))));
    }
    return found;
  };
  /** @type {Set<string>[]} */
  const own = [];
  const names = (/** @type {number} */ at) => (own[at] ??= namesIn(items[at].plain, common));
  /** @type {Event[]} */
  const events = [];
  /** @type {string[][]} */
  const uses = [];
  /** @type {Event[][]} */
  const byStep = Array.from({ length: steps + 2 }, () => []);
  for (let step = 1; step <= steps; step += 1) {
    const written = new Set();
    for (let i = start[step]; i < start[step + 1]; i += 1) {
      if (items[i].role !== 'assistant') continue;
      for (const name of items[i].call ? namesIn(plain(valuesOf(items[i].input)), common) : names(i)) written.add(name);
    }
    const seen = new Set();
    const before = (/** @type {string} */ name) => places(name).filter((/** @type {number} */ at) => at < start[step]);
    for (const name of written) {
      if (before(name).length > 0) seen.add(name);
      else for (const form of weaker(name)) {
        const found = form.filter((f) => !common.has(f) && before(f).length > 0);
        if (found.length > 0) {
          for (const f of found) seen.add(f);
          break;
        }
      }
    }
    uses[step] = [...seen];
    for (const name of seen) {
      const where = before(name);
      const last = items[where.at(-1)].step;
      if (step - last <= RECENT) continue;
      const event = { step, name, places: where, last, fragile: where.length === 1 && items[where[0]].role === 'tool' };
      events.push(event);
      byStep[step].push(event);
    }
  }
  return { events, at: byStep, uses, names, places };
}

/** What the agent chose itself in a call: string values; no tool or argument names, no numeric knobs. @param {any} input @returns {string} */
function valuesOf(input) {
  const out = [];
  const walk = (/** @type {any} */ v) => {
    if (typeof v === 'string') out.push(v);
    else if (v && typeof v === 'object') for (const x of Object.values(v)) walk(x);
  };
  if (typeof input === 'string') {
    try {
      const value = JSON.parse(input);
      if (value && typeof value === 'object') walk(value);
      else return input;
    } catch {
      return input;
    }
  } else walk(input);
  return out.join('\n');
}
