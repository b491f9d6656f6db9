// A session that ends at any of its calls to the host: by a rejection, by silence, by a stop, or by the process
// going away. What the next process shows is what an undisturbed run shows, or the history without the fold.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import { memoryStore } from '../../pkg/stores/memory.js';
import { outcome, roles, rounds, says, session, texts, user } from './session-kit.mjs';

const BRIEFING = '## Objective\nport the parser\n\n## Next Step\nRun cargo test\n'.padEnd(600, '.');
const config = { eviction: { keepRecentRounds: 6 }, summarize: { keepRounds: 2, background: false }, orders: { enabled: true } };
// Enough for an eviction that does not suffice, and the fold after it.
const MESSAGES = [user('use tabs'), says('p'.repeat(8_000)), ...rounds(9, 3_000), says('so far'), user('go on')];

/** The host's methods behind a gate that is asked before (`enter`) and after (`leave`) each call. */
function gated(gate) {
  const store = memoryStore();
  const host = {
    ...store,
    rows: () => [],
    summarize: () => ({ text: BRIEFING }),
    authority: () => ({ rules: 'be kind' }),
    pending: () => [],
  };
  const wrap = (name, owner, method) => async (...args) => {
    const k = gate.count;
    gate.count += 1;
    gate.names.push(name);
    await gate.enter?.(k, name);
    const answer = await method.apply(owner, args);
    await gate.leave?.(k, name);
    return answer;
  };
  const out = { raw: {} };
  for (const [name, method] of Object.entries(host)) if (typeof method === 'function') out[name] = wrap(name, host, method);
  for (const [name, method] of Object.entries(host.raw)) out.raw[name] = wrap(`raw.${name}`, host.raw, method);
  return { host: out, store };
}

const never = () => new Promise(() => {});
const reopen = (store) => session({ store: { ...store }, host: { rows: () => [] }, config: { ...config, summarize: { ...config.summarize, enabled: false } } });

/** The list was sent before, in a window that had room for it. */
async function roomy(c) {
  c.set({ model: { id: 'm', window: 10_000_000, maxOutput: 1_000 } });
  await c.next({ messages: MESSAGES });
  c.set({ model: { id: 'm', window: 10_000, maxOutput: 1_000 } });
}

/** One conversation up to its fold. */
async function run(gate, signal) {
  gate.count = 0;
  gate.names = [];
  const { host, store } = gated(gate);
  const { c } = await session({ store, host, config });
  await roomy(c);
  const asked = async () => {
    const n = await c.next({ messages: MESSAGES, signal });
    return { n, view: JSON.stringify(n.view) };
  };
  return { c, store, asked, opened: gate.count };
}

/** Every row's own text is in the view or stands behind something of ours that the ledger names. */
function nothingLost(c, n) {
  const { ledger } = c.inspect();
  assert.deepEqual(ledger.map((l) => l.index), MESSAGES.map((_, i) => i));
  for (const l of ledger) {
    if (l.state === 'folded') assert.ok(l.id);
    if (l.state === 'evicted') assert.ok(l.handle || l.loss);
  }
  const shown = texts(n.view).join('\n');
  assert.ok(shown.includes('use tabs') && shown.includes('go on'), 'what the user said is there');
  assert.equal(new Set(roles(n.view).match(/t/g) ?? []).size <= 1, true);
}

/** The views a restart may show: with the fold, and without it. */
async function allowed() {
  const whole = await run({});
  const { n, view } = await whole.asked();
  assert.equal(outcome(n, 'fold').outcome, 'done');
  const restarted = await reopen(whole.store);
  const after = await restarted.c.next({ messages: MESSAGES });
  assert.equal(JSON.stringify(after.view), view, 'undisturbed: a restart shows the same');
  return { view, folds: whole.c.state.folds.length };
}

