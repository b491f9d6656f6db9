// The gauge just before each real count of a session is known, by the package and by its peers: |estimate − real| / real.
import { open } from '../../../pkg/inline.js';
import { COUNTERS, counted, textsOf } from './counters.mjs';

const LOOK_ONLY = { eviction: { enabled: false }, summarize: { enabled: false }, cascade: { enabled: false }, digest: { atFraction: 1 }, toolOutput: { maxChars: 2_000_000_000 } };
const WINDOW = 2_000_000_000;
/** Reasoning is not what the peers count. */
const sizes = (/** @type {any} */ message) => Object.fromEntries(Object.entries(COUNTERS).map(([name, of]) => [name, textsOf(message).reduce((n, [text, kind]) => n + (kind === 'reasoning' || text === '' ? 0 : of(text)), 0)]));
const plus = (/** @type {any} */ a, /** @type {any} */ b) => Object.fromEntries(Object.keys(a).map((key) => [key, a[key] + b[key]]));
const zero = () => Object.fromEntries(Object.keys(COUNTERS).map((key) => [key, 0]));

/**
 * @param {any} session @param {{ exact: boolean }} options exact: by the vocabulary's sizes, else by character classes
 * @returns {Promise<{ errors: Record<string, number[]>, cold: Record<string, number[]>, n: number }>}
 */
export async function judgeSession(session, { exact }) {
  const rows = session.rows.map((/** @type {any} */ row) => row.message);
  const shown = exact ? rows.map(counted) : rows;
  const weights = rows.map(sizes);
  /** @type {Record<string, number[]>} */
  const errors = {};
  /** @type {Record<string, number[]>} */
  const cold = {};
  const note = (/** @type {Record<string, number[]>} */ into, /** @type {string} */ name, /** @type {number} */ estimate, /** @type {number} */ real) => (into[name] ??= []).push(Math.abs(estimate - real) / real);
  let n = 0;
  /** @type {any} */
  let state;
  for (const [at, segment] of session.segments.entries()) {
    const until = session.segments[at + 1]?.start ?? Infinity;
    const steps = session.steps.filter((/** @type {any} */ step) => step.usage?.input > 0 && step.row >= segment.start && step.row < until);
    if (steps.length === 0) continue;
    const head = exact ? segment.head.map(counted) : segment.head;
    const headSize = segment.head.map(sizes).reduce(plus, zero());
    const sizeAt = (/** @type {number} */ row) => weights.slice(segment.start, row).reduce(plus, headSize);
    const modelOf = (/** @type {any} */ step) => ({ id: step.model ?? session.model?.id ?? 'unnamed', ...(step.provider ?? session.model?.provider ? { provider: step.provider ?? session.model?.provider } : {}), window: WINDOW });
    const start = { transcript: 'bench', format: 'ai-sdk', host: {}, model: modelOf(steps[0]), config: LOOK_ONLY };
    const cascade = await open({ ...start, ...(state && { state: { ...state, boundary: null, entries: {}, folds: [], blocks: [] } }) });
    const unanchored = await open(start);
    /** @type {any} */
    let before;
    /** @type {any} */
    let first;
    for (const step of steps) {
      const real = step.usage.input;
      const model = modelOf(step);
      if (before && before.model.id !== model.id) {
        cascade.set({ model });
        unanchored.set({ model });
      }
      const messages = [...head, ...shown.slice(segment.start, step.row)];
      const { occupancy } = await cascade.next({ messages });
      const size = sizeAt(step.row);
      if (before && before.model.id === model.id) {
        n += 1;
        note(errors, 'ours', occupancy.tokens, real);
        for (const name of Object.keys(COUNTERS)) note(errors, `anchored ${name}`, before.real + size[name] - before.size[name], real);
        note(errors, 'last count alone', before.real, real);
        const guess = await unanchored.next({ messages });
        note(cold, 'ours', first.real + guess.occupancy.tokens - first.guess, real);
        for (const name of Object.keys(COUNTERS)) note(cold, name, first.real + size[name] - first.size[name], real);
      } else {
        first = { real, size, guess: (await unanchored.next({ messages })).occupancy.tokens };
      }
      await cascade.settle({ usage: { inputTokens: real, ...(step.usage.output && { outputTokens: step.usage.output }), ...(step.usage.reasoning && { reasoningTokens: step.usage.reasoning }) } });
      before = { real, size, model };
    }
    state = cascade.state;
    cascade.close();
    unanchored.close();
  }
  return { errors, cold, n };
}
