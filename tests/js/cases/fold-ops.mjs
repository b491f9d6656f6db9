// The ops of the cases about folds, on the package itself and a store in memory. A case that is about a fold alone runs
// with the other stages off; one that is about when to fold keeps them.
import { open, runFold } from '../../../pkg/inline.js';
import { configOf, modelOf, rowsOf } from './config.mjs';
import { asked, longer, ordersIn, partsOfOrigin, rowsInView, tokensOf } from './fold-rows.mjs';
import { hostOf } from './run.mjs';

/** @typedef {import('./run.mjs').World} World */

const FOLD_ALONE = { eviction: { enabled: false, clearAtLeast: 0 }, cascade: { enabled: false } };
const ROOMY = 1_000_000_000;

/** The summarizer a case describes. @param {World} world @returns {((request: any) => any) | undefined} */
function summarizerOf(world) {
  const { summary, summarizer, summarizerReturns } = world.one.input;
  switch (summarizer?.kind) {
    case 'echo_previous_plus': {
      let line = 0;
      const more = () => Array.from({ length: summarizer.addTokens / 10 }, () => `- fact ${(line += 1)} `.padEnd(39, 'z')).join('\n');
      return ({ previous }) => ({ text: [previous, more()].filter(Boolean).join('\n') });
    }
    case 'copy_first_chars':
      return (request) => ({ text: request.covered.slice(0, summarizer.n) });
    case 'overflow_above_tokens':
      return (request) => {
        if (tokensOf(asked(request)) > summarizer.tokens) throw new Error('the prompt is too long');
        return { text: summary };
      };
    default:
      return summarizerReturns === undefined ? undefined : () => ({ text: summarizerReturns });
  }
}

/** A host whose summarizer is the case's, and who writes down what was asked and what was answered. @param {World} world @param {any} [more] */
export function foldHost(world, more = {}) {
  const scripted = more.summarize ?? summarizerOf(world) ?? (() => ({ text: world.one.input.summary ?? 's' }));
  world.answered = [];
  const summarize = async (/** @type {any} */ request) => {
    world.requests.push(request);
    const answer = await scripted(request);
    world.answered.push(request);
    return answer;
  };
  return hostOf(world, { ...more, summarize });
}

/** @param {World} world @param {any} host @param {{ config?: any, model?: any }} [over] */
export function openFold(world, host, { config = {}, model = {} } = {}) {
  const own = configOf(world.one);
  const merged = Object.fromEntries([...new Set([...Object.keys(own), ...Object.keys(config)])].map((key) => [key, { ...own[key], ...config[key] }]));
  return open({ transcript: world.one.id, format: 'ai-sdk', model: { ...modelOf(world.one), ...model }, config: merged, host });
}

/** Says what the whole list weighs before anything is relieved. @param {any} c @param {World} world @param {any} list @param {number} tokens */
async function weigh(c, world, list, tokens) {
  const model = modelOf(world.one);
  c.set({ config: { summarize: { enabled: false } }, model: { ...model, window: ROOMY } });
  await c.next(list);
  await c.settle({ usage: { inputTokens: tokens } });
  c.set({ config: { summarize: { enabled: true } }, model });
}

/** What became of the fold, the others aside. @param {World} world @param {any} next @param {any[]} [events] of the background */
export function takeFold(world, next, events = []) {
  world.next = next;
  world.view = next.view;
  const told = events.find((e) => e.type === 'context.folded' || e.type === 'context.declined');
  const { outcome, reason } = next.outcomes.find((/** @type {any} */ o) => o.stage === 'fold') ?? {};
  const folded = told ? told.type === 'context.folded' : outcome === 'done';
  world.outcome = folded ? 'folded' : told ? 'declined' : (outcome ?? 'none');
  world.reason = told?.reason ?? reason;
}

