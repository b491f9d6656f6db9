// Cases about what outlives a call: folds made for good, a stored state that is opened again, rounds that leave the
// view. Everything runs through a session over a store; nothing is laid by hand.
import assert from 'node:assert/strict';
import { open } from '../../../pkg/inline.js';
import { count, repair } from '../../../pkg/pure.js';
import { memoryStore } from '../../../pkg/stores/memory.js';
import { FORMATS } from '../conversations.mjs';
import { CHECKS } from './checks.mjs';
import { configOf, modelOf, rowsOf } from './config.mjs';
import { callsOf } from './messages.mjs';
import { hostOf, openCase, takeNext } from './run.mjs';

const formatOf = (/** @type {any} */ one) => (FORMATS[one.format] ? one.format : 'ai-sdk');
const isSystem = (/** @type {any} */ m) => m.role === 'system' || m.role === 'developer';

/**
 * The case behind an earlier task of 10,000 tokens: a case is smaller than a head, and a fold has to make the view
 * smaller. Rows of the system stay in front.
 * @param {any} one @param {readonly any[]} list
 */
function afterAnEarlierTask(one, list) {
  const f = FORMATS[formatOf(one)];
  const lead = list.findIndex((m) => !isSystem(m));
  return [...list.slice(0, lead), f.user('An earlier task.'), ...f.step([], 'word '.repeat(8_000)), ...list.slice(lead)];
}

const indexed = (/** @type {readonly any[]} */ list) => list.map((_, i) => i);

/** Where the kept rows of the case begin; 0 when none of them is folded. @param {any} world */
function cutOf(world) {
  const first = world.messages.findIndex((/** @type {any} */ m) => !isSystem(m));
  const kept = world.messages.findIndex((/** @type {any} */ m, /** @type {number} */ i) => i >= first && world.view.includes(m));
  return kept <= first ? 0 : kept;
}

/** @param {any} world @param {any} next */
function takeFold(world, next) {
  takeNext(world, next);
  world.cut = cutOf(world);
  const folded = next.outcomes.some((/** @type {any} */ o) => o.stage === 'fold' && o.outcome === 'done');
  // The earlier task alone is nothing of the case.
  world.outcome = folded && world.cut > 0 ? 'folded' : 'declined';
}

