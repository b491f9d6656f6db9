// Hosts as they come: slow, wrong, re-entrant, impatient. What they do must never take the process down, leave a
// listener behind, or change a conversation half.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { open } from '../../pkg/inline.js';
import { memoryStore } from '../../pkg/stores/memory.js';
import { W40, chars4, countingHost, fill, rounds, start, states, text, untouched, user } from './chat.mjs';

const tick = () => new Promise((resolve) => setImmediate(resolve));

test('T-3 odd answers of a host become typed errors or a declined stage, never a crash', async () => {
  const thenable = (value) => ({ then: (resolve) => resolve(value) });
  const boom = new TypeError('mine');
  const loads = [
    [42, { code: 'bad_input', message: /`host\.load` must return/ }],
    [undefined, null],
    [null, null],
    [thenable(null), null],
    [thenable({ blob: '{"v":1}', version: 3 }), null],
    [{ blob: 'not json', version: 1 }, { code: 'bad_input' }],
    [{ blob: '[1]', version: 1 }, { code: 'bad_input', message: /`state`/ }],
  ];
  for (const [value, error] of loads) {
    const opened = start({ host: { load: () => value } });
    if (error) await assert.rejects(opened, { name: 'CascadeError', ...error });
    else (await opened).close();
  }
  await assert.rejects(start({ host: { load: () => { throw boom; } } }), (e) => e === boom);
  await assert.rejects(start({ host: { load: () => Promise.reject(undefined) } }), (e) => e === undefined);
  await assert.rejects(start({ host: { load: 'x' } }), { code: 'bad_input', message: /`host\.load` must be a function/ });
  await assert.rejects(start({ host: { raw: { get() {} } } }), { code: 'bad_input', message: /host\.raw\.put/ });
  await assert.rejects(start({ host: 7 }), { code: 'bad_input' });

  for (const commit of [() => 42, () => undefined, () => null, () => { throw boom; }, () => Promise.reject(boom), () => ({ version: '1' })]) {
    const { host } = countingHost({ commit });
    const messages = rounds(20);
    const c = await start({ host });
    const n = await fill(c, messages, 21_000);
    assert.deepEqual(n.outcomes, [{ stage: 'evict', outcome: 'declined', reason: 'unavailable' }], String(commit));
    assert.equal(untouched(n.view, messages).length, 41);
    assert.deepEqual(states(c), { kept: 41 });
  }
  for (const redact of [() => 42, () => undefined, () => { throw boom; }]) {
    const c = await start({ host: { redact } });
    await assert.rejects(c.result({ callId: 'c1', tool: 'read', output: 'x' }), (e) => e === boom || e.code === 'bad_input');
    await assert.rejects(c.next({ messages: rounds(1, 10) }), (e) => e === boom || e.code === 'bad_input');
  }
});

test('T-3 methods are called with the host as `this`', async () => {
  class Mine {
    seen = [];
    redact({ text: t }) {
      this.seen.push(t);
      return t;
    }
  }
  const host = new Mine();
  const c = await start({ host });
  await c.result({ callId: 'c1', tool: 'read', output: 'hello' });
  assert.deepEqual(host.seen, ['hello']);
});

test('T-4 a listener may call every method, for every event', async () => {
  const seen = [];
  let c;
  const messages = rounds(20);
  const { host } = countingHost({
    onEvent(event) {
      seen.push(event.type);
      c.inspect();
      assert.ok(Array.isArray(c.tools));
      assert.ok(c.state.v);
      c.set({ config: { eviction: { keepRecentRounds: 3 } } });
      if (seen.length > 4) return;
      void c.next({ messages });
      void c.settle({ usage: {} });
      void c.result({ callId: `x${seen.length}`, tool: 'read', output: 'y' });
    },
  });
  c = await start({ host });
  await fill(c, messages, 21_000);
  await c.settle({ usage: { inputTokens: 12_000 } });
  await tick();
  await c.next({ messages });
  assert.deepEqual([...new Set(seen)].sort(), ['context.evicted', 'context.usage']);
  assert.equal(states(c).evicted, 12);
  c.close();
});

