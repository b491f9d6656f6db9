// Decisions about numbers, and the traps they avoid: what is exact, what is assumed, what never depends on the machine.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { open } from '../../pkg/inline.js';
import { panelModel } from '../../pkg/panel.js';
import { breakdown, gaugeText } from '../../pkg/pure.js';
import { calls, filler, result, rounds, says, session, user } from './session-kit.mjs';

const QUIET = { eviction: { enabled: false }, summarize: { enabled: false }, cascade: { enabled: false } };
const usageOf = (events) => events.find((event) => event.type === 'context.usage');

test('D-34 free is never negative, percent is unrounded, the gauge shows thousands', () => {
  const buckets = [{ id: 'messages', label: 'Messages', tokens: 1_000 }];
  const of = (real, window, maxOutput) => breakdown({ buckets, real, model: { id: 'm', window, maxOutput } });
  assert.deepEqual([of(80_000, 256_000, 56_000).free, of(80_000, 256_000, 56_000).percent], [120_000, 31.25]);
  assert.deepEqual([of(230_000, 256_000, 56_000).free, of(300_000, 256_000, 56_000).percent], [0, 117.1875]);
  assert.equal(of(1, 3, 0).percent, 100 / 3);
  assert.deepEqual([gaugeText(80_000, 256_000), gaugeText(999, 8_192), gaugeText(79_500, 200_000), gaugeText(0, 10_000)], ['ctx 80k/256k', 'ctx 999/8k', 'ctx 80k/200k', 'ctx 0/10k']);
});

test('D-48 every number says how it is known, and what is summed is known no better than its parts', async () => {
  const { c } = await session({ window: 200_000, config: QUIET });
  const known = () => [c.inspect().occupancy.provenance, c.inspect().breakdown.provenance];
  const list = [user('go')];
  await c.next({ messages: list });
  assert.deepEqual(known(), ['estimated', 'estimated']);
  const { events, occupancy } = await c.settle({ usage: { inputTokens: 5_000 } });
  assert.deepEqual([occupancy, usageOf(events).provenance, usageOf(events).approximate], [{ tokens: 5_000, provenance: 'exact' }, 'exact', false]);
  assert.deepEqual(known(), ['exact', 'exact']);
  list.push(says('x'.repeat(40)), user('y'.repeat(40)));
  const next = await c.next({ messages: list });
  assert.deepEqual(next.occupancy, { tokens: 5_020, provenance: 'anchored' });
  assert.deepEqual(known(), ['anchored', 'anchored']);
  assert.equal(panelModel(usageOf(next.events) ?? c.inspect().breakdown).mark, 'anchored');
});

test('D-49 at settle the gauge is the input that was counted; from the next request on the response counts as it was reported', async () => {
  const { c } = await session({ window: 200_000, config: QUIET });
  const list = [user('go')];
  await c.next({ messages: list });
  const { occupancy } = await c.settle({ usage: { inputTokens: 10_000, outputTokens: 700 } });
  assert.deepEqual(occupancy, { tokens: 10_000, provenance: 'exact' });
  assert.deepEqual(c.inspect().occupancy, occupancy, 'nothing was sent since');
  // 40 characters are 10 tokens by the estimate; 700 is what the provider reported for them.
  list.push(says('x'.repeat(40)), user('z'.repeat(400)));
  assert.deepEqual((await c.next({ messages: list })).occupancy, { tokens: 10_800, provenance: 'anchored' });
});

test('D-56 a window that nobody knows is assumed, and says so wherever it is shown', async () => {
  const c = await open({ transcript: 't', model: 'unheard-of' });
  await c.next({ messages: [user('go')] });
  const { events, window } = await c.settle({ usage: { inputTokens: 64_000 } });
  assert.deepEqual(window, { tokens: 128_000, source: 'assumed', model: 'unheard-of' });
  const event = usageOf(events);
  assert.deepEqual([c.inspect().breakdown.assumed, event.assumed, event.contextLimit, panelModel(event).assumed], [true, true, 128_000, 'assumed window']);
  const known = await open({ transcript: 't', model: 'gpt-4o' });
  await known.next({ messages: [user('go')] });
  const told = usageOf((await known.settle({ usage: { inputTokens: 64_000 } })).events);
  assert.deepEqual([known.inspect().breakdown.assumed, told.assumed, panelModel(told).assumed], [undefined, undefined, null]);
  const own = await open({ transcript: 't', model: { id: 'unheard-of', assumedWindow: 32_000 } });
  assert.deepEqual(own.inspect().window, { tokens: 32_000, source: 'assumed', model: 'unheard-of' });
});

