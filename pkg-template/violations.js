// @ts-check
// Checks a view against the messages it was made from, without trusting the core that made it: invariants 1, 3, 4,
// 5, 8, 9, 13, 14 and 16 of the design. It reads AI SDK messages only, works out rounds, pairs and handles by itself,
// and knows nothing of thresholds, estimates or stores (whether a handle's bytes come back is for the caller to try).

import { renderText } from './render-text.js';
import { leftOut, onlyMediaLeft, unreadFrom } from './violations/media.js';
import { createRemovalChecker } from './violations/removed.js';
import { checkPairs, partsOf, protectedFrom, resultsOf, tailFrom } from './violations/rounds.js';
import { checkText, outputText, same, sameJson } from './violations/texts.js';

/** What a ledger may say of a row, and whether the row is still in the view then. */
const IN_VIEW = new Map([
  ['kept', true], ['pinned', true], ['evicted', true], ['clamped', true], ['deduped', true],
  ['folded', false], ['dropped', false], ['digested', false], ['elided', false],
]);

/** @typedef {import('./violations/rounds.js').Finding} Finding */
/** @typedef {{ row: number, part: number, callId: string, handle: string, state: string, original: any, text: string }} Edit  one result the view shows differently */

/**
 * Where each row of the view comes from, read from the recipe.
 * @param {any[]} recipe @param {number} rows number of input rows
 * @returns {{ from: number[], findings: Finding[] }} `from[k]` is the input index of view row k, -1 for an inserted row
 */
export function origins(recipe, rows) {
  const from = [];
  const seen = new Uint8Array(rows);
  let strange = 0;
  const take = (i) => {
    if (i >= 0 && i < rows) seen[i] += 1;
    else strange += 1;
  };
  for (const op of recipe) {
    if (op.keep) for (let i = op.keep[0]; i < op.keep[1]; i += 1) (take(i), from.push(i));
    else if (op.drop) for (let i = op.drop[0]; i < op.drop[1]; i += 1) take(i);
    else if (typeof op.edit === 'number') (take(op.edit), from.push(op.edit));
    else if (op.insert) from.push(-1);
    else strange += 1;
  }
  const wrong = seen.findIndex((times) => times !== 1);
  const findings = [];
  if (wrong >= 0) findings.push({ invariant: 13, detail: `the recipe takes up row ${wrong} ${seen[wrong]} times` });
  if (strange) findings.push({ invariant: 13, detail: `the recipe names ${strange} rows that do not exist` });
  return { from, findings };
}

/**
 * A checker for one run: it remembers what earlier views showed, since a result of the tail may only be shortened
 * before its first send and must keep its bytes afterwards.
 *
 * @param {{ keepRecentRounds?: number, limited?: boolean, keepRecent?: number, keepRounds?: number, tailTokens?: number, orderTokens?: number, tokens?: (row: number) => number }} [config]
 *   keepRecentRounds: rounds whose results get no stub, default 3; limited: above a limit images and files may become
 *   texts; the others as in `createRemovalChecker`
 */
