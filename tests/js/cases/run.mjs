// Runs one case through the package and gathers what its checks look at (the world). One function per `op`; the checks
// know nothing of how a world came about.
import { open } from '../../../pkg/inline.js';
import { count, plan } from '../../../pkg/pure.js';
import { memoryStore } from '../../../pkg/stores/memory.js';
import { configOf, modelOf, rowsOf } from './config.mjs';

/**
 * @typedef {object} World
 * @property {any} one the case
 * @property {readonly any[]} messages the input rows
 * @property {readonly any[]} [view] what would be sent
 * @property {string} [outcome] in the words of the cases: done, declined, folded, cannot_fit …
 * @property {string} [reason]
 * @property {any} [next] the whole answer of `next` or `plan`
 * @property {any} [inspection]
 * @property {Record<string, number>} calls of each host callback
 * @property {any[]} requests handed to the summarizer
 * @property {Map<string, string>} raw stored full texts
 * @property {Record<string, any>} values what paths like `inputTokens` or `counts[0]` read
 * @property {string} [text] a clamped text
 * @property {any} [output] a clamped output
 */

/** @param {any} one @returns {World} */
export function newWorld(one) {
  return { one, messages: rowsOf(one).messages, calls: {}, requests: [], raw: new Map(), values: {} };
}

/** A host in memory whose calls are counted. @param {World} world @param {any} [more] further callbacks */
export function hostOf(world, more = {}) {
  const { summary, summarizer } = world.one.input;
  const store = memoryStore();
  const counted = (/** @type {string} */ name, /** @type {Function} */ run) => (/** @type {any[]} */ ...args) => {
    world.calls[name] = (world.calls[name] ?? 0) + 1;
    return run(...args);
  };
  return {
    ...store,
    raw: {
      ...store.raw,
      put: counted('raw.put', (/** @type {string} */ key, /** @type {string} */ text, /** @type {any} */ context) => {
        world.raw.set(key, text);
        return store.raw.put(key, text, context);
      }),
    },
    ...(summary === undefined && summarizer === undefined ? {} : { summarize: counted('summarize', (/** @type {any} */ request) => (world.requests.push(request), { text: summary ?? summarizer?.text ?? '' })) }),
    ...Object.fromEntries(Object.entries(more).map(([name, run]) => [name, counted(name, run)])),
  };
}

/** A session on the case's config and model. @param {World} world @param {any} [options] for `open` */
export function openCase(world, options = {}) {
  const { one } = world;
  const format = one.format === 'rows' || one.format === 'trace' ? 'ai-sdk' : one.format;
  return open({ transcript: one.id, format, model: modelOf(one), config: configOf(one), host: hostOf(world, options.more), ...options });
}

/** What the stages answered, in the words of the cases. @param {World} world @param {any} next */
export function takeNext(world, next) {
  world.next = next;
  world.view = next.view;
  const { stage, outcome, reason } = next.outcomes.findLast((/** @type {any} */ o) => o.outcome === 'done') ?? next.outcomes.at(-1) ?? {};
  world.outcome = outcome === undefined ? 'none' : outcome === 'done' && stage === 'fold' ? 'folded' : outcome;
  world.reason = reason;
  Object.assign(world.values, { inputTokens: next.occupancy?.tokens, tokens: next.occupancy?.tokens, source: next.occupancy?.provenance });
}

/** One `next`; a request that cannot fit is an outcome like any other. @param {World} world */
async function oneNext(world) {
  const cascade = await openCase(world);
  const { messages, positions } = rowsOf(world.one);
  try {
    const force = world.one.input.config?.force && typeof cascade.compact === 'function';
    takeNext(world, force ? await cascade.compact({ messages, positions }) : await cascade.next({ messages, positions }));
  } catch (error) {
    if (error?.code !== 'budget_impossible') throw error;
    Object.assign(world, { outcome: 'cannot_fit', error });
  }
  world.inspection = cascade.inspect();
  cascade.close();
}

/** A plan over the whole list whose real count is known. @param {World} world */
function onePlan(world) {
  const { usage, config } = world.one.input;
  if (usage?.atMessage !== undefined || config?.force) return oneNext(world);
  const { messages, positions } = rowsOf(world.one);
  const planned = plan({ messages, positions, format: world.one.format === 'rows' ? 'ai-sdk' : world.one.format, model: modelOf(world.one), config: configOf(world.one), ...(usage && { occupancy: usage.inputTokens }) });
  for (const { handle, text } of planned.spill) world.raw.set(handle, text);
  takeNext(world, planned);
  world.inspection = planned;
}

/** @type {Record<string, (world: World) => unknown>} */
export const OPS = {
  fold: oneNext,
  evict: onePlan,
  cascade: oneNext,
  limit: oneNext,
  assemble_step: oneNext,

  async truncate(world) {
    const { output, toolCallId, config } = world.one.input;
    const cascade = await openCase(world);
    const shortened = await cascade.result({ callId: toolCallId, tool: 'read', output });
    cascade.close();
    world.output = shortened.output;
    // A cap in bytes is the raw store's; one in characters is the view's.
    world.text = config.maxBytes === undefined ? serialised(shortened.output) : world.raw.get(toolCallId);
    world.shortened = shortened;
  },

  async estimate_each(world) {
    world.values.variants = {};
    for (const [name, messages] of Object.entries(world.one.input.variants)) {
      const cascade = await openCase(world);
      await cascade.next({ messages });
      const attachments = cascade.inspect().breakdown.buckets.find((/** @type {any} */ b) => b.id === 'attachments');
      world.values.variants[name] = { attachmentTokens: attachments.tokens };
      cascade.close();
    }
  },

  async count_and_fold(world) {
    world.values.counts = count(world.messages, { counter: 'chars4' }).rows;
    await oneNext(world);
  },
};

/** The text of an output, or the JSON text of its value. @param {any} output */
export function serialised(output) {
  const value = output?.value ?? output;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