/** One fold now: asked for, due at hard, or due at soft and made in the background. @param {World} world @param {any} c @param {any} list */
async function foldNow(world, c, list) {
  if (world.one.input.config?.force) return takeFold(world, await c.compact(list));
  const next = await c.next(list);
  if (!next.background) return takeFold(world, next);
  const events = await next.background.run();
  takeFold(world, await c.next(list), events);
}

/** Rows of a case, positions beside them. @param {World} world @param {number} [chars] */
function worthFolding(world, chars) {
  const { messages, positions } = rowsOf(world.one);
  world.messages = messages.map((m) => longer(m, chars));
  world.positions = positions;
  return { messages: world.messages, positions };
}

/** A window that the lengthened rows of a small case fill beyond soft. */
const SMALL = { window: 10_000, maxOutput: 0 };

/** @type {Record<string, (world: World) => unknown>} */
export const FOLD_OPS = {
  /** Plan and apply with the summarizer of the case; a checkpoint among the rows is made first. */
  async fold(world) {
    const host = foldHost(world);
    const { rows, usage } = world.one.input;
    const stored = rows?.find((/** @type {any} */ row) => row.checkpoint);
    const list = stored ? await withCheckpoint(world, host, stored) : rowsOf(world.one);
    const c = await openFold(world, host, { config: FOLD_ALONE });
    if (usage) await weigh(c, world, list, usage.inputTokens);
    await foldNow(world, c, list);
    Object.assign(world, { messages: list.messages, positions: list.positions, inspection: c.inspect(), state: c.state });
    const orders = ordersIn(world.view ?? []);
    world.values.pinned = { lastUserText: orders.match(/\n\[row \d+\]\n([\s\S]*?)\n(?=\n\[row|<\/standing_orders>)/g)?.at(-1)?.trim().replace(/^\[row \d+\]\n/, '') };
    c.close();
  },

  /** Three steps of a conversation whose system prompt and tools fill the window, or numbers alone. */
  async policy(world) {
    const { messages = [{ role: 'user', content: 'hi' }], overhead, usage, steps } = world.one.input;
    const frame = overhead && { tools: [{ name: 'read', source: 'builtin', schema: 'x'.repeat(overhead.toolsTokens * 4) }] };
    const c = await openFold(world, foldHost(world));
    let list = messages;
    for (let step = 0; step < steps; step += 1) {
      takeFold(world, await c.next({ messages: list, ...(frame && { frame }) }));
      await c.settle({ usage });
      list = [...list, { role: 'assistant', content: [{ type: 'text', text: 'yes' }] }, { role: 'user', content: 'and now' }];
    }
    takeFold(world, await c.next({ messages: list }));
    const { usable, soft, hard } = c.inspect().thresholds;
    world.values.usableInput = usable;
    world.thresholds = { soft, hard, usableInput: usable, window: c.inspect().window.tokens };
    c.close();
  },

  async policy_trace(world) {
    await (world.one.input.steps[0].foldWouldReclaim === undefined ? refusedRequests(world) : smallGains(world));
  },

  /** Passes over a growing conversation, each with the briefing of the one before. */
  async fold_chain(world) {
    const { passes, spanTokens } = world.one.input;
    const c = await openFold(world, foldHost(world), { config: FOLD_ALONE });
    let messages = [{ role: 'user', content: 'go' }];
    world.values.passes = [];
    for (let pass = 0; pass < passes; pass += 1) {
      const round = (/** @type {number} */ i) => [
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: `p${pass}r${i}`, toolName: 'read', input: {} }] },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId: `p${pass}r${i}`, toolName: 'read', output: { type: 'text', value: `${pass}.${i} `.padEnd(spanTokens / 5 * 4, 'q') } }] },
      ];
      messages = [...messages, ...[0, 1, 2, 3, 4].flatMap(round), { role: 'assistant', content: [{ type: 'text', text: `pass ${pass} done` }] }];
      const before = (await c.next({ messages })).occupancy.tokens;
      const next = await c.compact({ messages });
      takeFold(world, next);
      world.values.passes.push({ outcome: world.outcome, before, after: next.occupancy.tokens, summary: c.state.folds.at(-1)?.summary, storedSummaryTokens: tokensOf(c.state.folds.at(-1)?.summary ?? '') });
    }
    c.close();
  },

  /** Folds with rows appended between; what the host's store holds is read off its calls. */
  async fold_chain_rows(world) {
    const { folds, appendBetween } = world.one.input;
    const c = await openFold(world, foldHost(world), { config: FOLD_ALONE });
    let { messages, positions } = worthFolding(world);
    world.before = [...messages];
    const records = [];
    for (let n = 0; n < folds; n += 1) {
      if (n > 0) {
        messages = [...messages, ...appendBetween.map((/** @type {any} */ m) => longer({ ...m }))];
        positions = messages.map((_, i) => i + 1);
      }
      takeFold(world, await c.compact({ messages, positions }));
      records.push(world.outcome);
    }
    Object.assign(world, { messages, positions, records: c.state.folds.length, outcomes: records });
    c.close();
  },

  /** A driver run per answer of the summarizer. */
  async fold_cases(world) {
    const list = rowsOf(world.one);
    world.each = [];
    for (const summary of world.one.input.summaries) {
      const host = foldHost(world, { summarize: () => (typeof summary === 'string' ? { text: summary } : summary) });
      const c = await openFold(world, host, { config: FOLD_ALONE });
      takeFold(world, await c.compact(list));
      world.each.push({ outcome: world.outcome, reason: world.reason, view: world.view, boundary: c.state.boundary });
      c.close();
    }
  },

  /** A plan that travelled, and claims to cover a row it keeps. */
  async commit(world) {
    const { plan } = world.one.input;
    const list = worthFolding(world);
    const rows = () => list.messages.map((message, i) => ({ position: list.positions[i], message }));
    const host = foldHost(world, { rows });
    const keep = { config: { ...FOLD_ALONE, summarize: { keepRecent: list.messages.length - plan.keepFrom, tailTokens: ROOMY } }, model: SMALL };
    const c = await openFold(world, host, keep);
    const { ticket } = (await c.next(list)).background;
    c.close();
    world.values.derived = { coveredPosition: ticket.plan.covered };
    const events = await runFold({ ...ticket, plan: { ...ticket.plan, covered: plan.claimedCoveredPosition } }, host);
    takeFold(world, { outcomes: [], view: list.messages }, events);
    world.stored = await host.load({ transcript: world.one.id });
  },

  /** The transaction while something happens: the store fails, a row is typed, the conversation is cleared. */
  async commit_trace(world) {
    const { during = [], variants = [] } = world.one.input;
    await oneTrace(world, during);
    world.variants = [];
    for (const variant of variants) {
      const twin = { ...world, requests: [], calls: {}, raw: new Map(), values: {} };
      await oneTrace(twin, variant.during);
      world.variants.push(twin.outcome);
    }
  },

  /** A stored state that says the rows are replaced, with nothing in their place. */
  async commit_replacement(world) {
    const { before } = world.one.input;
    // The turn goes on: a list that ended with the boundary would be taken for one that was rewound.
    const messages = [...before.map((/** @type {any} */ row) => row.message), { role: 'assistant', content: [{ type: 'text', text: 'Bug 12 is fixed.' }] }];
    const positions = [...before.map((/** @type {any} */ row) => row.pos), before.length + 1];
    const host = foldHost(world);
    await host.commit({ blob: JSON.stringify({ v: 1, boundary: before.length, folds: [] }), expect: null }, { transcript: world.one.id });
    const c = await openFold(world, host, { model: SMALL });
    Object.assign(world, { messages, before: structuredClone(messages) });
    try {
      takeFold(world, await c.next({ messages, positions }));
    } catch (error) {
      Object.assign(world, { outcome: 'declined', reason: error.code === 'unaccounted_row' ? 'lost_unfolded_rows' : error.code });
    }
    c.close();
  },

  /** A conversation whose fold is stored is opened again, with a row among its rows that was never stored. */
  async replay(world) {
    const { checkpoint } = world.one.input;
    const list = worthFolding(world);
    const host = foldHost(world, { summarize: () => ({ text: checkpoint.summary }) });
    const durable = list.positions.flatMap((p, i) => (p === null ? [] : [i]));
    const keepRecent = durable.length - list.positions.filter((p) => p !== null && p <= checkpoint.coveredPosition).length;
    const first = await openFold(world, host, { config: { ...FOLD_ALONE, summarize: { keepRecent, tailTokens: ROOMY } }, model: SMALL });
    await first.compact({ messages: durable.map((i) => list.messages[i]), positions: durable.map((i) => list.positions[i]) });
    if (first.state.boundary !== checkpoint.coveredPosition) throw new Error(`the fold covers ${first.state.boundary}`);
    first.close();
    const c = await openFold(world, host, { config: FOLD_ALONE });
    takeFold(world, await c.next(list));
    c.close();
  },

  /** Items in which the provider folded by itself. */
  async assemble_items(world) {
    const c = await open({ transcript: world.one.id, format: world.one.format, model: modelOf(world.one), config: configOf(world.one), host: hostOf(world) });
    world.messages = world.one.input.items;
    takeFold(world, await c.next({ messages: world.messages }));
    c.close();
  },

  async standing_orders(world) {
    const { orders, messages, discard = [], folds = 1, maxTokens } = world.one.input;
    const c = await openFold(world, foldHost(world), { config: { ...FOLD_ALONE, orders: { tokens: maxTokens } } });
    const says = (/** @type {string} */ text) => longer({ role: 'assistant', content: [{ type: 'text', text }] });
    let list = messages
      ? messages.map((/** @type {any} */ m, /** @type {number} */ i) => ({ position: i, message: discard.includes(i) ? { ...m, providerOptions: { 'gentle-cascade': { origin: 'host' } } } : longer(m) }))
      : [...orders].sort((a, b) => a.pos - b.pos).flatMap(({ pos, text }) => [{ position: pos, message: { role: 'user', content: text } }, { position: pos + 1, message: says('yes') }]);
    if (orders) c.set({ orderKeys: Object.fromEntries(orders.filter((/** @type {any} */ o) => o.key).map((/** @type {any} */ o) => [o.pos, o.key])) });
    world.rendered = [];
    for (let n = 0; n < folds; n += 1) {
      const last = list.at(-1).position;
      list = [...list, { position: last + 1, message: says(`working ${n}`) }];
      takeFold(world, await c.compact({ messages: list.map((r) => r.message), positions: list.map((r) => r.position) }));
      if (world.outcome !== 'folded') throw new Error(`fold ${n}: ${world.outcome} ${world.reason}`);
      world.rendered.push(ordersIn(world.view));
    }
    world.values.pinned = world.rendered.at(-1);
    c.close();
  },
};