export function createChecker({ keepRecentRounds = 3, limited = false, ...promises } = {}) {
  const { keepRecent = 8, keepRounds = 2 } = promises;
  const removed = createRemovalChecker(promises);
  /** @type {Map<string, Edit>} handle → how the last view showed it */
  let shown = new Map();
  let sent = 0; // rows that an earlier view carried
  const handles = []; // handles[row] = the handle of each result in it (by occurrence of its call id)
  const times = new Map();

  const nameHandles = (input) => {
    for (let row = handles.length; row < input.length; row += 1) {
      handles[row] = resultsOf(input[row]).map(({ toolCallId }) => {
        const n = (times.get(toolCallId) ?? 0) + 1;
        times.set(toolCallId, n);
        return n === 1 ? toolCallId : `${toolCallId}~${n}`;
      });
    }
  };

  /** Compares one row; reports through `findings` and collects edited results. */
  const compareRow = (row, original, now, entry, safe, findings, edits) => {
    const at = `row ${row}`;
    if (now.role !== original.role) {
      findings.push({ invariant: 4, detail: `${at}: the role changed` });
      return;
    }
    const parts = partsOf(original);
    const left = partsOf(now);
    if (!Array.isArray(original.content)) {
      const first = typeof now.content === 'string' ? now.content : left[0]?.text;
      if (first !== original.content) findings.push({ invariant: 3, detail: `${at}: its text changed` });
      return;
    }
    if (left.length < parts.length) {
      findings.push({ invariant: 4, detail: `${at}: ${parts.length - left.length} of its parts are gone` });
      return;
    }
    if (left.length > parts.length && now.role !== 'user') findings.push({ invariant: 3, detail: `${at}: parts were appended to a row that is not the user's` });
    let ordinal = -1;
    parts.forEach((part, p) => {
      if (part?.type === 'tool-result') ordinal += 1;
      if (same(part, left[p])) return;
      if (limited && row < safe.unread && entry?.state === 'evicted' && leftOut(part, left[p])) return;
      const isResult = part?.type === 'tool-result' && left[p]?.type === 'tool-result';
      if (!isResult || left[p].toolCallId !== part.toolCallId || left[p].toolName !== part.toolName) {
        findings.push({ invariant: isResult ? 4 : 3, detail: `${at}, part ${p}: ${isResult ? 'the result carries another id' : 'something other than a result changed'}` });
        return;
      }
      const detail = entry?.parts?.find((one) => one.part === p) ?? entry;
      const edit = {
        row, part: p, callId: part.toolCallId, handle: handles[row][ordinal], state: detail?.state ?? 'kept',
        original: part.output, text: outputText(left[p].output),
      };
      edits.push(edit);
      const before = shown.get(edit.handle);
      const where = `${at}, part ${p}`;
      if (before?.text === edit.text) return; // judged when it first appeared
      const pictures = limited && row < safe.unread && onlyMediaLeft(part.output, left[p].output);
      const length = outputText(part.output).length;
      if (edit.text.length > length && !pictures) findings.push({ invariant: 14, detail: `${where}: ${edit.text.length} characters where there were ${length}` });
      if (detail?.state !== 'evicted' && detail?.state !== 'clamped' && detail?.state !== 'deduped') {
        findings.push({ invariant: 13, detail: `${where}: edited, but the ledger says ${detail?.state ?? 'nothing'}` });
      }
      if (pictures ? false : detail?.state === 'clamped' ? row < sent && row >= safe.clamp : row >= safe.stub) {
        findings.push({ invariant: 3, detail: `${where}: a protected result changed after it was sent` });
      }
      if (detail?.loss === undefined) {
        if (!detail?.handle) findings.push({ invariant: 5, detail: `${where}: neither a handle nor a loss in the ledger` });
        else if (!edit.text.includes(detail.handle) && !onlyRendered(part.output, edit.text) && !sameJson(outputText(part.output), edit.text)) findings.push({ invariant: 5, detail: `${where}: the text does not name the handle of the ledger` });
        else if (detail.handle !== edit.handle) findings.push({ invariant: 5, detail: `${where}: the handle is not the call's` });
      }
      checkText(part.output, left[p].output, where, findings);
    });
  };

  return {
    /**
     * @param {{ input: any[], view: any[], recipe: any[], ledger: any[], breakdown?: any, occupancy?: { tokens: number },
     *   before?: number, after?: number }} step  before, after: tokens of the raw list and of the view
     * @returns {{ findings: Finding[], edits: Edit[] }} edits: every result the view shows differently, old ones too
     */
    check({ input, view, recipe, ledger, breakdown, occupancy, before, after }) {
      nameHandles(input);
      const edits = [];
      const { from, findings } = origins(recipe, input.length);
      checkPairs(input, view, findings);
      if (from.length !== view.length) findings.push({ invariant: 13, detail: `the recipe makes ${from.length} rows, the view has ${view.length}` });

      const entries = new Array(input.length);
      for (const entry of ledger) {
        if (!IN_VIEW.has(entry.state)) findings.push({ invariant: 13, detail: `row ${entry.index}: unknown ledger state` });
        else if (entries[entry.index] || !(entry.index >= 0 && entry.index < input.length)) findings.push({ invariant: 13, detail: `row ${entry.index}: listed twice, or no such row` });
        else entries[entry.index] = entry;
      }
      const missing = entries.findIndex((entry) => entry === undefined);
      if (missing >= 0) findings.push({ invariant: 13, detail: `row ${missing} is missing from the ledger` });

      const safe = { stub: protectedFrom(input, keepRecentRounds), clamp: tailFrom(input, { keepRecent, keepRounds }), unread: unreadFrom(input) };
      const present = new Uint8Array(input.length);
      let last = -1;
      from.forEach((i, k) => {
        if (i < 0 || i >= input.length || k >= view.length) return;
        if (i <= last) findings.push({ invariant: 4, detail: `row ${i} stands behind row ${last}` });
        last = Math.max(last, i);
        present[i] = 1;
        if (view[k] !== input[i]) compareRow(i, input[i], view[k], entries[i], safe, findings, edits);
        else if (entries[i]?.state === 'evicted' || entries[i]?.state === 'clamped') {
          findings.push({ invariant: 13, detail: `row ${i}: unchanged, but the ledger says ${entries[i].state}` });
        }
      });
      entries.forEach((entry, i) => {
        if (IN_VIEW.get(entry.state) === Boolean(present[i])) return;
        findings.push({ invariant: present[i] ? 13 : 4, detail: `row ${i}: ${present[i] ? 'in the view' : 'not in the view'}, but the ledger says ${entry.state}` });
      });
      removed.check({ input, view, entries, findings });

      if (breakdown) checkSum(breakdown, occupancy, findings);
      if (before !== undefined && after !== undefined && after > before) findings.push({ invariant: 14, detail: `the view has ${after} tokens, the raw list ${before}` });
      shown = new Map(edits.map((edit) => [edit.handle, edit]));
      sent = input.length;
      return { findings, edits };
    },
  };
}

/** Escape codes and overwritten progress are not content: a text that fits without them needs no handle. @param {any} output @param {string} text */
const onlyRendered = (output, text) => renderText(outputText(output)) === text;

/** Invariant 9. */
function checkSum(breakdown, occupancy, findings) {
  const sum = breakdown.buckets.reduce((total, bucket) => total + (bucket.summed === false ? 0 : bucket.tokens), 0);
  const { overhead, total } = breakdown;
  if (sum + overhead !== total) findings.push({ invariant: 9, detail: `buckets ${sum} + overhead ${overhead} is not total ${total}` });
  if (occupancy && occupancy.tokens !== total) findings.push({ invariant: 9, detail: `total ${total} is not the occupancy ${occupancy.tokens}` });
}

/**
 * Invariant 4, second half: asked again with the same input, the core changes nothing.
 * @param {{ view: any[], events: any[] }} first @param {{ view: any[], events: any[] }} second
 * @returns {Finding[]}
 */
export function checkSecondPass(first, second) {
  const findings = [];
  if (!same(first.view, second.view)) findings.push({ invariant: 4, detail: 'a second pass over the same input makes another view' });
  const acted = second.events.filter((event) => event.type === 'context.evicted').length;
  if (acted) findings.push({ invariant: 4, detail: 'a second pass over the same input evicts again' });
  return findings;
}