test('T-4 a host may call back while its own method runs, and a patch then waits for the call in flight', async () => {
  let c;
  const during = [];
  const messages = rounds(20);
  const store = memoryStore();
  const host = {
    ...store,
    commit(input, context) {
      during.push(c.inspect().window.tokens);
      c.set({ config: { estimate: { counter: 'classes' } }, model: { id: 'm', window: 80_000, maxOutput: 4_000 } });
      during.push(c.inspect().window.tokens);
      return store.commit(input, context);
    },
  };
  c = await start({ host });
  const n = await fill(c, messages, 21_000);
  assert.deepEqual(during, [40_000, 40_000]);
  assert.equal(n.view.length, 41);
  assert.equal(c.inspect().window.tokens, 80_000);
  assert.equal((await c.next({ messages })).view[2], n.view[2], 'what was evicted stays, byte for byte');
});

test('T-4 a getter of a patch may call back', async () => {
  const c = await start();
  const patch = { get eviction() { c.inspect(); return { atFraction: 0.25 }; } };
  c.set({ config: patch });
  assert.equal(c.inspect().thresholds.evict, 10_000);
});

test('a listener that throws, or rejects, is reported once and stops nothing', async (t) => {
  const warn = t.mock.method(console, 'warn', () => {});
  for (const onEvent of [() => { throw new Error('mine'); }, async () => { throw new Error('mine'); }]) {
    const c = await start({ host: { onEvent } });
    for (let i = 0; i < 3; i += 1) await c.settle({ usage: { inputTokens: 100 + i } });
    await tick();
    assert.equal(c.inspect().occupancy.tokens, 102);
  }
  assert.equal(warn.mock.callCount(), 2);
});

test('T-16 a host that never answers is given up after its time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let signal;
  const never = { load(context) { signal = context.signal; return new Promise(() => {}); } };
  const opening = start({ host: never });
  const failed = assert.rejects(opening, { code: 'timeout', message: /`host\.load` did not answer within 30000 ms/ });
  await tick();
  t.mock.timers.tick(30_000);
  await failed;
  assert.ok(signal.aborted, 'the method learns that nobody waits any more');

  const { host } = countingHost({ commit: () => new Promise(() => {}) });
  const c = await start({ host });
  const messages = rounds(20);
  const going = fill(c, messages, 21_000);
  for (let i = 0; i < 100; i += 1) await tick();
  t.mock.timers.tick(30_000);
  assert.equal((await going).outcomes[0].reason, 'unavailable');
});

test('T-15 a cancelled call rejects with the reason itself, changes nothing and leaves no listener', async () => {
  const reason = { why: 'the user pressed stop' };
  const messages = rounds(20);
  // Abort at each call of the host in turn, before and while it runs.
  for (let at = 0; at < 30; at += 1) {
    const controller = new AbortController();
    let calls = -1;
    let armed = false;
    const hang = (name, method) => (...args) => {
      if (armed && ++calls === at) {
        setImmediate(() => controller.abort(reason));
        return new Promise(() => {});
      }
      return method(...args);
    };
    const store = memoryStore();
    const host = { load: store.load, commit: hang('commit', store.commit), raw: { ...store.raw, has: hang('has', store.raw.has), put: hang('put', store.raw.put) } };
    const c = await start({ host });
    await c.next({ messages: messages.slice(0, -2) });
    await c.settle({ usage: { inputTokens: 19_999 } });
    const before = JSON.stringify(c.state);
    armed = true;
    const outcome = await c.next({ messages, signal: controller.signal }).then((n) => ({ n }), (e) => ({ e }));
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
    if (outcome.n) {
      assert.ok(at > 20, 'every await before the end was reached');
      assert.equal(outcome.n.events[0].resultCount, 12);
      return;
    }
    assert.equal(outcome.e, reason);
    assert.equal(JSON.stringify(c.state), before);
    assert.equal((await c.next({ messages })).events[0].resultCount, 12, 'the next call does the work');
  }
  assert.fail('the call never ran to its end');
});

test('a signal that is aborted already is noticed at once', async () => {
  const { host, log } = countingHost();
  const c = await start({ host });
  const calls = log.length;
  const signal = AbortSignal.abort('gone');
  await assert.rejects(c.next({ messages: rounds(1, 10), signal }), (e) => e === 'gone');
  await assert.rejects(c.result({ callId: 'c', tool: 'read', output: 'x'.repeat(30_000) }, { signal }), (e) => e === 'gone');
  assert.equal(log.length, calls);
  await assert.rejects(c.next({ messages: [], signal: 5 }), { code: 'bad_input', message: /`signal`/ });
});