/** @type {Record<string, (world: any) => unknown>} */
export const STORED_OPS = {
  /** A fold on request. */
  async fold(world) {
    const { one } = world;
    const messages = afterAnEarlierTask(one, world.messages);
    const host = { ...hostOf(world), summarize: (/** @type {any} */ request) => (world.requests.push(request), { text: one.input.summary ?? 'what happened' }) };
    const cascade = await openCase(world, { host });
    takeFold(world, await cascade.compact({ messages, positions: indexed(messages) }));
    world.inspection = cascade.inspect();
    cascade.close();
  },

  /** A fold in the background, while rows go on arriving. */
  async fold_async(world) {
    const { one } = world;
    const before = afterAnEarlierTask(one, world.messages);
    const cascade = await openCase(world);
    await cascade.next({ messages: before, positions: indexed(before) });
    await cascade.settle({ usage: { inputTokens: Math.floor(modelOf(one).window * 0.65) } });
    const { background } = await cascade.next({ messages: before, positions: indexed(before) });
    const running = background.run();
    const late = [...before, ...one.input.arrivesDuringFold];
    world.messages = [...world.messages, ...one.input.arrivesDuringFold];
    const meanwhile = await cascade.next({ messages: late, positions: indexed(late) });
    assert.equal(meanwhile.view.length, late.length, 'nothing is folded before the summary is there');
    await running;
    takeFold(world, await cascade.next({ messages: late, positions: indexed(late) }));
    cascade.close();
  },

  /** A process that finds rows and checkpoints in its store. */
  async replay(world) {
    const { one } = world;
    const rows = one.input.rows.map((/** @type {any} */ row, /** @type {number} */ i) => ({ ...row, pos: row.pos ?? i + 1 }));
    const stored = rows.filter((/** @type {any} */ row) => row.message);
    world.rows = { before: structuredClone(stored), after: stored };
    const checkpoints = [...rows.filter((/** @type {any} */ row) => row.checkpoint).map((/** @type {any} */ row) => row.checkpoint), ...(one.input.checkpoint ? [one.input.checkpoint] : [])];
    const store = memoryStore();
    store.commit({ blob: JSON.stringify(stateOf(checkpoints, rows)), expect: null }, { transcript: one.id });
    const { messages, positions } = valid(stored);
    const cascade = await open({ transcript: one.id, format: formatOf(one), model: modelOf(one), config: configOf(one), host: store });
    takeNext(world, await cascade.next({ messages, positions }));
    world.inspection = cascade.inspect();
    if (world.inspection.findings.some((/** @type {any} */ f) => f.kind === 'boundary_snapped')) world.outcome = 'snapped';
    world.positionOf = (/** @type {any} */ message) => positions[messages.indexOf(message)];
    cascade.close();
  },

  /** The oldest rounds go behind a line until the target is reached. */
  drop_oldest(world) {
    const { targetTokens } = world.one.input;
    // Sealed reasoning weighs nothing in this counter: then the oldest answer is long enough to be worth a line.
    if (count(world.messages, { counter: 'chars4', format: formatOf(world.one) }).tokens <= targetTokens) {
      const first = world.messages.findIndex((/** @type {any} */ m) => m.role === 'assistant');
      world.messages = world.messages.map((/** @type {any} */ m, /** @type {number} */ i) => (i === first ? { ...m, content: m.content.map((/** @type {any} */ p) => ({ ...p, text: p.text.padEnd(4_000, '.') })) } : m));
    }
    return dropped(world, world.messages, targetTokens);
  },

  /** The rounds of some tools go: their results are worth a line, those of others weigh enough that half may go. */
  async prune_tool_calls(world) {
    const { tools } = world.one.input.config;
    const ids = callsOf(world.messages).filter((c) => tools.includes(c.part.toolName)).map((c) => c.id);
    const long = (/** @type {any} */ part) => (part.type === 'tool-result' ? { ...part, output: { ...part.output, value: part.output.value.padEnd(ids.includes(part.toolCallId) ? 1_600 : 1_900, '.') } } : part);
    world.messages = world.messages.map((/** @type {any} */ m) => (m.role === 'tool' ? { ...m, content: m.content.map(long) } : m));
    await dropped(world, world.messages, 600);
  },
};

const BOTH = { estimate: { counter: 'chars4' }, summarize: { enabled: false, keepRecent: 0, keepRounds: 0 } };
/** Two ways to drop: whole rounds once stubs do not do, and the cascade, whose second stage it is. */
const DROPS = {
  // No result is worth a stub here: what goes, goes whole.
  drop: { ...BOTH, eviction: { rounds: true, keepRecentRounds: 0, clearAtLeast: 0, minResultTokens: 1_000_000 }, cascade: { enabled: false } },
  cascade: { ...BOTH, eviction: { enabled: false } },
};

/** Both ways hold what the case demands; the view is that of the last. @param {any} world @param {readonly any[]} messages @param {number} target */
async function dropped(world, messages, target) {
  const { one } = world;
  for (const [stage, config] of Object.entries(DROPS).reverse()) {
    const cascade = await open({ transcript: one.id, format: formatOf(one), model: { id: 'case', window: 200_000, maxOutput: 0 }, config, host: memoryStore() });
    // What is sent once is no arrival any more.
    await cascade.next({ messages, positions: indexed(messages) });
    cascade.set({ config: { summarize: { ceilingTokens: target } } });
    takeNext(world, await cascade.next({ messages, positions: indexed(messages) }));
    assert.deepEqual(world.next.outcomes.filter((/** @type {any} */ o) => o.stage === stage).map((/** @type {any} */ o) => o.outcome), ['done']);
    assert.ok(world.values.tokens <= target, `${stage}: ${world.values.tokens} tokens`);
    for (const must of one.expect.must) (STORED_CHECKS[must.check] ?? CHECKS[must.check])(world, must);
    cascade.close();
  }
}

