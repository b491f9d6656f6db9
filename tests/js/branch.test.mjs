// Branches, rewinds and fresh starts: what goes along, what stays behind, what is shared (nothing).

import assert from 'node:assert/strict';
import test from 'node:test';
import { memoryStore } from '../../pkg/stores/memory.js';
import { calls, filler, outcome, result, rounds, says, session, texts, user } from './session-kit.mjs';

const BRIEFING = '## Objective\nport the parser\n\n## Next Step\nRun cargo test\n'.padEnd(600, '.');
const config = { eviction: { enabled: false }, toolOutput: { maxChars: 4_000 }, summarize: { keepRounds: 1 }, orders: { enabled: true } };
const at = (messages, positions) => ({ messages, positions });

/** c1, c2, c3 at rows 12, 18, 25, each too long to stay whole; a fold that covers row 15 and one that covers row 22. */
async function parent(store = memoryStore()) {
  const made = await session({ window: 20_000, maxOutput: 1_000, store, config, host: { summarize: () => ({ text: BRIEFING }) } });
  const rows = [
    [10, user('use tabs')], [11, calls('c1')], [12, result('c1', filler(9_000))], [13, says('a'.repeat(4_000))], [14, calls('x')], [15, result('x', filler(3_000))],
    [17, calls('c2')], [18, result('c2', filler(9_000))], [19, says('b'.repeat(4_000))], [20, user('use spaces')],
    [21, calls('y')], [22, result('y', filler(3_000))], [24, calls('c3')], [25, result('c3', filler(9_000))], [26, says('done')],
  ];
  const upTo = (position) => at(rows.filter(([p]) => p <= position).map(([, m]) => m), rows.filter(([p]) => p <= position).map(([p]) => p));
  made.c.set({ orderKeys: { 10: 'indent' } });
  const first = await made.c.compact(upTo(18));
  assert.equal(outcome(first, 'fold').outcome, 'done');
  assert.equal(made.c.state.boundary, 15);
  await made.c.next(upTo(25));
  const second = await made.c.compact(upTo(25));
  assert.equal(outcome(second, 'fold').outcome, 'done');
  assert.equal(made.c.state.boundary, 22);
  return { ...made, upTo, rows, store };
}

test('br_1 raw outputs up to the branch are copied, not shared; a fold goes along if it was made on rows of the branch', async () => {
  const { c, upTo, store } = await parent();
  const map = (p) => p + 1_000;
  const child = await c.fork({ to: 'child', at: 20, map });
  const raw = (transcript, id) => store.raw.get(id, { transcript });
  assert.equal(raw('child', 'c1'), raw('t', 'c1'));
  assert.equal(raw('child', 'c2'), raw('t', 'c2'));
  assert.equal(raw('child', 'c3'), null);
  store.raw.put('c1', 'overwritten', { transcript: 'child' });
  assert.equal(raw('t', 'c1').length, 9_000);
  assert.equal(child.state.boundary, 1_015);

  const { messages, positions } = upTo(20);
  const n = await child.next(at(messages, positions.map(map)));
  assert.ok(texts(n.view)[0].includes('port the parser') && texts(n.view).join('').includes('[row 1010]\nuse tabs'));
  assert.deepEqual(n.view.slice(1).map((m) => m.role[0]).join(''), 'atau');
  await c.forget({ all: true });
  assert.equal(raw('t', 'c1'), null);
  assert.equal(raw('child', 'c2').length, 9_000, 'the branch does not need its parent');
  assert.equal(JSON.stringify((await child.next(at(messages, positions.map(map)))).view), JSON.stringify(n.view));
});

test('br_1 D-38 a fold that saw rows behind the branch stays behind, and its rows are there again', async () => {
  const { c, upTo } = await parent();
  const child = await c.fork({ to: 'child', at: 17 });
  assert.equal(child.state.boundary, null);
  const n = await child.next(upTo(17));
  assert.equal(n.view.length, upTo(17).messages.length);
  assert.ok(!texts(n.view).join('').includes('port the parser'));
});

test('a branch is checked: another name, a position, a map that knows every row, a name that is free', async () => {
  const { c } = await parent();
  await assert.rejects(c.fork({ to: 't', at: 20 }), { code: 'bad_input' });
  await assert.rejects(c.fork({ to: 'child', at: -1 }), { code: 'bad_input' });
  await assert.rejects(c.fork({ to: 'child', at: 20, map: { 10: 1, 12: 2 } }), (e) => e.code === 'bad_input' && /`map` gives undefined/.test(e.message));
  await c.fork({ to: 'child', at: 20 });
  await assert.rejects(c.fork({ to: 'child', at: 20 }), { code: 'stale_store' });
});

test('without a store a branch carries its state itself', async () => {
  const { c } = await session({ window: 20_000, config, store: {}, host: { summarize: () => ({ text: BRIEFING }) } });
  const messages = [user('go'), ...rounds(3, 8_000), says('so')];
  const n = await c.compact({ messages });
  const child = await c.fork({ to: 'child', at: 7 });
  assert.equal(JSON.stringify((await child.next({ messages })).view), JSON.stringify(n.view));
});

test('D-39 a fresh start shows every row again, deletes what was stored, and still knows what was redacted', async () => {
  const { c, store, upTo } = await parent();
  await c.forget();
  const { state } = c;
  assert.deepEqual([state.boundary, state.folds?.length ?? 0, state.orderKeys], [null, 0, { 10: 'indent' }]);
  assert.equal(store.raw.get('c1', { transcript: 't' }), null);
  const n = await c.next(upTo(18));
  assert.equal(n.view.length, upTo(18).messages.length);
  assert.equal(JSON.parse(store.load({ transcript: 't' }).blob).boundary, null);

  const hidden = await session({ config, host: { redact: ({ text }) => text.replace('SECRET', '') } });
  const messages = [user('go'), calls('s'), result('s', `SECRET${filler(9_000)}`), says('ok')];
  await hidden.c.next({ messages });
  await hidden.c.forget();
  const again = await hidden.c.next({ messages });
  assert.ok(!texts(again.view).join('').includes('SECRET') && !texts(again.view).join('').includes('read_tool_output'));
});

test('a failing store leaves a rewind, an unfold and a fresh start undone', async () => {
  const { c, store } = await parent();
  const before = JSON.stringify(c.state);
  const { commit } = store;
  const broken = await session({ store: { ...store, commit: () => Promise.reject(new Error('down')) }, config });
  const [fold] = broken.c.state.folds;
  for (const call of [() => broken.c.rewind({ to: 12 }), () => broken.c.unfold({ id: fold.id }), () => broken.c.forget()]) {
    await assert.rejects(call(), /down/);
    assert.equal(JSON.stringify(broken.c.state), before);
  }
  assert.ok(commit);
});

test('a rewind past a fold shows its rows; a rewind behind the newest one keeps the older', async () => {
  const { c, upTo } = await parent();
  await c.rewind({ to: 20 });
  assert.equal(c.state.boundary, 15);
  const n = await c.next(upTo(20));
  assert.equal(n.view.slice(1).map((m) => m.role[0]).join(''), 'atau');
  await c.rewind({ to: 13 });
  assert.equal(c.state.boundary, null);
  assert.equal((await c.next(upTo(13))).view.length, upTo(13).messages.length);
});

test('unfolding the older of two folds takes both back', async () => {
  const { c, upTo } = await parent();
  await c.unfold({ id: c.state.folds[0].id });
  assert.equal((await c.next(upTo(26))).view.filter((m) => m.role !== 'user').length, upTo(26).messages.filter((m) => m.role !== 'user').length);
});
