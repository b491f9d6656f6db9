// Messages as they come: frozen, revoked, enormous, deep, odd; and what of them must come back untouched.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memory } from '../../pkg/boot.js';
import * as pure from '../../pkg/pure.js';
import { memoryStore } from '../../pkg/stores/memory.js';
import { W10, answer, call, countingHost, deepFreeze, fill, outputOf, result, rounds, say, start, text, untouched, user } from './chat.mjs';

test('T-1 a 40 MB output passes through without staying in wasm memory', async () => {
  const { host } = countingHost();
  const c = await start({ host, config: { toolOutput: { rawCapBytes: 200_000_000 } } });
  await c.result({ callId: 'c0', tool: 'read', output: 'x'.repeat(100_000) });
  const huge = `${'a'.repeat(20_000_000)}😀${'a'.repeat(20_000_000)}`;
  const before = memory().buffer.byteLength;
  const { output } = await c.result({ callId: 'c1', tool: 'read', output: huge });
  assert.ok(memory().buffer.byteLength - before < 1_000_000);
  assert.ok(output.length <= 24_000);
  assert.equal((await host.raw.get('c1', { transcript: 't' })).length, huge.length);
});

test('T-1 the raw cap counts UTF-8 bytes and says what is gone', async () => {
  const { host } = countingHost();
  const c = await start({ host, config: { toolOutput: { rawCapBytes: 50_000 } } });
  const { output } = await c.result({ callId: 'c1', tool: 'read', output: 'é'.repeat(30_000) });
  const kept = await host.raw.get('c1', { transcript: 't' });
  assert.ok(Buffer.byteLength(kept) <= 50_000 && kept.isWellFormed() && /bytes were over the limit/.test(kept));
  assert.match(output, /id: "c1"/);
});

test('T-10 JSON text is made once, in JavaScript; the value stays the same object', async () => {
  const input = { b: 1, 10: 2, a: 1.0 };
  const value = { b: 1, 10: 2, a: 1.0, big: 123456789012345680 };
  const messages = [user('go'), { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'read', input }] }, result(answer('c1', value, 'json'))];
  const count = (m) => pure.count([m], { counter: 'chars4' }).tokens;
  assert.equal(count(messages[1]), Math.ceil('{"10":2,"b":1,"a":1}'.length / 4));
  assert.equal(count(messages[2]), Math.ceil(JSON.stringify(value).length / 4));
  const c = await start();
  const { view } = await c.next({ messages });
  assert.equal(view[1].content[0].input, input);
  assert.equal(view[2].content[0].output.value, value);
});

test('T-10 the stored text of a JSON result is its JSON', async () => {
  const { host } = countingHost();
  const c = await start({ host, model: W10 });
  const messages = rounds(6);
  const value = { rows: Array.from({ length: 100 }, (_, i) => ({ i, text: 'x'.repeat(30) })) };
  messages[2] = result(answer('c1', value, 'json'));
  const n = await fill(c, messages, 5_900);
  assert.equal(n.view[2].content[0].output.type, 'text');
  assert.deepEqual(JSON.parse(await host.raw.get('c1', { transcript: 't' })), value);
});

test('T-21 drafts may be revoked between two calls', async () => {
  const c = await start({ host: memoryStore() });
  const plain = rounds(20);
  const drafts = plain.map((m) => Proxy.revocable(m, {}));
  const n = await c.next({ messages: drafts.map((d) => d.proxy) });
  for (const draft of drafts) draft.revoke();
  const again = await c.next({ messages: plain });
  assert.deepEqual(JSON.stringify(again.view), JSON.stringify((await start({ host: memoryStore() }).then((x) => x.next({ messages: plain }))).view));
  assert.equal(n.view.length, 41);
  await assert.rejects(c.next({ messages: [...plain, drafts[0].proxy] }), { code: 'bad_input', message: /`messages\[41\]` cannot be read/ });
  assert.equal((await c.next({ messages: plain })).view.length, 41, 'the conversation goes on');
});

test('T-22 frozen messages, names that are not names, getters that throw', async () => {
  const { host } = countingHost();
  const c = await start({ host });
  const messages = rounds(20);
  messages[1].content[0].toolName = '__proto__';
  messages[2].content[0].toolName = '__proto__';
  messages[3].content[0].input = JSON.parse('{"__proto__":{"polluted":1},"constructor":2}');
  messages[5].content.push({ type: 'custom', get text() { throw new Error('no'); }, get kind() { throw new Error('no'); } });
  deepFreeze(messages.map((m, i) => (i === 5 ? {} : m)));
  const n = await fill(c, messages, 21_000);
  assert.match(outputOf(n.view[2]), /^\[context-cleared\] __proto__: ok/);
  assert.equal(n.view[5], messages[5]);
  assert.equal({}.polluted, undefined);
  assert.equal(messages[2].content[0].output.value, text(1, 4_000), 'the host still has its own');
  assert.ok(!Object.isFrozen(n.view[2]));
});

const cycle = { name: 'cycle' };
cycle.self = cycle;
const ODD = {
  bigint: 12n,
  cycle,
  date: new Date(0),
  map: new Map([['a', 1]]),
  set: new Set([1, 2]),
  undefined: undefined,
  symbol: Symbol('s'),
  bytes: new Uint8Array(100_000),
  buffer: new ArrayBuffer(8),
  url: new URL('https://example.org/'),
  function: () => 1,
  nested: { list: [1n, { deep: new Map() }] },
};

