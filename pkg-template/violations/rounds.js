// @ts-check
// Rounds and pairs, worked out from the messages alone: which calls and results belong together (invariant 1) and
// which rows may not be touched (invariant 3). Written apart from the core, so that it can contradict it.

/** @typedef {{ invariant: number, detail: string }} Finding  detail names rows and numbers, never their text */

export const partsOf = (message) => (Array.isArray(message?.content) ? message.content : []);
export const resultsOf = (message) => partsOf(message).filter((part) => part?.type === 'tool-result');

/** Calls without a result and results without a call, paired by occurrence: `call:3:id` and `result:4:id`. */
function unpaired(messages) {
  const open = new Map();
  const broken = new Map();
  messages.forEach((message, row) => {
    for (const part of partsOf(message)) {
      if (part?.type === 'tool-call') {
        const waiting = open.get(part.toolCallId) ?? [];
        waiting.push(row);
        open.set(part.toolCallId, waiting);
      } else if (part?.type === 'tool-result') {
        const waiting = open.get(part.toolCallId);
        if (waiting?.length) waiting.shift();
        else broken.set(`result ${part.toolCallId}`, row);
      }
    }
  });
  for (const [id, rows] of open) if (rows.length) broken.set(`call ${id}`, rows[rows.length - 1]);
  return broken;
}

/**
 * Invariant 1: what is incomplete in the view was incomplete in the input, or belongs to the open round at the end.
 * @param {any[]} input @param {any[]} view @param {Finding[]} findings gets what is wrong
 */
export function checkPairs(input, view, findings) {
  const broken = unpaired(view);
  if (broken.size === 0) return;
  const excused = unpaired(input);
  const lastAssistant = view.findLastIndex((message) => message.role === 'assistant');
  for (const [what, row] of broken) {
    if (excused.has(what) || (what.startsWith('call ') && row === lastAssistant)) continue;
    const kind = what.startsWith('call ') ? 'a call has no result' : 'a result has no call before it';
    findings.push({ invariant: 1, detail: `view row ${row}: ${kind}` });
  }
}

/**
 * Rounds from the messages alone: an assistant row with everything up to the next one.
 * @param {any[]} input
 * @returns {{ start: number, end: number, calls: number, answers: number, closed: boolean }[]} `end` exclusive
 */
export function roundsOf(input) {
  const starts = input.flatMap((message, i) => (message.role === 'assistant' ? [i] : []));
  return starts.map((start, k) => {
    const end = starts[k + 1] ?? input.length;
    const calls = partsOf(input[start]).filter((part) => part?.type === 'tool-call' && !part.providerExecuted).length;
    let answers = 0;
    for (let i = start; i < end; i += 1) answers += resultsOf(input[i]).length;
    return { start, end, calls, answers, closed: answers >= calls };
  });
}

/**
 * First row of the verbatim tail: so many newest messages and closed rounds (whichever keeps more), the open round
 * and what the model has not read.
 * @param {any[]} input @param {{ keepRecent: number, keepRounds: number }} keep
 */
export function tailFrom(input, { keepRecent, keepRounds }) {
  const rounds = roundsOf(input);
  const closed = rounds.filter((round) => round.closed);
  const starts = [Math.max(0, input.length - keepRecent), input.findLastIndex((message) => message.role === 'assistant') + 1];
  if (keepRounds > 0) starts.push(closed.at(-keepRounds)?.start ?? 0);
  const last = rounds.at(-1);
  if (last && !last.closed) starts.push(last.start);
  return Math.min(...starts);
}

/**
 * First row of what may not be touched: the newest closed rounds with results, the open round, unread rows.
 * @param {any[]} input @param {number} keepRecentRounds
 */
export function protectedFrom(input, keepRecentRounds) {
  const lastAssistant = input.findLastIndex((message) => message.role === 'assistant');
  let start = lastAssistant + 1; // the model has read everything before its own last row
  let rounds = 0;
  let end = input.length;
  for (let i = lastAssistant; i >= 0; i -= 1) {
    if (input[i].role !== 'assistant') continue;
    const calls = partsOf(input[i]).filter((part) => part?.type === 'tool-call').length;
    let answers = 0;
    for (let k = i; k < end; k += 1) answers += resultsOf(input[k]).length;
    end = i;
    if (i === lastAssistant && answers < calls) start = i; // open: kept besides, not counted
    else if (answers > 0) {
      if (rounds === keepRecentRounds) break;
      rounds += 1;
      start = Math.min(start, i);
    }
  }
  return start;
}
