// The worked examples, through the package as a host uses it. The same ones run natively in tests/acceptance.rs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../../pkg/inline.js';
import * as pure from '../../pkg/pure.js';
import { memoryStore } from '../../pkg/stores/memory.js';
import { W10, W40, answer, call, chars4, countingHost, fill, outputOf, result, rounds, start, states, text, tokensOf, untouched, user } from './chat.mjs';

const QUIET = { eviction: { enabled: false } };
const evictedEvent = ({ events }) => events.find((e) => e.type === 'context.evicted');

test('M-1 the latest count, then what was appended', async () => {
  for (const [output, expected] of [[undefined, 111_001], [250, 111_250]]) {
    const c = await start({ model: { id: 'm', window: 200_000, maxOutput: 64_000 }, config: QUIET });
    const messages = [user('go')];
    await c.next({ messages });
    await c.settle({ usage: { inputTokens: 73_000 } });
    const settled = await c.settle({ usage: { inputTokens: 110_000, outputTokens: output } });
    assert.deepEqual(settled.occupancy, { tokens: 110_000, provenance: 'exact' });
    messages.push(call('c1'), result(answer('c1', text(1, 4_000))));
    assert.deepEqual((await c.next({ messages })).occupancy, { tokens: expected, provenance: 'anchored' });
    await c.settle({ usage: { inputTokens: 0 } });
    assert.equal((await c.next({ messages })).occupancy.tokens, expected);
    c.close();
  }
});

test('M-2 cached tokens are added or included as the provider counts them', () => {
  assert.equal(pure.readUsage({ input_tokens: 500, cache_creation_input_tokens: 2_000, cache_read_input_tokens: 97_500 }).inputTokens, 100_000);
  assert.equal(pure.readUsage({ input_tokens: 100_000, input_tokens_details: { cached_tokens: 97_500 }, output_tokens: 1, output_tokens_details: {} }).inputTokens, 100_000);
});

test('M-3 an eviction is subtracted from the last count', async () => {
  const c = await start({ model: { id: 'm', window: 100_000, maxOutput: 4_000 }, config: { eviction: { toFraction: 0 } }, host: memoryStore() });
  const messages = rounds(53, 3_700);
  const n = await fill(c, messages, 52_000);
  const { reclaimedTokens, resultCount } = evictedEvent(n);
  assert.equal(resultCount, 50);
  assert.deepEqual(n.occupancy, { tokens: 52_000 - reclaimedTokens, provenance: 'anchored' });
  const stubs = n.view.slice(1, 101).filter((m) => m.role === 'tool').map((m) => tokensOf(outputOf(m)));
  assert.equal(reclaimedTokens, 50 * 925 - stubs.reduce((a, b) => a + b));
});

test('M-4 three steps of one stream: the gauge is the last step, never the sum', async () => {
  const c = await start();
  for (const inputTokens of [100, 200, 300]) await c.settle({ usage: { inputTokens, outputTokens: 9, totalTokens: inputTokens + 9 } });
  assert.deepEqual(c.inspect().occupancy, { tokens: 300, provenance: 'exact' });
});

test('CL-1 a long result is stored whole, cut, and never again', async () => {
  const { host, count } = countingHost();
  const c = await start({ host });
  const long = 'a'.repeat(30_000);
  const short = await c.result({ callId: 'c1', tool: 'read', output: long });
  assert.deepEqual([short.clamped, short.handle], [true, 'c1']);
  const [, head, marker, tail] = /^(a+)(\[.*\])(a+)$/.exec(short.output);
  assert.deepEqual([head.length, tail.length], [16_660, 7_140]);
  assert.match(marker, /6200 of 30000 .*read_tool_output\(\{ id: "c1", offset: 16660, limit: 6200 \}\)/);
  assert.ok(short.output.length <= 24_000);
  assert.equal(await host.raw.get('c1', { transcript: 't' }), long);
  assert.equal((await c.result({ callId: 'c2', tool: 'read', output: short.output })).output, short.output);
  const messages = [user('go'), call('c1'), result(answer('c1', short.output))];
  const n = await c.next({ messages });
  assert.deepEqual(untouched(n.view, messages), [0, 1, 2]);
  assert.equal(count('put'), 1);
});

