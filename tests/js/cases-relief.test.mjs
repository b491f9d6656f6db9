// The cases about relief without loss: huge and noisy outputs, reading back, stubs, the prefix cache, what must stay,
// branches. Each runs through a session over a store in memory.
import assert from 'node:assert/strict';
import { open } from '../../pkg/inline.js';
import { count } from '../../pkg/pure.js';
import { memoryStore } from '../../pkg/stores/memory.js';
import { CHECKS, targetOf } from './cases/checks.mjs';
import { configOf, modelOf, rowsOf } from './cases/config.mjs';
import { callsOf, resultsOf, textOf } from './cases/messages.mjs';
import { testCases } from './cases/register.mjs';
import { hostOf, openCase, serialised, takeNext } from './cases/run.mjs';
import { STORED_CHECKS, STORED_OPS, stateOf } from './cases/stored.mjs';

const chars4 = (/** @type {string} */ text) => Math.ceil(text.length / 4);
const OFF = { eviction: { enabled: false }, cascade: { enabled: false }, summarize: { enabled: false }, toolOutput: { maxChars: 4_000_000_000 } };
const ON = { eviction: { enabled: true }, cascade: { enabled: true }, summarize: { enabled: true } };

/** Reads an output back page by page, as a model would. @param {any} cascade @param {string} id */
async function readAll(cascade, id) {
  let text = '';
  for (let offset = 0, page = ''; ; ) {
    page = await cascade.tools[0].execute({ id, offset });
    const { content, next } = pageOf(page);
    text += content;
    if (next === undefined) return text;
    offset = next;
  }
}

/** A reply of the tool: its content, and where the next page begins. @param {string} page */
function pageOf(page) {
  const trailer = /\n\[([^\n]*)\]$/.exec(page);
  const next = /next offset: (\d+)/.exec(trailer?.[1] ?? '')?.[1];
  return { content: trailer ? page.slice(0, trailer.index) : page, next: next === undefined ? undefined : Number(next) };
}

/**
 * One `next` at the occupancy that the case states: the count of the whole list, or the input of one response. What is
 * new since that count has not been sent before.
 * @param {any} world
 */
async function step(world) {
  const { one } = world;
  const { messages, positions } = rowsOf(one);
  const { usage } = one.input;
  const config = configOf(one);
  const cascade = await openCase(world);
  if (usage) {
    const from = usage.atMessage ?? messages.findLastIndex((/** @type {any} */ m) => m.role === 'assistant');
    const rest = messages.slice(from).reduce((/** @type {number} */ n, /** @type {any} */ m) => n + count([m], { counter: 'chars4', format: 'ai-sdk' }).tokens, 0);
    cascade.set({ config: OFF, model: { ...modelOf(one), window: 100_000_000 } });
    await cascade.next({ messages: messages.slice(0, from), positions: positions.slice(0, from) });
    await cascade.settle({ usage: { inputTokens: usage.atMessage === undefined ? usage.inputTokens - rest : usage.inputTokens } });
    cascade.set({ config: { ...ON, toolOutput: { maxChars: config.toolOutput?.maxChars ?? null } }, model: modelOf(one) });
  }
  const before = cascade.inspect().breakdown.reclaimed;
  takeNext(world, await cascade.next({ messages, positions }));
  world.inspection = cascade.inspect();
  world.values.reclaimed = world.inspection.breakdown.reclaimed - before;
  world.cascade = cascade;
}

