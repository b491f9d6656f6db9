// @ts-check
// What the cascade would have done in a recorded session at a window of your choice: before each model call of the
// log `next` sees the rows before it, and every view is checked against its input. The log's own counts and
// compactions belong to the log's own window; here they only give overhead and ratio.
// Runs wherever the package runs; knows no files and no terminal.

import { breather, calibrate, frameOf, measureFrame, measureRows, opener } from './calibrate.js';
import { memoryStore } from './stores/memory.js';
import { checkSecondPass, createChecker } from './violations.js';
import { outputText } from './violations/texts.js';

const READ = 0.1; // price of a token the provider has cached, in input tokens
const WRITE = 1.25; // price of a token it has to cache

/** Cost of one request in input tokens. @param {number} shared tokens shared with the request before @param {number} total */
export const requestCost = (shared, total) => Math.round((READ * shared + WRITE * (total - shared)) * 100) / 100;

/**
 * The `replay --json` object of a session. See the README for the meaning of each field.
 *
 * @param {any} session what `readSession` returns
 * @param {{ window?: number, maxOutput?: number, config?: object, file?: string, open?: import('./calibrate.js').Open, signal?: AbortSignal,
 *   onStep?: (step: any, at: { index: number, total: number, inspection: any, next: any }) => void }} [options]
 *   window: tokens, default the log's own; config: as in `open`; onStep: called after each step, with what `inspect()` says there
 * @throws CascadeError `bad_input` without any window, `bad_config` for a config the core refuses
 */
export async function replaySession(session, { window, maxOutput, config = {}, file, open: given, signal, onStep } = {}) {
  const open = await opener(given);
  const tokens = window ?? session.model?.window;
  if (!Number.isSafeInteger(tokens) || tokens <= 0) {
    throw badInput(window === undefined ? 'window: the log does not state one; give the number of tokens' : `window: expected a whole number of tokens above 0, got ${String(window)}`);
  }
  const messages = session.rows.map((row) => row.message);
  const rowTokens = measureRows(messages);
  const frame = frameOf(session);
  const { overhead, ratio, samples } = calibrate(session, rowTokens, await measureFrame(open, frame));
  const estimate = { ...(samples > 0 && { overhead, ratio }), ...config.estimate };
  const host = memoryStore();
  const cascade = await open({
    transcript: 'replay',
    format: 'ai-sdk',
    model: { ...(session.model?.id && { id: session.model.id }), ...(session.model?.provider && { provider: session.model.provider }), window: tokens, ...(maxOutput && { maxOutput }) },
    host,
    config: { ...config, ...(Object.keys(estimate).length > 0 && { estimate }) },
  });

  const checker = createChecker({ keepRecentRounds: config.eviction?.keepRecentRounds });
  const steps = [];
  const violations = [];
  const offered = new Map(); // handle → { original output, step it was first named at }
  const states = new Map(); // handle → state at the step before
  const totals = { maxBefore: 0, maxAfter: 0, evictions: 0, clamps: 0, folds: 0, reclaimed: 0, cacheBreaks: 0, cost: 0, costFull: 0, over: 0, handles: { offered: 0, verified: 0 } };
  const breathe = breather();
  let previousAfter = 0;
  let previousBefore = 0;
  const folded = new Set();

  try {
    for (const [index, { row }] of session.steps.entries()) {
      signal?.throwIfAborted();
      const input = messages.slice(0, row);
      const ask = { messages: input, ...(frame && { frame }) };
      const next = await cascade.next(ask);
      const inspection = cascade.inspect({ cuts: false });
      const before = next.before;
      const after = next.occupancy.tokens;
      const { findings, edits } = checker.check({ input, view: next.view, recipe: next.recipe, ledger: inspection.ledger, breakdown: inspection.breakdown, occupancy: next.occupancy, before, after });

      let evicted = 0;
      let clamped = 0;
      for (const edit of edits) {
        if (states.get(edit.handle) !== edit.state) {
          if (edit.state === 'clamped') clamped += 1;
          else evicted += 1;
          states.set(edit.handle, edit.state);
        }
        if (edit.text.includes(edit.handle) && !offered.has(edit.handle)) offered.set(edit.handle, { output: edit.original, step: index });
      }
      const foldedNow = inspection.ledger.filter((entry) => entry.state === 'folded' && !folded.has(entry.index));
      for (const entry of foldedNow) folded.add(entry.index);

      const prefix = index === 0 ? 0 : Math.min(next.prefix.tokens, after);
      const step = { index, row, before, after, evicted, clamped, folded: foldedNow.length, prefix, cost: requestCost(prefix, after) };
      steps.push(step);
      if (evicted + clamped > 0) findings.push(...checkSecondPass(next, await cascade.next(ask)));
      for (const finding of findings) violations.push({ step: index, ...finding });

      totals.maxBefore = Math.max(totals.maxBefore, before);
      totals.maxAfter = Math.max(totals.maxAfter, after);
      totals.evictions += evicted;
      totals.clamps += clamped;
      totals.folds += foldedNow.length > 0 ? 1 : 0;
      for (const event of next.events) if (event.type === 'context.evicted') totals.reclaimed += event.reclaimedTokens;
      if (index > 0 && prefix < previousAfter) totals.cacheBreaks += 1;
      totals.cost += step.cost;
      totals.costFull += requestCost(Math.min(previousBefore, before), before);
      if (after > inspection.thresholds.usable) totals.over += 1;
      previousAfter = after;
      previousBefore = before;
      onStep?.(step, { index, total: session.steps.length, inspection, next });
      await breathe();
    }
    await verifyHandles(offered, host, totals, violations);
  } finally {
    cascade.close();
  }
  totals.cost = Math.round(totals.cost * 100) / 100;
  totals.costFull = Math.round(totals.costFull * 100) / 100;
  return { file: file ?? null, format: session.format, window: tokens, config, steps, totals, violations };
}

/** Invariant 5: what a handle promises comes back from the store, byte for byte. */
async function verifyHandles(offered, host, totals, violations) {
  for (const [handle, { output, step }] of offered) {
    totals.handles.offered += 1;
    const kept = await host.raw.get(handle, { transcript: 'replay' });
    if (kept === outputText(output)) totals.handles.verified += 1;
    else violations.push({ step, invariant: 5, detail: `the store holds ${kept === null || kept === undefined ? 'nothing' : 'something else'} for a handle that was offered` });
  }
}

function badInput(message) {
  return Object.assign(new Error(message), { name: 'CascadeError', code: 'bad_input' });
}