test('CL-2 the cap itself is untouched, one more is cut', async () => {
  const { host, count } = countingHost();
  const c = await start({ host });
  const fits = 'a'.repeat(24_000);
  assert.deepEqual(await c.result({ callId: 'c1', tool: 'read', output: fits }), { output: fits, clamped: false });
  assert.equal(count('put'), 0);
  const { output } = await c.result({ callId: 'c2', tool: 'read', output: 'a'.repeat(24_001) });
  assert.equal(output.replace(/\[.*\]/, '').length, 23_800);
  assert.ok(output.includes('201 of 24001') && output.length <= 24_000);
});

test('CL-3 no pair is split, the gap reads back, JSON stays JSON', async () => {
  const c = await start({ host: memoryStore() });
  const { output } = await c.result({ callId: 'c1', tool: 'read', output: `a${'😀'.repeat(15_000)}` });
  assert.ok(output.isWellFormed());
  assert.match(output, /offset: 16659, limit: 6202/);
  assert.equal([...output.replace(/\[.*\]/, '')].length, 1 + 8_329 + 3_570);
  const back = await c.tools[0].execute({ id: 'c1', offset: 16_659, limit: 6_202 });
  assert.equal(back.slice(0, back.lastIndexOf('\n')), '😀'.repeat(3_101));

  const small = await start({ host: memoryStore(), config: { toolOutput: { maxChars: 4_000 } } });
  const rows = Array.from({ length: 1_000 }, (_, i) => String(i).padEnd(100, '.'));
  const json = await small.result({ callId: 'j1', tool: 'query', output: { total: 1_000, rows, next: 'p2' } });
  assert.deepEqual(Object.keys(json.output), ['total', 'rows', 'next', '_omitted']);
  assert.deepEqual([json.output.total, json.output.next], [1_000, 'p2']);
  const kept = json.output.rows.length;
  assert.ok(kept > 20 && json.output.rows[0] === rows[0] && json.output.rows.at(-1) === rows.at(-1));
  assert.equal(json.output._omitted, `${1_000 - kept} of 1000; read_tool_output({ id: "j1" })`);
  assert.ok(JSON.stringify(json.output).length <= 4_000);
});

const half = 'b'.repeat(50_000);
const withSecret = `${half}SECRET${'b'.repeat(49_994)}`;

test('RR-1 a redacted result is never stored and offers no handle, now, later or after a restart', async () => {
  const seen = [];
  const { host, log } = countingHost({
    redact({ text: t }) {
      seen.push(t.length);
      return t.replace('SECRET', '[gone]');
    },
  });
  const c = await start({ host });
  const short = await c.result({ callId: 'c1', tool: 'read', output: withSecret });
  assert.deepEqual([seen, short.clamped, short.handle], [[100_000], true, undefined]);
  assert.ok(!/SECRET|read_tool_output/.test(short.output));
  const messages = [user('go'), call('c1'), result(answer('c1', short.output)), ...rounds(30).slice(3)];
  await c.next({ messages: messages.slice(0, 3) });
  c.close();
  const reopened = await start({ host });
  const n = await fill(reopened, messages, 36_000);
  assert.match(outputOf(n.view[2]), /^\[context-cleared\] .*redacted/);
  assert.ok(!outputOf(n.view[2]).includes('c1'));
  assert.deepEqual(reopened.inspect().ledger[2], { index: 2, position: 2, state: 'evicted', loss: 'redacted' });
  assert.ok(!log.includes('put c1') && log.includes('put c3'));
  assert.equal(seen.filter((l) => l === 100_000).length, 1);
});

test('RR-2 reading back: matching lines, pages under the cap, never stored again', async () => {
  const { host, log } = countingHost();
  const c = await start({ host });
  const raw = Array.from({ length: 900 }, (_, i) => `${i % 400 === 50 ? 'ERR ' : '    '}${String(i).padEnd(61, '.')}`).join('\n');
  await c.result({ callId: 'c1', tool: 'read', output: raw });
  const [tool] = c.tools;
  const found = await tool.execute({ id: 'c1', grep: 'ERR' });
  assert.deepEqual(found.split('\n').slice(0, -1), raw.split('\n').filter((l) => l.startsWith('ERR')));
  const page = await tool.execute({ id: 'c1', offset: 0, limit: 60_000 });
  assert.ok(page.startsWith(raw.slice(0, 23_800)) && page.endsWith('next offset: 23800]') && page.length <= 24_000);
  assert.match(await tool.execute({ id: 'c1', grep: 'nowhere' }), /^No line of the output "c1" contains "nowhere"/);
  assert.match(await tool.execute({ id: 'c9' }), /^No stored output for "c9"/);

  const readBack = { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'r1', toolName: 'read_tool_output', input: { id: 'c1', offset: 23_800 } }] };
  const messages = [user('go'), readBack, result(answer('r1', text(77, 4_000))), ...rounds(20).slice(3)];
  const n = await fill(c, messages, 21_000);
  assert.match(outputOf(n.view[2]), /\[read_tool_output\(\{ id: "c1", offset: 23800 \}\) returns it\]$/);
  assert.equal(c.inspect().ledger[2].handle, 'c1');
  assert.ok(!log.includes('put r1'));
});