/** The state of a session that folded at these checkpoints, oldest first. @param {any[]} checkpoints @param {any[]} rows */
export function stateOf(checkpoints, rows) {
  const folds = checkpoints.map(({ coveredPosition, firstKept, summary }, i) => {
    const kept = rows.findIndex((row) => row.pos === firstKept || row.id === firstKept);
    const to = coveredPosition ?? rows.slice(0, kept).findLast((row) => row.message).pos;
    const text = `<context_summary>\n${summary}\n</context_summary>`;
    return { id: `f${i}`, from: rows[0].pos, to, active: true, summary, head: [{ origin: 'summary', text, tokens: Math.ceil(text.length / 4) }] };
  });
  return { v: 1, boundary: folds.at(-1).to, folds };
}

/** Rows that break a rule are repaired first, as a host does with a history it finds. @param {any[]} rows */
function valid(rows) {
  const messages = rows.map((row) => row.message);
  const { messages: healed } = repair(messages, 'ai-sdk');
  return { messages: healed, positions: healed.map((m) => rows[messages.indexOf(m)].pos) };
}

/** @type {Record<string, (world: any, check: any) => void>} */
export const STORED_CHECKS = {
  no_row_deleted: (world) => assert.deepEqual(world.rows.after, world.rows.before),
  view_starts_at_row(world, { values }) {
    const first = world.view.map(world.positionOf).find((/** @type {number | undefined} */ p) => p !== undefined);
    assert.ok(values.includes(first), `the first row is ${first}`);
  },
  summary_count(world, { value }) {
    const parts = world.view.flatMap((/** @type {any} */ m) => (Array.isArray(m.content) ? m.content : []));
    assert.equal(parts.filter((/** @type {any} */ p) => p.providerOptions?.['gentle-cascade']?.origin === 'summary').length, value);
  },
  pairs_adjacent(world) {
    world.view.forEach((/** @type {any} */ message, /** @type {number} */ i) => {
      const open = new Set(callsOf([message]).map((c) => c.id));
      for (let k = i + 1; open.size > 0; k += 1) {
        assert.equal(world.view[k]?.role, 'tool', `message ${k} stands between a call and its result`);
        for (const part of world.view[k].content) open.delete(part.toolCallId);
      }
    });
  },
  order_preserved(world) {
    const at = world.messages.map((/** @type {any} */ m) => world.view.indexOf(m)).filter((/** @type {number} */ i) => i >= 0);
    assert.ok(at.length > 1 && at.every((/** @type {number} */ n, /** @type {number} */ i) => i === 0 || n > at[i - 1]), `places ${at}`);
  },
  all_or_none(world, { groups, allowIdStripped }) {
    const ids = new Set(world.view.flatMap((/** @type {any} */ item) => [item.id, item.call_id, item.toolCallId]));
    const texts = new Set(world.view);
    for (const group of groups) {
      const there = group.filter((/** @type {string} */ id) => ids.has(id) || (allowIdStripped && world.messages.some((/** @type {any} */ m) => m.id === id && texts.has(m))));
      assert.ok(there.length === 0 || there.length === group.length, `of ${group} only ${there} is there`);
    }
  },
  no_orphan_approvals(world) {
    const parts = world.view.flatMap((/** @type {any} */ m) => (Array.isArray(m.content) ? m.content : []));
    const of = (/** @type {string} */ type, /** @type {string} */ key) => new Set(parts.filter((/** @type {any} */ p) => p.type === type).map((/** @type {any} */ p) => p[key]));
    for (const id of of('tool-approval-response', 'approvalId')) assert.ok(of('tool-approval-request', 'approvalId').has(id), `${id} was never asked`);
    for (const id of of('tool-approval-request', 'toolCallId')) assert.ok(of('tool-call', 'toolCallId').has(id), `${id} was asked about no call`);
  },
  absent_approval(world, { approvalIds }) {
    const parts = world.view.flatMap((/** @type {any} */ m) => (Array.isArray(m.content) ? m.content : []));
    assert.deepEqual(parts.filter((/** @type {any} */ p) => approvalIds.includes(p.approvalId)), []);
  },
};