/** Makes the fold that a checkpoint row stands for, and hands back the rows behind it. @param {World} world @param {any} host @param {any} stored */
async function withCheckpoint(world, host, stored) {
  const { messages, positions } = rowsOf(world.one);
  const from = positions.findIndex((p) => p >= stored.checkpoint.firstKept);
  const keep = { keepRounds: 0, keepRecent: messages.length - from, tailTokens: ROOMY };
  const first = await openFold(world, { ...host, summarize: () => ({ text: stored.checkpoint.summary }) }, { config: { ...FOLD_ALONE, summarize: keep }, model: { window: ROOMY } });
  await first.compact({ messages: messages.map((m, i) => (i < from ? longer(m) : m)), positions });
  if (first.state.boundary !== positions[from - 1]) throw new Error(`the first fold covers ${first.state.boundary}`);
  first.close();
  world.requests.length = 0;
  return { messages: messages.slice(from), positions: positions.slice(from) };
}

/** Each fold would free little: what may be folded grows by that much, since pins are let go one by one. @param {World} world */
async function smallGains(world) {
  const { steps } = world.one.input;
  const says = (/** @type {number} */ tokens, /** @type {string} */ name) => ({ role: 'assistant', content: [{ type: 'text', text: `${name} `.padEnd(tokens * 4, 'w') }] });
  // The first row pays for its briefing; one more would be worth a fold.
  const sizes = [steps[0].foldWouldReclaim + 200, ...steps.slice(1).map((/** @type {any} */ s) => s.foldWouldReclaim), 2_500];
  const mass = steps[0].inputTokens - sizes.reduce((a, b) => a + b, 0) - 2;
  const messages = [{ role: 'user', content: 'go' }, ...sizes.map((n, i) => says(n, `part ${i}`)), says(mass, 'mass'), { role: 'user', content: 'on' }];
  const c = await openFold(world, foldHost(world), { config: { eviction: { enabled: false }, cascade: { enabled: false } } });
  world.steps = [];
  for (const [n, step] of steps.entries()) {
    c.set({ pin: messages.map((_, i) => i).slice(2 + n, -1) });
    await weigh(c, world, { messages }, step.inputTokens);
    takeFold(world, await c.next({ messages }));
    world.steps.push({ outcome: world.outcome, reason: world.reason });
  }
  const calls = { ...world.calls };
  c.set({ pin: [messages.length - 2] });
  takeFold(world, await c.next({ messages }));
  world.rearmed = world.outcome;
  world.calls = calls;
  c.close();
}

