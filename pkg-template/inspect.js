// @ts-check
// What fills the window of a recorded session, step by step, and how far the gauge was off from what the provider
// counted. It walks the windows the log itself had (its own compactions included) and relieves nothing.
// Runs wherever the package runs; knows no files and no terminal.

import { open as openPackage } from './inline.js';
import { breather, calibrate, frameOf, measureRows, percentile, segmentsWithSteps } from './calibrate.js';
import { memoryStore } from './stores/memory.js';

/** Every stage that would change a view is off: the log's window is looked at, not managed. */
const LOOK_ONLY = { eviction: { enabled: false }, toolOutput: { maxChars: 2_000_000_000 } };

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
  if (!id) return undefined;
  const known = session.model?.id === id ? session.model : undefined;
  const provider = step?.provider ?? known?.provider;
  const window = session.model?.window;
  return { id, ...(provider && { provider }), ...(window && { window }) };
};

/**
 * The `inspect --json` object of a session.
 *
 * `estimate` of a step is the gauge just before that step's real count is known, anchored on the one before; the
 * first step has no anchor, hence no `error`. Errors are |estimate − real| / real. The breakdown is the one at the
 * largest real count, without real counts at the largest estimate.
 *
 * @param {any} session what `readSession` returns
 * @param {{ file?: string, open?: typeof openPackage, signal?: AbortSignal,
 *   onStep?: (step: any, at: { index: number, total: number }) => void }} [options]
 */
export async function inspectSession(session, { file, open = openPackage, signal, onStep } = {}) {
  const messages = session.rows.map((row) => row.message);
  const total = session.steps.length;
  const steps = [];
  const breathe = breather();
  const reals = session.steps.map((step) => (step.usage?.input > 0 ? step.usage.input : 0));
  const largestReal = Math.max(0, ...reals);
  const frame = frameOf(session);
  let learned; // what one window of the log taught, for the next one
  let largest;
  let windowInfo;

  for (const segment of segmentsWithSteps(session)) {
    if (segment.steps.length === 0) continue;
    const firstStep = session.steps[segment.steps[0]];
    let model = modelOf(session, firstStep);
    const cascade = await open({
      transcript: 'inspect', format: 'ai-sdk', model, host: memoryStore(),
      config: { ...LOOK_ONLY, ...(learned && { estimate: learned }) },
    });
    try {
      for (const s of segment.steps) {
        signal?.throwIfAborted();
        const { row, usage } = session.steps[s];
        const now = modelOf(session, session.steps[s]);
        if (now && model && now.id !== model.id) {
          model = now;
          cascade.set({ model });
        }
        const input = [...segment.head, ...messages.slice(segment.start, row)];
        const next = await cascade.next({ messages: input, ...(frame && { frame }) });
        const estimate = next.occupancy.tokens;
        const step = { index: s, row, estimate };
        if (reals[s] > 0) {
          step.real = { input: usage.input, cacheRead: usage.cacheRead ?? 0, cacheWrite: usage.cacheWrite ?? 0, output: usage.output ?? 0 };
          if (learned || next.occupancy.provenance !== 'estimated') step.error = Math.abs(estimate - reals[s]) / reals[s];
          await cascade.settle({ usage: { inputTokens: usage.input, ...(usage.output && { outputTokens: usage.output }), ...(usage.reasoning && { reasoningTokens: usage.reasoning }) } });
        }
        steps.push(step);
        const isLargest = largestReal > 0 ? reals[s] === largestReal && !largest : s === segment.steps.at(-1) && !(largest?.total > estimate);
        if (isLargest) {
          const { breakdown, window } = cascade.inspect();
          largest = breakdown;
          windowInfo = window;
        }
        onStep?.(step, { index: s, total });
        await breathe();
      }
      const { estimate } = cascade.inspect();
      if (estimate && steps.some((step) => step.real)) learned = { overhead: estimate.overhead, ratio: estimate.ratio };
    } finally {
      cascade.close();
    }
  }
  if (!largest) {
    const cascade = await open({ transcript: 'inspect', format: 'ai-sdk', model: modelOf(session), host: memoryStore(), config: LOOK_ONLY });
    await cascade.next({ messages, ...(frame && { frame }) });
    ({ breakdown: largest, window: windowInfo } = cascade.inspect());
    cascade.close();
  }

  const errors = steps.flatMap((step) => (step.error === undefined ? [] : [step.error]));
  const ratio = learned?.ratio ?? calibrate(session, measureRows(messages)).ratio;
  return {
    file: file ?? null,
    format: session.format,
    model: session.model?.id ?? null,
    ...countUnits(session),
    window: windowInfo.tokens,
    windowSource: session.model?.window ? 'log' : windowInfo.source,
    steps,
    estimate: {
      medianAbsError: errors.length ? percentile(errors, 0.5) : null,
      p95AbsError: errors.length ? percentile(errors, 0.95) : null,
      maxAbsError: errors.length ? Math.max(...errors) : null,
      ratio,
    },
    breakdown: largest,
    healed: session.healed ?? [],
  };
}