describe('a kill at every call to the host', () => {
  test('the undisturbed run asks the store, the summarizer and for the rules', async () => {
    const gate = {};
    await (await run(gate)).asked();
    for (const name of ['load', 'raw.has', 'raw.put', 'summarize', 'authority', 'commit', 'pending']) assert.ok(gate.names.includes(name), `${name}: ${gate.names}`);
  });

  for (const [what, hooks] of [
    ['the process dies before the call', { enter: never }],
    ['the process dies after the call took effect', { leave: never }],
  ]) {
    test(`${what}: the restart shows the run's view or the unfolded one`, async () => {
      const { view } = await allowed();
      const probe = {};
      await (await run(probe)).asked();
      for (let k = probe.names.indexOf('load') + 1; k < probe.count; k += 1) {
        const hung = {};
        const reached = new Promise((resolve) => {
          for (const [side, stop] of Object.entries(hooks)) hung[side] = (n) => (n === k ? (resolve(), stop()) : undefined);
        });
        const { store, asked } = await run(hung);
        void asked().catch(() => {});
        await reached;
        // Nothing is closed: the process is gone. The next one has the store alone.
        const { c } = await reopen(store);
        const n = await c.next({ messages: MESSAGES });
        const folded = (c.state.folds?.length ?? 0) > 0;
        if (folded) assert.equal(JSON.stringify(n.view), view, `call ${k} (${hung.names[k]})`);
        else assert.ok(n.view.length >= MESSAGES.length - 1 || outcome(n, 'cascade'), `call ${k} (${hung.names[k]}): ${n.view.length} rows`);
        nothingLost(c, n);
      }
    });
  }

  test('a rejection at any call: the next request is legal, and the one after a recovery folds', async () => {
    const { view } = await allowed();
    const probe = {};
    await (await run(probe)).asked();
    for (let k = 0; k < probe.count; k += 1) {
      let failing = true;
      const gate = { enter: (n) => { if (failing && n === k) throw new Error('down'); } };
      const opening = probe.names[k] === 'load';
      const started = run(gate);
      if (opening) {
        await assert.rejects(started, /down/);
        continue;
      }
      const { c, store, asked } = await started;
      const first = await asked().catch((error) => ({ error }));
      if (first.error) assert.match(first.error.message, /down/, `call ${k} (${gate.names[k]})`);
      else nothingLost(c, first.n);
      failing = false;
      const second = await asked();
      nothingLost(c, second.n);
      const blob = store.load({ transcript: 't' })?.blob;
      if (blob) assert.deepEqual(JSON.parse(blob).folds ?? [], JSON.parse(JSON.stringify(c.state.folds ?? [])), `call ${k} (${gate.names[k]}): memory and store agree`);
      const done = await asked();
      if (!['raw.put', 'raw.has'].includes(gate.names[k])) assert.equal(done.view, view, `call ${k} (${gate.names[k]})`);
    }
  });

  test('t_15 a stop at any call: the reason comes back as it is, nothing changed before the commit, no listener stays', async () => {
    const { view } = await allowed();
    const probe = {};
    await (await run(probe)).asked();
    const commit = probe.names.indexOf('commit');
    for (let k = probe.names.indexOf('load') + 1; k < probe.count; k += 1) {
      const stop = new AbortController();
      const reason = { why: 'stopped' };
      const gate = { enter: (n) => { if (n === k) stop.abort(reason); } };
      const { c, store, asked } = await run(gate, stop.signal);
      const before = JSON.stringify(c.state);
      const first = await asked().catch((error) => ({ error }));
      const where = `call ${k} (${probe.names[k]})`;
      if (k <= commit) {
        assert.equal(first.error, reason, where);
        if (store.load({ transcript: 't' }) === null) assert.equal(JSON.stringify(c.state), before, where);
      } else if (first.error) assert.equal(first.error, reason, where);
      assert.equal(getEventListeners(stop.signal, 'abort').length, 0, where);
      const again = await c.next({ messages: MESSAGES });
      assert.equal(JSON.stringify(again.view), view, where);
      assert.equal(c.state.folds.length, 1, where);
    }
  });

  test('t_16 a host that never answers ends by the deadline, and the timer with it', async (t) => {
    const gate = { enter: (k, name) => (name === 'summarize' ? never() : undefined) };
    const { asked } = await run(gate);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const pending = asked();
    for (let i = 0; i < 400 && !gate.names.includes('summarize'); i += 1) await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(120_001);
    const { n } = await pending;
    assert.equal(outcome(n, 'fold').reason, 'summarizer_failed');
  });

  test('t_18 twenty calls at once give what they give one after the other', async () => {
    const lists = Array.from({ length: 20 }, (_, i) => MESSAGES.slice(0, 3 + i));
    const serial = await session({ config, host: { summarize: () => ({ text: BRIEFING }) } });
    const one = [];
    for (const messages of lists) one.push(JSON.stringify((await serial.c.next({ messages })).view));
    const overlapping = await session({ config, host: { summarize: () => ({ text: BRIEFING }) } });
    const all = await Promise.all(lists.map(async (messages) => JSON.stringify((await overlapping.c.next({ messages })).view)));
    assert.deepEqual(all, one);
  });

  test('t_35 a store that answers with an older version after a commit is refused', async () => {
    const store = memoryStore();
    let lag;
    const { c } = await session({ store: { ...store, load: (x) => lag ?? store.load(x), commit: (x, y) => (lag ? 'conflict' : store.commit(x, y)) }, host: { summarize: () => ({ text: BRIEFING }) }, config });
    await roomy(c);
    await c.next({ messages: MESSAGES });
    lag = { ...store.load({ transcript: 't' }), version: 0 };
    await assert.rejects(c.next({ messages: [...MESSAGES, ...rounds(9, 3_000, 'z'), says('x')] }), { code: 'stale_store' });
  });

  test('t_40 eight workers, one store, one soft crossing: one checkpoint, no lost row', async () => {
    const store = memoryStore();
    let asked = 0;
    const slow = () => new Promise((resolve) => setTimeout(() => resolve({ text: BRIEFING }), 5 + 3 * (asked += 1)));
    const workers = await Promise.all(Array.from({ length: 8 }, () => session({ store, host: { summarize: slow, rows: () => [] }, config })));
    for (const { c } of workers) await roomy(c);
    const views = await Promise.all(workers.map(async ({ c }) => (await c.next({ messages: MESSAGES })).view));
    const { folds } = JSON.parse(store.load({ transcript: 't' }).blob);
    assert.equal(folds.length, 1);
    assert.ok(asked <= 8 && asked >= 1);
    const reports = workers.flatMap(({ events }) => events.filter((e) => e.type === 'context.folding')).length;
    assert.equal(reports, asked, 'every call of the summarizer is reported');
    for (const { c } of workers) assert.equal((await c.next({ messages: MESSAGES })).view.length, views[0].length);
    assert.ok(views.every((view) => JSON.stringify(view) === JSON.stringify(views[0])));
  });

  test('t_17 two thousand opens without a close stay within a bound', { timeout: 120_000 }, async () => {
    const { open } = await import('../../pkg/inline.js');
    await open({ transcript: 'w', model: { id: 'm', window: 1_000 } });
    const before = process.memoryUsage.rss();
    for (let i = 0; i < 2_000; i += 1) await open({ transcript: `t${i}`, model: { id: 'm', window: 1_000 } });
    const grown = process.memoryUsage.rss() - before;
    assert.ok(grown < 2_000 * 150_000, `${grown} bytes for 2,000 sessions that were never closed`);
  });
});