/** A request that overflows because of the room kept for the answer, sent twice. @param {World} world */
async function refusedRequests(world) {
  const c = await openFold(world, foldHost(world));
  world.values.steps = [];
  world.steps = [];
  for (const { messagesTokens, providerError } of world.one.input.steps) {
    const messages = [{ role: 'user', content: 'm'.repeat(messagesTokens * 4) }];
    const refused = await c.next({ messages }).then(() => undefined, (error) => error);
    world.values.steps.push({ suggestedMaxOutput: refused?.change?.maxOutput, messagesTokens: refused?.tokens });
    world.steps.push({ outcome: refused?.change?.maxOutput > 0 ? 'clamp_output' : refused?.code });
    await c.settle({ error: { message: providerError, code: providerError } });
  }
  c.close();
}

/** @param {World} world @param {any[]} during */
async function oneTrace(world, during) {
  const { plan, store } = world.one.input;
  const list = worthFolding(world);
  const failing = store?.failOn?.includes('append_checkpoint') ? { commit: () => Promise.reject(new Error('disk full')) } : {};
  /** @type {(answer: any) => void} */
  let finish = () => {};
  const made = new Promise((resolve) => (finish = resolve));
  const host = foldHost(world, { ...failing, summarize: () => made });
  host.raw.delete = () => (world.calls.delete = (world.calls.delete ?? 0) + 1);
  const c = await openFold(world, host, { config: { ...FOLD_ALONE, summarize: { keepRecent: list.messages.length - plan.keepFrom, tailTokens: ROOMY } }, model: SMALL });
  world.before = structuredClone(list.messages);
  const { background } = await c.next(list);
  const running = background.run();
  for (const event of during) {
    if (event.append) {
      list.messages.push(event.append.message);
      list.positions.push(event.append.pos);
    }
    if (event.clear) await c.forget();
  }
  finish({ text: world.one.input.summary });
  const events = await running;
  takeFold(world, await c.next(list), events);
  Object.assign(world, { messages: list.messages, positions: list.positions, stored: await host.load({ transcript: world.one.id }) });
  c.close();
}

export { partsOfOrigin, rowsInView };