test('RR-3 nothing is kept with persistRaw off, and nobody reads another transcript', async () => {
  const { host, count } = countingHost();
  const c = await start({ host, config: { toolOutput: { persistRaw: false } } });
  assert.deepEqual(c.tools, []);
  const { output, handle } = await c.result({ callId: 'c1', tool: 'read', output: 'a'.repeat(30_000) });
  assert.ok(output.length <= 24_000 && output.includes('run the tool again') && !output.includes('read_tool_output'));
  assert.deepEqual([handle, count('put')], [undefined, 0]);

  const a = await start({ host });
  await a.result({ callId: 'c1', tool: 'read', output: 'a'.repeat(30_000) });
  const b = await start({ host, transcript: 'other' });
  assert.match(await b.tools[0].execute({ id: 'c1' }), /^No stored output/);
});

test('EV-1 exactly the oldest twelve become stubs, once and for all', async () => {
  const { host, count } = countingHost();
  const c = await start({ host });
  const messages = rounds(20);
  const n = await fill(c, messages, 21_000);
  assert.equal(n.view.length, 41);
  const stubs = Array.from({ length: 12 }, (_, i) => outputOf(n.view[2 * i + 2]));
  assert.ok(stubs.every((s) => s.startsWith('[context-cleared]') && tokensOf(s) <= 83));
  assert.deepEqual(untouched(n.view, messages), messages.map((_, i) => i).filter((i) => i % 2 === 1 || i === 0 || i > 24));
  const freed = 12_000 - stubs.reduce((sum, s) => sum + tokensOf(s), 0);
  const { type, reclaimedTokens, resultCount, persist } = evictedEvent(n);
  assert.deepEqual({ type, reclaimedTokens, resultCount, persist }, { type: 'context.evicted', reclaimedTokens: freed, resultCount: 12, persist: false });
  assert.deepEqual(n.occupancy, { tokens: 21_000 - freed, provenance: 'anchored' });
  assert.deepEqual([n.outcomes[0].stage, n.outcomes[0].outcome], ['evict', 'done']);
  assert.deepEqual([count('put'), count('commit')], [12, 1]);
  const again = await c.next({ messages });
  assert.deepEqual(again.events, []);
  assert.ok(again.view.every((m, i) => m === n.view[i]), 'the very same objects');
  assert.deepEqual([count('put'), count('commit')], [12, 1]);
  // Restarted, with messages that were read from a database meanwhile.
  const reopened = await start({ host });
  const copies = JSON.parse(JSON.stringify(messages));
  assert.equal(JSON.stringify((await reopened.next({ messages: copies })).view), JSON.stringify(n.view));
});

test('EV-1 the pure plan decides the same', () => {
  const messages = rounds(20);
  const p = pure.plan({ messages, model: W40, config: chars4, occupancy: 21_000 });
  assert.equal(p.spill.length, 12);
  assert.deepEqual(p.spill[0], { handle: 'c1', text: text(1, 4_000) });
  assert.deepEqual(untouched(p.view, messages).length, 29);
  const second = pure.plan({ messages, model: W40, config: chars4, state: p.state });
  assert.deepEqual([second.spill, JSON.stringify(second.view)], [[], JSON.stringify(p.view)]);
});

test('EV-2 net below the minimum is declined', async () => {
  const { host, count } = countingHost();
  let c = await start({ host, model: W10 });
  let messages = rounds(5);
  let n = await fill(c, messages, 5_900);
  assert.deepEqual(n.outcomes, [{ stage: 'evict', outcome: 'declined', reason: 'below_minimum' }]);
  assert.deepEqual([untouched(n.view, messages).length, n.events, count('put'), count('commit')], [11, [], 0, 0]);
  c = await start({ host: memoryStore(), model: W10 });
  messages = rounds(6);
  n = await fill(c, messages, 5_900);
  const stubs = [2, 4, 6].map((i) => tokensOf(outputOf(n.view[i])));
  assert.deepEqual([evictedEvent(n).resultCount, evictedEvent(n).reclaimedTokens], [3, 3_000 - stubs.reduce((a, b) => a + b)]);
});

