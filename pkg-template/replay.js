// @ts-check
// What the cascade would have done in a recorded session at a window of your choice: before each model call of the
// log `next` sees the rows before it, and every view is checked against its input. The log's own counts and
// compactions belong to the log's own window; here they only give overhead and ratio.
// Runs wherever the package runs; knows no files and no terminal.

import { breather, calibrate, frameOf, measureFrame, measureRows, opener } from './calibrate.js';
import { checkRequest, healedSession } from './replay-heal.js';
import { scriptedSummary } from './scripted-summary.js';
import { memoryStore } from './stores/memory.js';
import { checkSecondPass, createChecker, origins } from './violations.js';
import { outputText } from './violations/texts.js';

const READ = 0.1; // price of a token the provider has cached, in input tokens
const WRITE = 1.25; // price of a token it has to cache

/** Cost of one request in input tokens. @param {number} shared tokens shared with the request before @param {number} total */
export const requestCost = (shared, total) => Math.round((READ * shared + WRITE * (total - shared)) * 100) / 100;

/**
 * The `replay --json` object of a session. See the README for the meaning of each field.
 *
 * @param {any} logged what `readSession` returns; what a provider would reject in it is repaired first
 * @param {{ window?: number, maxOutput?: number, config?: object, summarize?: boolean | ((request: any) => any), file?: string,
 *   open?: import('./calibrate.js').Open, signal?: AbortSignal,
 *   onStep?: (step: any, at: { index: number, total: number, inspection: any, next: any }) => void }} [options]
 *   window: tokens, default the log's own; config: as in `open`; summarize: true folds with a briefing made by rule, a
 *   function is the summarizer itself; onStep: called after each step, with what `inspect()` says there (`next` is
 *   absent where the request could not fit)
 * @throws CascadeError `bad_input` without any window, `bad_config` for a config the core refuses
 */
