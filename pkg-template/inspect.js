// @ts-check
// What fills the window of a recorded session, step by step, and how far the gauge was off from what the provider
// counted. It walks the windows the log itself had (its own compactions included) and relieves nothing.
// Runs wherever the package runs; knows no files and no terminal.

import { breather, calibrate, frameOf, measureRows, opener, percentile, segmentsWithSteps } from './calibrate.js';
import { breakdown } from './pure-api.js';

/** The log's window is looked at, not managed: no stage may act, and no threshold is ever reached. */
const LOOK_ONLY = { eviction: { enabled: false }, toolOutput: { maxChars: 2_000_000_000 } };
const ROOMY = 2_000_000_000;

/** Rounds = assistant rows, turns = user rows. @param {any} session */
export function countUnits(session) {
  const roles = session.rows.map(({ message }) => message.role);
  return {
    rows: roles.length,
    rounds: roles.filter((role) => role === 'assistant').length,
    turns: roles.filter((role) => role === 'user').length,
  };
}

const modelOf = (session, step) => {
  const id = step?.model ?? session.model?.id;
  if (!id) return { id: 'unnamed' }; // the core then assumes a window, and says so
  const known = session.model?.id === id ? session.model : undefined;
  const provider = step?.provider ?? known?.provider;
  const window = session.model?.window;
  return { id, ...(provider && { provider }), ...(window && { window }) };
};

/** The log's count in the words `settle` reads. */
const asUsage = ({ input, output, reasoning }) => ({ inputTokens: input, ...(output && { outputTokens: output }), ...(reasoning && { reasoningTokens: reasoning }) });

/** Zero is nobody's count. */
const realInput = ({ usage }) => (usage?.input > 0 ? usage.input : 0);

/**
 * The `inspect --json` object of a session.
 *
 * `estimate` of a step is the gauge just before that step's real count is known, anchored on the one before. The first
 * step of a window of the log (the very first, and after a compaction) has no anchor, hence no `error`. Errors are
 * |estimate − real| / real. The breakdown is the one at the largest real count, without real counts at the largest
 * estimate.
 *
 * @param {any} session what `readSession` returns
 * @param {{ file?: string, open?: import('./calibrate.js').Open, signal?: AbortSignal,
 *   onStep?: (step: any, at: { index: number, total: number }) => void }} [options]
 */
export async function inspectSession(session, { file, open: given, signal, onStep } = {}) {
  const open = await opener(given);
  const messages = session.rows.map((row) => row.message);
  const largestReal = Math.max(0, ...session.steps.map(realInput));
  const frame = frameOf(session);
  const breathe = breather();
  const steps = [];
  let learned; // what one window of the log taught, for the next one
  let largest; // the buckets at the largest step, and its count

  for (const segment of segmentsWithSteps(session)) {
    if (segment.steps.length === 0) continue;
    let model = modelOf(session, session.steps[segment.steps[0]]);
    const cascade = await open({
      transcript: 'inspect', format: 'ai-sdk', host: {}, model: { ...model, window: ROOMY },
      config: { ...LOOK_ONLY, ...(learned && { estimate: learned }) },
    });
    try {
      for (const index of segment.steps) {
        signal?.throwIfAborted();
        const { row, usage, ...called } = session.steps[index];
        const now = modelOf(session, called);
        if (now.id !== model.id) {
          model = now;
          cascade.set({ model: { ...model, window: ROOMY } });
        }
        const { occupancy } = await cascade.next({ messages: [...segment.head, ...messages.slice(segment.start, row)], ...(frame && { frame }) });
        const step = { index, row, estimate: occupancy.tokens };
        const real = realInput(session.steps[index]);
        if (real > 0) {
          step.real = { input: real, cacheRead: usage.cacheRead ?? 0, cacheWrite: usage.cacheWrite ?? 0, output: usage.output ?? 0 };
          if (occupancy.provenance !== 'estimated') step.error = Math.abs(step.estimate - real) / real;
          await cascade.settle({ usage: asUsage(usage) });
        }
        steps.push(step);
        const isLargest = largestReal > 0 ? real === largestReal : index === segment.steps.at(-1) && !(largest?.tokens >= step.estimate);
        if (isLargest) largest = { buckets: cascade.inspect().breakdown.buckets, tokens: real || step.estimate, real, model };
        onStep?.(step, { index, total: session.steps.length });
        await breathe();
      }
      const { estimate } = cascade.inspect();
      if (estimate && steps.some((step) => step.real)) learned = { overhead: estimate.overhead, ratio: estimate.ratio };
    } finally {
      cascade.close();
    }
  }
  largest ??= await withoutCalls(open, session, messages, frame);

  const errors = steps.flatMap((step) => (step.error === undefined ? [] : [step.error]));
  const fill = breakdown({ buckets: largest.buckets, ...(largest.real && { real: largest.real }), model: largest.model });
  const ratio = learned?.ratio ?? calibrate(session, measureRows(messages)).ratio;
  return {
    file: file ?? null,
    format: session.format,
    model: session.model?.id ?? null,
    ...countUnits(session),
    window: fill.window,
    windowSource: session.model?.window ? 'log' : fill.assumed ? 'assumed' : 'table',
    steps,
    estimate: {
      medianAbsError: errors.length ? percentile(errors, 0.5) : null,
      p95AbsError: errors.length ? percentile(errors, 0.95) : null,
      maxAbsError: errors.length ? Math.max(...errors) : null,
      ratio,
    },
    breakdown: fill,
    healed: session.healed ?? [],
  };
}

/** A list that no model has answered yet still fills a window. */
async function withoutCalls(open, session, messages, frame) {
  const model = modelOf(session);
  const cascade = await open({ transcript: 'inspect', format: 'ai-sdk', host: {}, model: { ...model, window: ROOMY }, config: LOOK_ONLY });
  try {
    await cascade.next({ messages, ...(frame && { frame }) });
    return { buckets: cascade.inspect().breakdown.buckets, real: 0, model };
  } finally {
    cascade.close();
  }
}