test('EV-3 of parallel results only the large ones go, and the calls stay the same object', async () => {
  const { host, log } = countingHost();
  const c = await start({ host, model: W10 });
  const real = `[context-cleared] ${text(103, 7_982)}`;
  const messages = [user('go'), call('p1', 'p2', 'p3'), result(answer('p1', text(101, 100)), answer('p2', text(102, 4_000)), answer('p3', real)), ...rounds(3).slice(1)];
  await host.raw.put('p2', 'stored before', { transcript: 't' });
  const n = await fill(c, messages, 7_000);
  assert.equal(n.view[1], messages[1]);
  assert.equal(n.view[2].content[0], messages[2].content[0]);
  assert.ok([1, 2].every((i) => outputOf(n.view[2], i).startsWith('[context-cleared] read: ok')));
  assert.deepEqual(c.inspect().ledger[2].parts.map(({ part, handle }) => [part, handle]), [[1, 'p2'], [2, 'p3']]);
  assert.equal(await host.raw.get('p3', { transcript: 't' }), real, 'real text that looks like a stub is evictable');
  assert.deepEqual([log.filter((l) => l === 'put p2').length, log.includes('has p2')], [1, true], 'what is stored is not put again');
});

test('EV-3 without recent rounds everything that was read may go, the open round and the unread may not', async () => {
  const config = { eviction: { keepRecentRounds: 0, toFraction: 0 } };
  let c = await start({ host: memoryStore(), model: W10, config });
  let messages = rounds(5);
  let n = await fill(c, messages, 6_000);
  assert.deepEqual(untouched(n.view, messages), [0, 1, 3, 5, 7, 9, 10]);
  c = await start({ host: memoryStore(), model: W10, config });
  messages = [...messages, call('o1', 'o2'), result(answer('o1', text(9, 4_000)))];
  n = await c.next({ messages });
  assert.deepEqual(untouched(n.view, messages), [0, 1, 3, 5, 7, 9, 11, 12]);
});

const FRAME = {
  system: 'y'.repeat(4_800),
  index: 'y'.repeat(600),
  tools: [
    { name: 'issues', source: 'github', schema: 'y'.repeat(5_998) },
    { name: 'read', source: 'builtin', schema: 'y'.repeat(3_998) },
    { name: 'pulls', source: 'github', schema: 'y'.repeat(1_998) },
    { name: 'z', source: 'other', schema: 'y'.repeat(19_998), deferred: true },
  ],
  // What frames it in the head counts, too: 48 characters.
  context: [{ kind: 'memory', text: 'y'.repeat(1_552) }],
};
const withImage = [{ role: 'user', content: [{ type: 'text', text: 'm'.repeat(36_000) }, { type: 'image', image: new Uint8Array([1, 2, 3]), mediaType: 'image/png' }] }];
const BIG = { id: 'm', window: 200_000, maxOutput: 64_000 };

test('BD-1 buckets and overhead are the total, deferred tools are shown and not summed', async () => {
  for (const [real, overhead] of [[15_900, 590], [15_000, -310]]) {
    const c = await start({ model: BIG, config: { media: { imageTokens: 1_560 } } });
    const n = await c.next({ messages: withImage, frame: FRAME });
    assert.deepEqual(n.frame, { system: FRAME.system, tools: ['read', 'issues', 'pulls'] });
    await c.settle({ usage: { inputTokens: real } });
    const { breakdown: b } = c.inspect();
    assert.deepEqual(b.buckets.map(({ id, tokens }) => [id, tokens]), [['system', 1_200], ['index', 150], ['tools', 3_000], ['deferred', 5_000], ['context', 400], ['messages', 9_000], ['attachments', 1_560]]);
    assert.deepEqual(b.buckets[2].items, [{ label: 'builtin', tokens: 1_000 }, { label: 'github', tokens: 2_000, items: [{ label: 'issues', tokens: 1_500 }, { label: 'pulls', tokens: 500 }] }]);
    assert.deepEqual([b.overhead, b.total, b.provenance], [overhead, real, 'exact']);
    if (overhead > 0) assert.deepEqual([b.free, Math.round(b.percent)], [120_100, 8]);
    assert.equal(b.buckets.filter((x) => x.summed !== false).reduce((sum, x) => sum + x.tokens, b.overhead), b.total);
  }
});