test('T-18 twenty overlapping calls give what they give one after the other', async () => {
  const lists = Array.from({ length: 20 }, (_, i) => rounds(i + 2));
  const run = async (overlap) => {
    const c = await start({ host: memoryStore() });
    const jobs = [];
    for (const messages of lists) {
      const job = c.next({ messages });
      if (!overlap) await job;
      jobs.push(job);
    }
    return JSON.stringify((await Promise.all(jobs)).map(({ view, occupancy, outcomes, events, prefix }) => ({ view, occupancy, outcomes, events, prefix })));
  };
  assert.equal(await run(true), await run(false));
});

test('T-30 `init` may be called any number of times', async () => {
  const { init } = await import('../../pkg/inline.js');
  await Promise.all([init(), init(), init()]);
  (await start()).close();
});

test('after `close` every call is refused, and what was running ends', async () => {
  const { host } = countingHost({ load: () => new Promise((resolve) => setTimeout(resolve, 5, null)) });
  const c = await start({ host });
  const running = c.next({ messages: rounds(1, 10) });
  await tick();
  c.close();
  c.close();
  assert.equal((await running).view.length, 3);
  for (const use of [() => c.inspect(), () => c.tools, () => c.state, () => c.set({})]) assert.throws(use, { code: 'closed' });
  for (const use of [() => c.next({ messages: [] }), () => c.settle(), () => c.result({ callId: 'c', tool: 't', output: '' })]) await assert.rejects(use(), { code: 'closed' });
});

test('`open` says what is missing', async () => {
  for (const [options, field] of [
    [undefined, /`open`/], [{ model: W40 }, /`transcript`/], [{ transcript: '', model: W40 }, /`transcript`/], [{ transcript: 't' }, /`model`/],
    [{ transcript: 't', model: { id: 'm', window: 1.5 } }, /`model.window`/], [{ transcript: 't', model: { id: 'm', windw: 5 } }, /`model.windw`/],
    [{ transcript: 't', model: W40, format: 'xml' }, /`format`/], [{ transcript: 't', model: W40, state: 'no' }, /`state`/],
  ]) await assert.rejects(open(options), { name: 'CascadeError', code: 'bad_input', message: field });
  const c = await start();
  for (const [call, field] of [
    [() => c.next(), /`next`/], [() => c.next({}), /`messages`/], [() => c.next({ messages: [null] }), /`messages\[0\]`/], [() => c.next({ messages: [{ role: 'robot', content: 'x' }] }), /`messages\[0\]\.role`/],
    [() => c.next({ messages: [user('x')], positions: [1, 2] }), /`positions`/], [() => c.result({ tool: 't', output: '' }), /`callId`/], [() => c.settle(null), /`settle`/],
    [() => c.next({ messages: [user('x')], frame: { system: 5 } }), /`frame\.system`/],
  ]) await assert.rejects(call(), { code: 'bad_input', message: field });
});

test('values of absurd depth are refused before they reach the core', async () => {
  let deep = {};
  for (let i = 0; i < 100_000; i += 1) deep = { deep };
  await assert.rejects(open({ transcript: 't', model: W40, config: deep }), { code: 'bad_config' });
  await assert.rejects(open({ transcript: 't', model: W40, state: deep }), { code: 'bad_input' });
  const c = await start();
  assert.throws(() => c.set({ config: { eviction: deep } }), { code: 'bad_config' });
  await c.settle({ usage: { inputTokens: 12, raw: deep, inputTokenDetails: deep } });
  assert.equal(c.inspect().occupancy.tokens, 12);
});

test('a wrong frame leaves the one before in place', async () => {
  const c = await start();
  await c.next({ messages: [user('x')], frame: { system: 'y'.repeat(400) } });
  assert.throws(() => c.set({ frame: { system: 'y'.repeat(4_000), context: [{ kind: 'memory', text: 5 }] } }), { code: 'bad_input', message: /frame\.context\[0\]\.text/ });
  await c.next({ messages: [user('x')], frame: { system: 'y'.repeat(400) } });
  assert.equal(c.inspect().breakdown.buckets[0].tokens, 100);
});

test('two conversations over one host do not see each other', async () => {
  const { host } = countingHost();
  const [a, b] = await Promise.all([start({ host, transcript: 'a' }), start({ host, transcript: 'b' })]);
  const messages = rounds(20);
  await fill(a, messages, 21_000);
  assert.equal(untouched((await b.next({ messages: rounds(15) })).view, messages).length, 0);
  assert.deepEqual(states(b), { kept: 31 });
  assert.equal(await host.raw.get('c1', { transcript: 'b' }), null);
  assert.equal(await host.raw.get('c1', { transcript: 'a' }), text(1, 4_000));
  assert.deepEqual(chars4, { estimate: { counter: 'chars4' } });
});