export async function replaySession(logged, { window, maxOutput, config = {}, summarize, file, open: given, signal, onStep } = {}) {
  const open = await opener(given);
  const { session, repaired } = healedSession(logged);
  const tokens = window ?? session.model?.window;
  if (!Number.isSafeInteger(tokens) || tokens <= 0) {
    throw badInput(window === undefined ? 'window: the log does not state one; give the number of tokens' : `window: expected a whole number of tokens above 0, got ${String(window)}`);
  }
  const messages = session.rows.map((row) => row.message);
  const rowTokens = measureRows(messages);
  const frame = frameOf(session);
  const { overhead, ratio, samples } = calibrate(session, rowTokens, await measureFrame(open, frame));
  const estimate = { ...(samples > 0 && { overhead, ratio }), ...config.estimate };
  const host = replayHost(messages, summarize);
  const cascade = await open({
    transcript: 'replay',
    format: 'ai-sdk',
    model: { ...(session.model?.id && { id: session.model.id }), ...(session.model?.provider && { provider: session.model.provider }), window: tokens, ...(maxOutput && { maxOutput }) },
    host,
    config: { ...config, ...(Object.keys(estimate).length > 0 && { estimate }) },
  });

  const { thresholds } = cascade.inspect({ cuts: false });
  const checker = createChecker(promisesOf(config, thresholds, estimate.ratio ?? 1, rowTokens));
  const steps = [];
  const violations = [];
  const offered = new Map(); // handle → { original output, step it was first named at }
  const states = new Map(); // handle → state at the step before
  const totals = { maxBefore: 0, maxAfter: 0, evictions: 0, clamps: 0, drops: 0, digests: 0, folds: 0, reclaimed: 0, cacheBreaks: 0, cost: 0, costFull: 0, over: 0, handles: { offered: 0, verified: 0 } };
  const breathe = breather();
  let previousAfter = 0;
  let previousRows = 0;
  /** @type {any[]} */
  let previousView = [];
  let previousBefore = 0;
  const removed = new Map(); // row → state, of the rows that are in no view any more

  try {
    for (const [index, { row }] of session.steps.entries()) {
      signal?.throwIfAborted();
      const input = messages.slice(0, row);
      const ask = { messages: input, ...(frame && { frame }) };
      const { next, over } = await attempt(cascade, ask);
      const inspection = cascade.inspect({ cuts: false });
      const before = next?.before ?? over.before;
      const after = next?.occupancy.tokens ?? over.tokens;
      const step = { index, row, before, after, evicted: 0, clamped: 0, dropped: 0, digested: 0, folded: 0, prefix: 0, cost: 0 };
      const findings = [];

      for (const entry of inspection.ledger) {
        if (!(entry.state in REMOVED) || removed.get(entry.index) === entry.state) continue;
        removed.set(entry.index, entry.state);
        step[entry.state] += 1;
      }
      if (next) {
        const checked = checker.check({ input, view: next.view, recipe: next.recipe, ledger: inspection.ledger, breakdown: inspection.breakdown, occupancy: next.occupancy, before, after });
        findings.push(...checked.findings);
        // A view that only grew by the host's own rows is as good as the one before.
        const grown = index < session.steps.length - 1 && next.view.length - previousView.length === input.length - previousRows && previousView.every((message, i) => message === next.view[i]);
        if (!grown) findings.push(...checkRequest(input, next.view, origins(next.recipe, input.length).from));
        [previousView, previousRows] = [next.view, input.length];
        for (const edit of checked.edits) {
          if (states.get(edit.handle) !== edit.state) {
            if (edit.state === 'clamped') step.clamped += 1;
            else step.evicted += 1;
            states.set(edit.handle, edit.state);
          }
          if (edit.text.includes(edit.handle) && !offered.has(edit.handle)) offered.set(edit.handle, { output: edit.original, step: index });
        }
        step.prefix = index === 0 ? 0 : Math.min(next.prefix.tokens, after);
        if (step.evicted + step.clamped + step.dropped + step.digested + step.folded > 0) findings.push(...checkSecondPass(next, await cascade.next(ask)));
        await next.background?.run();
      }
      step.cost = requestCost(step.prefix, after);
      steps.push(step);
      for (const finding of findings) violations.push({ step: index, ...finding });

      totals.maxBefore = Math.max(totals.maxBefore, before);
      totals.maxAfter = Math.max(totals.maxAfter, after);
      totals.evictions += step.evicted;
      totals.clamps += step.clamped;
      totals.drops += step.dropped;
      totals.digests += step.digested;
      totals.folds += step.folded > 0 ? 1 : 0;
      for (const event of next?.events ?? []) if (event.type === 'context.evicted') totals.reclaimed += event.reclaimedTokens;
      if (index > 0 && step.prefix < previousAfter) totals.cacheBreaks += 1;
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
  return { file: file ?? null, format: session.format, window: tokens, config, ...(repaired.length > 0 && { repaired }), steps, totals, violations };
}

const REMOVED = { dropped: true, digested: true, folded: true };

/** One `next`; a request that cannot fit is a result of the replay, not its end. @param {any} cascade @param {any} ask @returns {Promise<{ next: any, over: any }>} */
async function attempt(cascade, ask) {
  try {
    return { next: await cascade.next(ask), over: undefined };
  } catch (error) {
    if (error?.code !== 'budget_impossible') throw error;
    return { next: undefined, over: { tokens: error.limit + error.over, before: error.before ?? error.limit + error.over } };
  }
}

/** The rows of the log as the host's own, kept in memory; with a summarizer where one is wanted. @param {any[]} messages @param {any} summarize */
function replayHost(messages, summarize) {
  const answer = typeof summarize === 'function' ? summarize : scriptedSummary;
  return {
    ...memoryStore(),
    rows: (/** @type {any} */ { from, to }) => messages.slice(from, to + 1).map((message, i) => ({ position: from + i, message })),
    ...(summarize && { summarize: answer }),
  };
}

/** What the configuration promises to leave alone, in the checker's words and the measure's own tokens. @param {any} config @param {any} thresholds @param {number} ratio @param {number[]} rowTokens */
function promisesOf({ eviction = {}, summarize = {}, orders = {}, limits = {} }, { soft, usable }, ratio, rowTokens) {
  return {
    keepRecentRounds: eviction.keepRecentRounds,
    limited: Object.keys(limits ?? {}).length > 0,
    keepRecent: summarize.keepRecent,
    keepRounds: summarize.keepRounds,
    tailTokens: Math.floor((0.9 * (summarize.tailTokens ?? Math.min(20_000, Math.floor(soft / 2)))) / ratio),
    orderTokens: orders.enabled === false ? 0 : orders.tokens ?? Math.min(20_000, Math.floor(usable / 10)),
    tokens: (/** @type {number} */ row) => rowTokens[row],
  };
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