test('BD-2 without a real count: no overhead, estimated; more than the window is shown as such', async () => {
  const c = await start({ model: BIG, config: { media: { imageTokens: 1_560 } } });
  await c.next({ messages: withImage, frame: FRAME });
  const { breakdown: b } = c.inspect();
  assert.deepEqual([b.overhead, b.total, b.provenance], [0, 15_310, 'estimated']);
  const over = pure.breakdown({ buckets: [], real: 300_000, model: { id: 'm', window: 256_000, maxOutput: 32_000 } });
  assert.deepEqual([Math.round(over.percent), over.free], [117, 0]);
  assert.equal(pure.gaugeText(80_000, 256_000), 'ctx 80k/256k');
});

test('the usage event carries the gauge under the names its readers know', async () => {
  const c = await start({ model: BIG });
  await c.next({ messages: [user('m'.repeat(4_000))] });
  const { events } = await c.settle({ usage: { inputTokens: 1_500 } });
  const { type, seq, persist, contextLimit, used, free, approximate, segments } = events[0];
  assert.deepEqual({ type, seq, persist, contextLimit, used, free, approximate }, { type: 'context.usage', seq: 1, persist: false, contextLimit: 200_000, used: 1_500, free: 134_500, approximate: false });
  assert.deepEqual(segments.find((s) => s.category === 'messages'), { category: 'messages', label: 'Messages', tokens: 1_000, items: [{ label: 'User', tokens: 1_000 }] });
});

test('LE-1 the states of all rows add up', async () => {
  const c = await start({ host: memoryStore() });
  const messages = [...rounds(18), { role: 'assistant', content: [{ type: 'text', text: ' \n ' }] }, call('c19'), result(answer('c19', text(19, 4_000)))];
  const n = await fill(c, messages, 21_000);
  assert.deepEqual(states(c), { kept: 27, evicted: 12, elided: 1 });
  assert.equal(n.view.length, messages.length - 1);
  const covered = n.recipe.flatMap((op) => (op.keep ?? op.drop ? range(op.keep ?? op.drop) : [op.edit]));
  assert.deepEqual(covered, messages.map((_, i) => i), 'every row in exactly one op');
});
const range = ([from, to]) => Array.from({ length: to - from }, (_, i) => from + i);

test('LE-3 evicted without a copy states the loss, in the ledger and in words', async () => {
  const c = await start({ host: memoryStore(), config: { toolOutput: { persistRaw: false } } });
  const n = await fill(c, rounds(20), 21_000);
  assert.deepEqual(c.inspect().ledger[2], { index: 2, position: 2, state: 'evicted', loss: 'persist_off' });
  assert.match(outputOf(n.view[2]), /outputs are not kept; run the tool again/);
  const none = await start();
  await fill(none, rounds(20), 21_000);
  assert.equal(none.inspect().ledger[2].loss, 'no_store');
});

test('thresholds of the examples', async () => {
  const of = async (model, config) => {
    const { evict, soft, hard, digest, usable } = (await start({ model, config })).inspect().thresholds;
    return [evict, soft, hard, digest, usable];
  };
  assert.deepEqual(await of(W40), [20_000, 24_000, 32_400, 34_200, 36_000]);
  assert.deepEqual(await of({ id: 'm', window: 256_000, maxOutput: 32_000 }, { summarize: { ceilingTokens: 80_000 } }), [80_000, 80_000, 80_000, 216_000, 224_000]);
  assert.deepEqual(await of({ id: 'm', window: 8_192, maxOutput: 8_192 }), [3_687, 3_687, 3_687, 3_892, 4_096]);
});

test('BR-2 a misspelt knob names the nearest one, and the old configuration stays', async () => {
  const c = await start({ host: memoryStore() });
  assert.throws(() => c.set({ config: { eviction: { atFractoin: 0.1 } } }), { code: 'bad_config', message: /eviction\.atFraction/ });
  assert.throws(() => c.set({ config: { eviction: { atFraction: 2 } }, model: W10 }), { code: 'bad_config' });
  assert.throws(() => c.set({ config: { eviction: { atFraction: 0.1 } }, model: { id: 'm', window: 0 } }), { code: 'bad_input', message: /model\.window/ });
  assert.deepEqual([c.inspect().thresholds.evict, c.inspect().window.tokens], [20_000, 40_000]);
  await assert.rejects(open({ transcript: 't', model: W40, config: { evictoin: {} } }), { code: 'bad_config', message: /`eviction`/ });
  c.set({ config: { eviction: { atFraction: 0.1 } } });
  assert.equal(c.inspect().thresholds.evict, 4_000);
});
