// D-15: a secret that the host's hook takes out of a result stays out, in every stage that comes later, though the host's own
// rows still hold it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { open } from '../../pkg/inline.js';
import { memoryStore } from '../../pkg/stores/memory.js';
import { answer, call, result, say, text, user } from './chat.mjs';

const SECRET = 'hunter2hunter2';
const CHARS4 = { estimate: { counter: 'chars4' } };
const secretive = (/** @type {number} */ n, /** @type {number} */ size) => `${text(n, Math.floor(size / 2))} ${SECRET} ${'y'.repeat(Math.floor(size / 2))}`;

/** Closed turns of one call each; every result holds the secret. */
const turns = (/** @type {number[]} */ sizes) => sizes.flatMap((size, i) => [user(`task ${i}`), call(`c${i}`), result(answer(`c${i}`, secretive(i, size))), say(`done ${i}`)]);

/** A session whose every answer is written down. */
async function watched(/** @type {any} */ config, /** @type {any} */ model, /** @type {any} */ more = {}) {
  const seen = /** @type {string[]} */ ([]);
  const note = (/** @type {unknown} */ value) => void seen.push(JSON.stringify(value));
  const store = memoryStore();
  let durable = /** @type {any[]} */ ([]);
  const host = {
    ...store,
    raw: { ...store.raw, put: (/** @type {any[]} */ ...args) => (note(args.slice(0, 2)), store.raw.put(.../** @type {[any, any, any]} */ (args))) },
    commit: (/** @type {any} */ input, /** @type {any} */ context) => (note(input), store.commit(input, context)),
    redact: (/** @type {any} */ input) => input.text.replaceAll(SECRET, '[gone]'),
    rows: (/** @type {any} */ { from, to }) => durable.map((message, position) => ({ position, message })).filter((r) => r.position >= from && r.position <= to),
    onEvent: note,
    ...more(note),
  };
  const open1 = () => open({ transcript: 't', format: 'ai-sdk', model, host, config: { ...CHARS4, ...config } });
  const c = await open1();
  return {
    c,
    seen,
    reopen: open1,
    async next(/** @type {any[]} */ messages, how = 'next', session = c) {
      durable = messages;
      const n = await session[how]({ messages });
      note([n.view, n.events, n.outcomes, session.inspect(), session.state]);
      for (const id of new Set([...JSON.stringify(n.view).matchAll(/read_tool_output\(\{ id: \\"([^"\\]+)\\"/g)].map((m) => m[1]))) note([id, await session.tools[0].execute({ id })]);
      return n;
    },
    clean() {
      assert.ok(seen.length > 1);
      for (const one of seen) assert.ok(!one.includes(SECRET), one.slice(Math.max(0, one.indexOf(SECRET) - 200), one.indexOf(SECRET) + 20));
      assert.ok(seen.some((one) => one.includes('[gone]') || one.includes('redacted')), 'the hook was at work');
    },
  };
}
const nothing = () => ({});
const stages = (/** @type {any} */ n) => n.outcomes.filter((/** @type {any} */ o) => o.outcome === 'done').map((/** @type {any} */ o) => o.stage);

describe('D-15: nothing that is taken out comes back', () => {
  test('D-15 clamp and evict: no copy, no handle, also in another process', async () => {
    const w = await watched({}, { id: 'm', window: 40_000, maxOutput: 4_000 }, nothing);
    const messages = turns([60_000, 6_000, 6_000, 400, 24_000, 24_000, 24_000, 24_000, 900, 900, 900]);
    const n = await w.next(messages);
    assert.ok(stages(n).includes('clamp') && stages(n).includes('evict'), stages(n).join());
    assert.ok(!JSON.stringify(n.view).includes('read_tool_output'));
    const again = await w.reopen();
    const m = await w.next(messages, 'next', again);
    assert.equal(JSON.stringify(m.view), JSON.stringify(n.view));
    w.clean();
  });

  test('D-15 the cascade: shortened results, group lines, turns told by rule, a digest', async () => {
    const w = await watched({ eviction: { enabled: false }, summarize: { enabled: false, keepRecent: 0, keepRounds: 0 } }, { id: 'm', window: 1_000_000, maxOutput: 1_000 }, nothing);
    const messages = [...turns([...Array(8).fill(3_000), ...Array(14).fill(1_600)]), user('and now')];
    await w.next(messages);
    w.c.set({ model: { id: 'm', window: 10_000, maxOutput: 1_000 } });
    const n = await w.next(messages);
    assert.deepEqual(stages(n).filter((/** @type {string} */ s) => s === 'cascade'), ['cascade']);
    assert.match(n.outcomes.find((/** @type {any} */ o) => o.stage === 'cascade').detail, /dropped|turns|digest/);
    w.clean();
  });

  test('D-15 the digest of a running turn', async () => {
    const w = await watched({ eviction: { enabled: false } }, { id: 'm', window: 40_000, maxOutput: 4_000 }, nothing);
    const messages = [user('go'), ...Array.from({ length: 12 }, (_, i) => [call(`c${i}`), result(answer(`c${i}`, secretive(i, 3_000)))]).flat()];
    const n = await w.next([...messages, say('so far')], 'compact');
    assert.ok(stages(n).includes('digest'), stages(n).join());
    w.clean();
  });

  test('D-15 the fold, its request, and what is promoted from its rows', async () => {
    const more = (/** @type {any} */ note) => ({
      summarize: (/** @type {any} */ request) => (note(request), { text: `## Objective\n${request.covered.slice(0, 100)}` }),
      extract: (/** @type {any} */ { rows }) => (note(rows), []),
      addFact: note,
    });
    const w = await watched({ summarize: { keepRecent: 0, keepRounds: 1 }, memoryPromotion: { mode: 'auto' } }, { id: 'm', window: 40_000, maxOutput: 4_000 }, more);
    const messages = turns([30_000, 700, 700, 3_000]);
    await w.next(messages);
    const n = await w.next(messages, 'compact');
    assert.ok(stages(n).includes('fold'), stages(n).join());
    await new Promise((resolve) => setTimeout(resolve, 5));
    w.clean();
    assert.ok(w.seen.some((one) => one.includes('task 0') && one.includes('[gone]') && one.includes('"covered"')), 'the summarizer saw what the hook left');
  });

  test('D-15 errors: a hook that fails stops the call, and its text is in no message of ours', async () => {
    const c = await open({ transcript: 't', format: 'ai-sdk', model: { id: 'm', window: 40_000 }, host: { ...memoryStore(), redact: () => 42 } });
    await assert.rejects(c.next({ messages: turns([600]) }), (/** @type {any} */ e) => e.code === 'bad_input' && !e.message.includes(SECRET));
    c.close();
  });
});
