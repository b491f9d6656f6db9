// One session under one policy: what the agent's next words still find in the window, and what the prompts cost.

import { holds, plain } from './names.mjs';
import { sizeOf } from './tokens.mjs';

const READ = 0.1;
const WRITE = 1.25;

/** @type {Map<string, string>} */
const plainTexts = new Map();
const plainOf = (/** @type {string} */ text) => {
  let known = plainTexts.get(text);
  if (known === undefined) plainTexts.set(text, (known = plain(text)));
  return known;
};

/**
 * @param {import('./sessions.mjs').Session} session
 * @param {import('./events.mjs').Reuse} reuse
 * @param {any} policy
 * @param {number} budget
 */
export async function replay(session, reuse, policy, budget) {
  const { items } = session;
  const sum = { hits: 0, events: 0, fragileHits: 0, fragile: 0, window: 0, cost: 0, breaks: 0, over: 0 };
  /** @type {{ at: number, text?: string }[]} */
  let before = [];
  /** @type {{ at: number, text?: string }[]} */
  let shown = [];
  for (let step = 1; step <= session.steps; step += 1) {
    shown = await policy.show(step);
    const whole = new Set();
    const texts = [];
    for (const { at, text } of shown) {
      if (text === undefined) whole.add(at);
      else texts.push(plainOf(text));
    }
    for (const event of reuse.at[step]) {
      const hit = event.places.some((at) => whole.has(at)) || texts.some((text) => holds(text, event.name));
      sum.events += 1;
      sum.hits += Number(hit);
      sum.fragile += Number(event.fragile);
      sum.fragileHits += Number(event.fragile && hit);
    }
    let total = 0;
    let common = 0;
    let same = 0;
    for (const [i, entry] of shown.entries()) {
      const size = entry.text === undefined ? items[entry.at].size : sizeOf(entry.text);
      total += size;
      if (same === i && i < before.length && before[i].at === entry.at && before[i].text === entry.text) {
        same += 1;
        common += size;
      }
    }
    if (same < before.length) sum.breaks += 1;
    sum.window += total;
    sum.cost += READ * common + WRITE * (total - common);
    if (total > budget) sum.over += 1;
    before = shown;
  }
  const { removed, back } = await readBack(session, policy, shown);
  return { ...sum, removed, back };
}

/** Bytes that are not in the last window as they were, and how many of them a handle returns. @param {import('./sessions.mjs').Session} session @param {any} policy @param {{ at: number, text?: string }[]} shown */
async function readBack(session, policy, shown) {
  const texts = new Map(shown.map(({ at, text }) => [at, text]));
  let removed = 0;
  let back = 0;
  for (let at = 0; at < session.start[session.steps]; at += 1) {
    if (texts.has(at) && texts.get(at) === undefined) continue;
    removed += session.items[at].bytes;
    if (await policy.readable(at)) back += session.items[at].bytes;
  }
  return { removed, back };
}
