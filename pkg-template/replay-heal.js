// @ts-check
// A log as a host could send it: what its messages lack is repaired before it is replayed, and its steps are counted in
// the repaired rows. Decides nothing about what a provider takes; `repair` and `validate` do.

import { repair, validate } from './judge.js';

/**
 * @param {any} session what `readSession` returns
 * @returns {{ session: any, repaired: { rule: string, at: number, did: string }[] }} the same session where nothing had to be done
 */
export function healedSession(session) {
  const messages = session.rows.map((/** @type {any} */ row) => row.message);
  const { messages: healed, repaired } = repair(messages, 'ai-sdk');
  if (repaired.length === 0) return { session, repaired };
  const own = new Map(session.rows.map((/** @type {any} */ row) => [row.message, row]));
  const places = new Map(healed.map((message, i) => [message, i]));
  const rows = healed.map((message) => own.get(message) ?? { message });
  /** Rows of the log before this one, counted after the repair, with the results that had to be made up. @param {number} row */
  const moved = (row) => {
    let last = row - 1;
    while (last >= 0 && !places.has(messages[last])) last -= 1;
    let end = last < 0 ? 0 : /** @type {number} */ (places.get(messages[last])) + 1;
    while (row > last + 1 && end < healed.length && !own.has(healed[end])) end += 1;
    return end;
  };
  return {
    session: {
      ...session,
      rows,
      steps: session.steps.map((/** @type {any} */ step) => ({ ...step, row: moved(step.row) })),
      ...(session.segments && { segments: session.segments.map((/** @type {any} */ segment) => ({ ...segment, start: moved(segment.start) })) }),
    },
    repaired,
  };
}

/**
 * Invariant 2: what would be rejected in a view, beyond what is rejected in the host's own rows.
 * @param {any[]} input @param {any[]} view @param {number[]} from input index of each row of the view, -1 for one of ours
 * @returns {{ invariant: number, detail: string }[]}
 */
export function checkRequest(input, view, from) {
  const rejected = (/** @type {any[]} */ messages) => validate(messages, 'ai-sdk', { phase: 'request' }).findings.filter((f) => f.level === 'E');
  const found = rejected(view);
  if (found.length === 0) return [];
  const known = new Set(rejected(input).map((f) => `${f.rule} ${f.at}`));
  return found.filter((f) => !known.has(`${f.rule} ${from[f.at] ?? -1}`)).map((f) => ({ invariant: 2, detail: `${f.rule}: ${f.detail}` }));
}