test('T-23 twelve odd values are sized, kept and never thrown at', async () => {
  assert.equal(Object.keys(ODD).length, 12);
  const c = await start({ host: memoryStore(), config: { toolOutput: { maxChars: 30_000 } } });
  for (const [name, value] of Object.entries(ODD)) {
    const done = await c.result({ callId: `o-${name}`, tool: 'read', output: value });
    assert.equal(done.output, value, name);
    const messages = [user('go'), { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'x', toolName: 'read', input: value }] }, result(answer('x', value, 'json'))];
    const { tokens } = pure.count(messages);
    assert.ok(tokens < 200, `${name}: ${tokens} tokens; binary is not spelled out`);
    const n = await c.next({ messages });
    assert.deepEqual(untouched(n.view, messages), [0, 1, 2], name);
  }
});

test('T-23 an odd value that is evicted leaves its description in the store', async () => {
  const { host } = countingHost();
  const c = await start({ host, model: W10 });
  const messages = rounds(6);
  messages[2] = result(answer('c1', { n: 12n, text: 'y'.repeat(4_000) }, 'json'));
  const n = await fill(c, messages, 5_900);
  assert.match(outputOf(n.view[2]), /^\[context-cleared\]/);
  assert.match(await host.raw.get('c1', { transcript: 't' }), /"12n"/);
});

test('T-24 a value 100,000 levels deep is sized and kept', async () => {
  let deep = 1;
  for (let i = 0; i < 100_000; i += 1) deep = i % 2 ? [deep] : { deep };
  const { host } = countingHost();
  const c = await start({ host, model: { id: 'm', window: 1_000_000 } });
  const messages = [user('go'), { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c0', toolName: 'read', input: { deep } }] }, result(answer('c0', 'ok'))];
  const n = await c.next({ messages });
  assert.deepEqual(untouched(n.view, messages), [0, 1, 2]);
  const { output, clamped } = await c.result({ callId: 'c1', tool: 'read', output: deep });
  assert.ok(clamped && output.length <= 24_000);
  const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  assert.ok((await c.result({ callId: 'c2', tool: 'read', output: nested })).output.length <= 24_000);
});

test('lone surrogates and NUL are kept by the host and measured', async () => {
  const c = await start();
  const odd = `a\ud800b\u0000c${'\udc00'}`;
  const messages = [user(odd)];
  const n = await c.next({ messages });
  assert.equal(n.view[0].content, odd);
  assert.equal(pure.count([user(odd)], { counter: 'chars4' }).tokens, 2);
});

test('positions are whole numbers; strings are refused with a hint', async () => {
  const c = await start();
  const messages = rounds(1, 10);
  for (const bad of ['10', 10n, 1.5, -1, NaN, 2 ** 53]) await assert.rejects(c.next({ messages, positions: [1, 2, bad] }), { code: 'bad_input', message: /`positions\[2\]`/ });
  await assert.rejects(c.next({ messages, positions: [1, 2, '3'] }), { message: /convert it to a number/ });
  await assert.rejects(c.next({ messages, positions: [1, 3, 3] }), { code: 'bad_input', message: /unique/ });
  await c.next({ messages, positions: [1, 2, null] });
  await c.next({ messages, positions: [1, 2, 3] });
  assert.deepEqual(c.inspect().ledger.map((l) => l.position), [1, 2, 3]);
});

test('a view that is handed back is refused, by identity and after a trip through JSON', async () => {
  const c = await start({ host: memoryStore() });
  const messages = rounds(20);
  const { view } = await fill(c, messages, 21_000);
  await assert.rejects(c.next({ messages: view }), { code: 'view_recorded', message: /`messages\[2\]`/ });
  await assert.rejects(c.next({ messages: JSON.parse(JSON.stringify(view)) }), (e) => e.code === 'view_recorded' && !e.message.includes('xxx'));
  assert.equal((await c.next({ messages })).view[2], view[2]);
});

test('a message that is changed in place is measured anew', async () => {
  const c = await start();
  const messages = [user('go'), say('a'.repeat(40))];
  const before = (await c.next({ messages })).occupancy.tokens;
  messages[1].content[0].text += 'b'.repeat(400);
  assert.equal((await c.next({ messages })).occupancy.tokens, before + 100);
  messages.push(call('c1'));
  messages.push(result(answer('c1', 'x'.repeat(40))));
  await c.next({ messages });
  messages[3].content[0].output = { type: 'text', value: 'x'.repeat(400) };
  assert.equal((await c.next({ messages })).occupancy.tokens, before + 100 + 1 + 100);
});

test('messages of a class keep their class and their methods', async () => {
  class ToolMessage {
    #secret = 1;
    constructor(content) {
      this.role = 'tool';
      this.content = content;
    }
    getType() {
      return 'tool';
    }
  }
  const c = await start({ host: memoryStore() });
  const messages = rounds(20).map((m) => (m.role === 'tool' ? new ToolMessage(m.content) : m));
  const { view } = await fill(c, messages, 21_000);
  assert.ok(view[2] instanceof ToolMessage && view[2] !== messages[2] && view[2].getType() === 'tool');
});

test('the host may change its array while a call runs', async () => {
  const c = await start();
  const messages = rounds(2, 40);
  const running = c.next({ messages });
  messages.length = 0;
  assert.equal((await running).view.length, 5);
});
