// @ts-check
// Rows that a view no longer shows: whether they were old enough, whether the ledger says where they went, and
// whether what the user wrote in them is still there word for word (invariants 3, 4, 8 and 13). Knows the stages'
// promises, not their thresholds; works rounds and turns out by itself.

import { partsOf, roundsOf, tailFrom } from './rounds.js';

/** @typedef {import('./rounds.js').Finding} Finding */

const HIDDEN = new Set(['folded', 'dropped', 'digested']);
/** Closed rounds that stay at both ends of a running turn whose middle is digested. */
const FIRST = 2;
const LAST = 3;

/** What a person wrote in a row, one text per part. @param {any} message @returns {string[]} */
export function userTexts(message) {
  if (message?.role !== 'user') return [];
  const texts = typeof message.content === 'string' ? [message.content] : partsOf(message).filter((part) => part?.type === 'text').map((part) => part.text);
  return texts.filter((text) => typeof text === 'string' && text.trim() !== '');
}

/** All texts of a view; escapes inside our frames are undone. @param {any[]} view @returns {string} */
export function viewText(view) {
  const texts = view.flatMap((message) => (typeof message.content === 'string' ? [message.content] : partsOf(message).map((part) => part?.text ?? '')));
  return texts.join('\n').replaceAll('<\\', '<');
}

/**
 * A checker of one run; it remembers which rows were hidden, because they may not come back.
 *
 * @param {{ keepRecent?: number, keepRounds?: number, tailTokens?: number, orderTokens?: number, tokens?: (row: number) => number }} [promises]
 *   keepRecent, keepRounds: as in the config, default 8 and 2; tailTokens: a tail above it may shrink to one closed
 *   round; orderTokens: the newest hidden user rows up to so many tokens stay verbatim, default none; tokens: of a row
 */
export function createRemovalChecker({ keepRecent = 8, keepRounds = 2, tailTokens = Infinity, orderTokens = 0, tokens = () => 0 } = {}) {
  /** @type {Map<number, string>} */
  const hidden = new Map();

  /** @param {any} entry @param {Finding[]} findings */
  const checkEntry = (entry, findings) => {
    const at = `row ${entry.index}`;
    if (!entry.id) findings.push({ invariant: 13, detail: `${at}: ${entry.state}, but the ledger names nothing that stands for it` });
    if (entry.state === 'folded') return;
    if (Boolean(entry.handle) === Boolean(entry.loss)) findings.push({ invariant: 5, detail: `${at}: ${entry.state} with ${entry.handle ? 'both a handle and a loss' : 'neither a handle nor a loss'}` });
    const range = /^rows:(\d+)-(\d+)$/.exec(entry.handle ?? entry.id ?? '');
    if (range && entry.position !== undefined && !(entry.position >= Number(range[1]) && entry.position <= Number(range[2]))) {
      findings.push({ invariant: 13, detail: `${at}: the handle does not cover its position` });
    }
  };

  /** First row that this state may not take. @param {any[]} input @param {any} bounds @param {any} entry */
  const newEnough = (input, bounds, entry) => {
    const { tail, shortest, turn, rounds } = bounds;
    if (entry.state === 'folded') return entry.index >= (bounds.heavy ? shortest : tail);
    if (entry.state === 'dropped') return input[entry.index].role === 'user' || entry.index >= Math.min(tail, turn);
    if (entry.index < turn) return entry.index >= tail;
    const closed = rounds.filter((/** @type {any} */ round) => round.start > turn && round.closed);
    return entry.index === turn || entry.index < (closed[FIRST]?.start ?? Infinity) || entry.index >= (closed.at(-LAST)?.start ?? 0);
  };

  return {
    /**
     * @param {{ input: any[], view: any[], entries: any[], findings: Finding[] }} step entries: the ledger by row
     */
    check({ input, view, entries, findings }) {
      const fresh = entries.filter((entry) => entry && HIDDEN.has(entry.state));
      for (const row of hidden.keys()) {
        if (!HIDDEN.has(entries[row]?.state)) findings.push({ invariant: 4, detail: `row ${row}: was ${hidden.get(row)} and is ${entries[row]?.state ?? 'unlisted'} now` });
      }
      if (fresh.length === 0) return;
      const rounds = roundsOf(input);
      const tail = tailFrom(input, { keepRecent, keepRounds });
      let weight = 0;
      for (let row = tail; row < input.length; row += 1) weight += tokens(row);
      const turn = input.findLastIndex((message) => userTexts(message).length > 0);
      const bounds = { rounds, tail, shortest: tailFrom(input, { keepRecent: 0, keepRounds: 1 }), heavy: weight > tailTokens, turn: turn < 0 ? input.length : turn };
      for (const entry of fresh) {
        checkEntry(entry, findings);
        if (hidden.get(entry.index) !== entry.state && newEnough(input, bounds, entry)) {
          findings.push({ invariant: 3, detail: `row ${entry.index}: ${entry.state}, although it had to stay` });
        }
        hidden.set(entry.index, entry.state);
      }
      checkOrders(input, view, fresh, findings);
    },
  };

  /** Invariant 8: the newest hidden words of the user, as many as their room allows. @param {any[]} input @param {any[]} view @param {any[]} gone @param {Finding[]} findings */
  function checkOrders(input, view, gone, findings) {
    if (orderTokens <= 0) return;
    const shown = viewText(view);
    let left = orderTokens;
    for (const { index } of [...gone].reverse()) {
      const texts = userTexts(input[index]);
      if (texts.length === 0) continue;
      left -= tokens(index);
      if (left < 0) return;
      for (const text of texts) {
        if (!shown.includes(text.replaceAll('<\\', '<').trim())) findings.push({ invariant: 8, detail: `row ${index}: what the user wrote is not in the view` });
      }
    }
  }
}