test('T-27 large numbers: ten million tokens are a window, 2^31 are refused in words, a file of 5 GB is a size', async () => {
  const c = await open({ transcript: 't', model: { id: 'm', window: 10_000_000 }, config: { estimate: { counter: 'chars4' }, ...QUIET } });
  const file = { role: 'user', content: [{ type: 'text', text: 'look' }, { type: 'file', data: 'https://example.com/disk.img', mediaType: 'application/octet-stream', size: 5_000_000_000 }] };
  await c.next({ messages: [file] });
  await c.settle({ usage: { inputTokens: 9_000_000 } });
  const shown = c.inspect();
  assert.deepEqual([shown.thresholds.evict, shown.breakdown.total, shown.breakdown.percent], [5_000_000, 9_000_000, 90]);
  assert.doesNotThrow(() => JSON.stringify([shown, c.state]), 'no BigInt anywhere');
  await c.settle({ usage: { inputTokens: 5_000_000_000 } });
  assert.equal(c.inspect().occupancy.tokens, 9_000_000, 'a count that no window has is none');
  await assert.rejects(open({ transcript: 't', model: { id: 'm', window: 2 ** 31 } }), { code: 'bad_input', message: /below 2\^31/ });
  assert.throws(() => c.set({ model: { id: 'm', window: 2 ** 31 } }), { code: 'bad_input' });
});

test('T-31 time zone, language and locale of the machine change no byte of what is sent or shown', () => {
  const script = `
    import { open } from ${JSON.stringify(new URL('../../pkg/inline.js', import.meta.url).href)};
    import { panelModel } from ${JSON.stringify(new URL('../../pkg/panel.js', import.meta.url).href)};
    import { gaugeText } from ${JSON.stringify(new URL('../../pkg/pure.js', import.meta.url).href)};
    const messages = ${JSON.stringify([user('go'), ...rounds(9, 12_345)])};
    const c = await open({ transcript: 't', model: { id: 'm', window: 40_000, maxOutput: 4_000 }, config: { estimate: { counter: 'chars4' }, summarize: { enabled: false } } });
    const { view, events } = await c.next({ messages });
    const told = (await c.settle({ usage: { inputTokens: 12_345 } })).events.find((e) => e.type === 'context.usage');
    const all = { view, events, told, panel: panelModel(told), gauge: gaugeText(1_234_567, 10_000_000), at: c.inspect() };
    process.stdout.write(JSON.stringify(all));`;
  const run = (env) => execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: fileURLToPath(new URL('../..', import.meta.url)), env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' });
  const first = run({ TZ: 'UTC', LANG: 'C', LC_ALL: 'C' });
  assert.match(first, /12,345 of 40,000 tokens/);
  assert.match(first, /"state":"evicted"/);
  for (const env of [{ TZ: 'Asia/Kathmandu', LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8' }, { TZ: 'America/St_Johns', LANG: 'ar_EG.UTF-8', LC_ALL: 'ar_EG.UTF-8' }, { TZ: 'Pacific/Apia', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' }]) {
    assert.equal(run(env), first, JSON.stringify(env));
  }
});

test('T-32 nothing that depends on Unicode tables or on a vocabulary is stored: the state holds no index of words', async () => {
  const { c } = await session({ window: 40_000, maxOutput: 4_000, config: { summarize: { enabled: false }, retrieval: { enabled: true, mode: 'lexical' } } });
  const list = [user('İSTANBUL ſtraße Ǆungla quarterly'), calls('c1'), result('c1', filler(8_000)), says('Größe'), ...rounds(9, 8_000)];
  await c.next({ messages: list });
  await c.settle({ usage: { inputTokens: 30_000 } });
  const stored = JSON.stringify(c.state);
  assert.ok(Object.keys(c.state).length > 3);
  assert.doesNotMatch(stored, /stanbul|straße|ungla|quarterly|größe/i);
});