const ops = {
  ...STORED_OPS,
  assemble_step: step,
  evict: step,

  /** A fold on request. @param {any} world */
  async fold(world) {
    const cascade = await openCase(world);
    const { messages, positions } = rowsOf(world.one);
    takeNext(world, await cascade.compact({ messages, positions }));
    assert.equal(world.outcome, 'folded');
    cascade.close();
  },

  /** @param {any} world */
  async spill_and_page(world) {
    const { output, toolCallId, reads } = world.one.input;
    const cascade = await openCase(world);
    await cascade.result({ callId: toolCallId, tool: 'read', output });
    world.values.reads = [];
    for (const { page, ...asked } of reads) {
      if (page === 'all') {
        const pages = [];
        for (let offset = 0; offset !== undefined; offset = pageOf(pages.at(-1)).next) pages.push(await cascade.tools[0].execute({ id: toolCallId, offset }));
        world.values.reads.push({ text: pages.reduce((a, b) => (a.length > b.length ? a : b)), pages });
      } else world.values.reads.push({ text: await cascade.tools[0].execute({ id: toolCallId, ...asked }) });
    }
    cascade.close();
  },

  /** @param {any} world */
  async truncate_sweep(world) {
    const { outputs, config } = world.one.input;
    world.sweep = [];
    for (let cap = config.maxCharsFrom; cap <= config.maxCharsTo; cap += 1) {
      const cascade = await openCase(world, { config: { toolOutput: { maxChars: cap } } });
      for (const output of outputs) {
        const { output: short } = await cascade.result({ callId: 'c', tool: 'read', output });
        const { output: again } = await cascade.result({ callId: 'd', tool: 'read', output: short });
        world.sweep.push({ cap, output, short, again });
      }
      cascade.close();
    }
  },

  /** The model reads a stored output back; later its page leaves the view, too. @param {any} world */
  async readback(world) {
    const { one } = world;
    const { messages, positions } = rowsOf(one);
    const host = hostOf(world);
    for (const [id, text] of Object.entries(one.input.store)) await host.raw.put(id, text, { transcript: one.id });
    const cascade = await openCase(world, { host });
    await cascade.next({ messages: messages.slice(0, 3), positions: positions.slice(0, 3) });
    world.result = { text: await cascade.tools[0].execute(one.input.request) };
    // A host that passes on more than the tool returned is met all the same.
    await cascade.next({ messages, positions });
    const later = [...messages, { role: 'assistant', content: [{ type: 'text', text: 'I see.' }] }, { role: 'user', content: 'Go on.' }];
    cascade.set({ config: { eviction: { atFraction: 0, toFraction: 0, clearAtLeast: 0 } } });
    takeNext(world, await cascade.next({ messages: later, positions: later.map((_, i) => i) }));
    world.inspection = cascade.inspect();
    cascade.close();
  },

  /** @param {any} world */
  async evict_steps(world) {
    const { startAt, stepMessages } = world.one.input;
    const { messages, positions } = rowsOf(world.one);
    const cascade = await openCase(world);
    world.steps = [];
    for (let n = startAt; n <= messages.length; n += stepMessages) {
      const next = await cascade.next({ messages: messages.slice(0, n), positions: positions.slice(0, n) });
      await cascade.settle({ usage: { inputTokens: count(next.view, { counter: 'chars4', format: 'ai-sdk' }).tokens } });
      world.steps.push({ view: next.view, reclaimed: next.events.find((/** @type {any} */ e) => e.type === 'context.evicted')?.reclaimedTokens });
    }
    cascade.close();
  },

  /** @param {any} world */
  async fork(world) {
    const { one } = world;
    const rows = one.input.rows.map((/** @type {any} */ row, /** @type {number} */ i) => ({ ...row, pos: i + 1 }));
    const stored = rows.filter((/** @type {any} */ row) => row.message);
    const checkpoints = rows.filter((/** @type {any} */ row) => row.checkpoint).map((/** @type {any} */ row) => row.checkpoint);
    const store = memoryStore();
    store.commit({ blob: JSON.stringify(stateOf(checkpoints, rows)), expect: null }, { transcript: one.id });
    const parent = await open({ transcript: one.id, format: 'ai-sdk', model: modelOf(one), config: configOf(one), host: store });
    const fresh = new Map(stored.map((/** @type {any} */ row) => [row.pos, row.pos + 100]));
    const list = (/** @type {boolean} */ mapped) => ({ messages: stored.map((/** @type {any} */ r) => (mapped ? structuredClone(r.message) : r.message)), positions: stored.map((/** @type {any} */ r) => (mapped ? fresh.get(r.pos) : r.pos)) });
    const before = await parent.next(list(false));
    const at = rows.find((/** @type {any} */ row) => row.id === one.input.atLeaf).pos;
    const child = await parent.fork({ to: 'child', at, map: Object.fromEntries(fresh) });
    const after = await child.next(list(true));
    Object.assign(world.values, { parentView: before.view, childView: after.view, parent: stored.map((/** @type {any} */ r) => r.pos), child: [...fresh.values()] });
    assert.ok(textOf(before.view).includes(checkpoints[0].summary) && before.view.length < stored.length, 'the checkpoint is in force');
    parent.close();
    child.close();
  },
};

const stubOf = (/** @type {any} */ world, /** @type {string} */ id) => resultsOf(world.view).find((r) => r.id === id)?.part.output.value;
const isStub = (/** @type {any} */ world, /** @type {string} */ id) => /^\[context-cleared\] /.test(stubOf(world, id) ?? '') && !isOriginal(world, id);
const isOriginal = (/** @type {any} */ world, /** @type {string} */ id) => resultsOf(world.view).some((r) => r.id === id && resultsOf(world.messages).some((m) => m.part === r.part));
const handleIn = (/** @type {string} */ text) => /read_tool_output\(\{ id: "([^"]+)"/.exec(text)?.[1];

const checks = {
  ...STORED_CHECKS,
  tokens_le(world, { target, value }) {
    if (target !== 'summaryRequests[*]') return assert.ok(chars4(textOf(targetOf(world, target)).replaceAll('\n', '')) <= value && world.values.tokens <= value, `${world.values.tokens} tokens`);
    assert.ok(world.requests.length > 1);
    for (const { system, prompt } of world.requests) assert.ok(chars4(system + prompt) <= value, `${chars4(system + prompt)} tokens`);
  },
  /** User text whole (in pieces), other text at least as far as it is not clipped. */
  union_covers(world, { indices }) {
    const all = world.requests.map((r) => r.prompt);
    for (const i of indices) {
      const { role, content } = world.messages[i];
      const text = textOf(typeof content === 'string' ? content : content.map((p) => p.text));
      const piece = role === 'user' ? text : text.slice(0, 400);
      assert.ok(all.some((prompt) => prompt.includes(piece)), `message ${i} is in no request`);
    }
    // The answers are all alike: as many of them as there are messages.
    const words = all.reduce((n, prompt) => n + prompt.split('answer ').length - 1, 0);
    assert.ok(words >= indices.filter((i) => world.messages[i].role === 'assistant').length * 50);
  },
  async raw_recoverable(world, { toolCallIds }) {
    const ids = toolCallIds ?? resultsOf(world.messages).map((r) => r.id).filter((id) => !isOriginal(world, id));
    assert.ok(ids.length > 0);
    for (const id of ids) {
      const handle = handleIn(stubOf(world, id));
      assert.equal(await readAll(world.cascade, handle), resultsOf(world.messages).find((r) => r.id === id).part.output.value);
    }
  },
  every_result_nonempty(world, { toolCallIds }) {
    for (const id of toolCallIds) assert.notEqual(stubOf(world, id)?.trim() ?? '', '', id);
  },
  fair_shares(world) {
    const lengths = resultsOf(world.view).map((r) => r.part.output.value.length);
    assert.ok(lengths.every((n) => n <= lengths[0] + 1 && n >= lengths[0] - 1), `lengths ${lengths}`);
  },

  chars_le(world, check) {
    if (check.target === 'result.text') return assert.ok(world.result.text.length <= check.value);
    if (!check.target.startsWith('reads')) return CHECKS.chars_le(world, check);
    for (const { text, pages = [text] } of world.values.reads) for (const page of pages) assert.ok(page.length <= check.value, `${page.length} characters`);
  },
  pages_reassemble(world) {
    const { output } = world.one.input;
    assert.equal(world.values.reads[2].pages.map((/** @type {string} */ p) => pageOf(p).content).join(''), output.value);
  },
  text_contains(world, check) {
    if (check.target !== 'reads[1].text') return CHECKS.text_contains(world, check);
    const { text } = world.values.reads[1];
    assert.ok(text.includes(check.text));
    assert.ok(text.length < 700, 'a window around the match, not the line');
  },

  for_every_cap(world, { checks: inner }) {
    const of = {
      chars_le: ({ cap, short }) => assert.ok(serialised(short).length <= cap),
      never_longer_than_input: ({ output, short }) => assert.ok(serialised(short).length <= serialised(output).length),
      unchanged_if_within_cap: ({ cap, output, short }) => assert.ok(serialised(output).length > cap || short === output),
      idempotent: ({ short, again }) => assert.equal(again, short),
    };
    for (const { check } of inner) for (const one of world.sweep) of[check](one);
  },

  store_keys_eq: (world, { values }) => assert.deepEqual([...world.raw.keys()], values),
  has_next_offset(world) {
    const { content, next } = pageOf(world.result.text);
    assert.equal(next, world.one.input.request.offset + content.length);
    assert.ok(content.length > 20_000);
  },
  evict_placeholder_points_to(world, { toolCallId, handle }) {
    assert.ok(isStub(world, toolCallId));
    assert.equal(handleIn(stubOf(world, toolCallId)), handle);
  },

  evicted: (world, { toolCallIds }) => assert.deepEqual(resultsOf(world.view).map((r) => r.id).filter((id) => isStub(world, id)), toolCallIds),
  not_evicted(world, { toolCallIds }) {
    for (const id of toolCallIds) assert.ok(isOriginal(world, id), id);
  },
  view_not_larger(world) {
    const size = (/** @type {any} */ list) => count(list, { counter: 'chars4', format: 'ai-sdk' }).tokens;
    assert.ok(size(world.view) <= size(world.messages));
  },
  report_lists: (world, { kind, toolCallIds, ifEvicted }) => {
    assert.ok(isStub(world, ifEvicted));
    assert.deepEqual(world.inspection.findings.filter((f) => f.kind === kind).flatMap((f) => f.calls), toolCallIds);
  },
  async reference_resolvable(world, { toId }) {
    if (isOriginal(world, toId)) return;
    assert.equal(await readAll(world.cascade, handleIn(stubOf(world, toId))), resultsOf(world.messages).find((r) => r.id === toId).part.output.value);
  },
  /** Its arguments are the conversation's: an event names the call and its target instead. */
  event(world, { carries }) {
    const { results } = world.next.events.find((e) => e.type === 'context.evicted');
    const call = callsOf(world.messages).find((c) => c.id === results[0].toolCallId).part;
    assert.deepEqual(results, [{ toolCallId: call.toolCallId, toolName: call.toolName, target: call.input.path }]);
    assert.ok(carries.includes('toolCallId') && carries.includes('toolName'));
  },

  prefix_changes_le: (world, { value }) => assert.ok(changes(world).length <= value && changes(world).length > 0, `changes at ${changes(world)}`),
  each_batch_reclaims_ge(world, { value }) {
    const batches = world.steps.map((s) => s.reclaimed).filter((n) => n !== undefined);
    assert.ok(batches.length > 0 && batches.every((n) => n >= value), `batches ${batches}`);
  },
  append_only_between_batches(world) {
    for (const n of changes(world)) assert.notEqual(world.steps[n].reclaimed, undefined, `step ${n} changes the prefix without a batch`);
  },

  views_equal: (world, { a, b }) => assert.deepEqual(world.values[b], world.values[a]),
  ids_disjoint: (world, { a, b }) => assert.deepEqual(world.values[a].filter((id) => world.values[b].includes(id)), []),
};

/** Steps whose view does not begin with the one before, object by object. @param {any} world */
const changes = (world) => world.steps.flatMap(({ view }, n) => (n > 0 && world.steps[n - 1].view.some((m, i) => view[i] !== m) ? [n] : []));

testCases(['huge-single', 'noisy-output', 'readback-overflow', 'placeholder', 'cache-bust', 'protected-eviction', 'branch'], {
  ops,
  checks,
  should: ['040-each-result-fits-but-the-batch-does-not', '089-unchanged-stub-points-at-evicted-bytes'],
});
