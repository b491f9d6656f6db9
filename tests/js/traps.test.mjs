// Traps that were measured elsewhere, each through the package: class instances, proxies, frozen and hostile objects,
// values that JSON cannot carry, views that come back by another way.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apply, open } from '../../pkg/inline.js';
import { formatByName } from '../../pkg/formats/index.js';
import { count, plan } from '../../pkg/pure.js';
import { memoryStore } from '../../pkg/stores/memory.js';
import { FORMATS, WIRE, conversation } from './conversations.mjs';

const MODEL = { id: 'test', window: 40_000, maxOutput: 4_000 };
const CHARS4 = { estimate: { counter: 'chars4' } };
const tight = (messages, more) => plan({ messages, model: MODEL, config: CHARS4, occupancy: 21_000, ...more });
const openTight = (format, host = memoryStore()) => open({ transcript: 't', format, model: MODEL, host, config: CHARS4 });
const viewRecorded = (index) => (/** @type {any} */ e) => e.code === 'view_recorded' && e.message.includes(`messages[${index}]`);

describe('T-10: JSON text is made once, in JavaScript', () => {
  test('key order, numbers and depth weigh as JSON.stringify writes them, and the object goes out as it came', async () => {
    const input = { b: 1, 10: 2, a: 1.0, n: -0, big: 123456789012345680 };
    const messages = [{ role: 'user', content: 'q' }, { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'f', input }] }];
    assert.equal(JSON.stringify(input), '{"10":2,"b":1,"a":1,"n":0,"big":123456789012345680}');
    assert.deepEqual(count(messages, { counter: 'chars4' }).rows, [1, Math.ceil(51 / 4)]);
    const cascade = await openTight('ai-sdk');
    const { view } = await cascade.next({ messages });
    assert.equal(view[1].content[0].input, input);
    cascade.close();
  });
});

describe('T-11: unpaired surrogates', () => {
  for (const format of WIRE) {
    test(`${format}: the text goes out as it came, and a store that repairs it changes nothing that was decided`, async () => {
      const lone = 'x\ud83d'.padEnd(4_000, 'y');
      const rounds = conversation(format, 24);
      const text = JSON.stringify(rounds).replace('file 0.0', 'file \\ud83d');
      const messages = JSON.parse(text);
      messages[0] = FORMATS[format].user(lone);
      const host = memoryStore();
      const first = await openTight(format, host);
      const { view } = await first.next({ messages });
      assert.equal(view[0], messages[0]);
      first.close();
      const reloaded = JSON.parse(JSON.stringify(messages).replaceAll('\\ud83d', '\ufffd'));
      const second = await openTight(format, host);
      const again = await second.next({ messages: reloaded });
      const stubs = (/** @type {any[]} */ list) => list.map((m) => JSON.stringify(m)).filter((s) => s.includes('[context-cleared]')).map((s) => s.replaceAll('\\ud83d', '\ufffd'));
      assert.deepEqual(stubs(again.view), stubs(view));
      assert.ok(stubs(view).length > 5);
      second.close();
    });
  }
});

describe('T-20: class instances keep prototype and methods', () => {
  class BaseMessage {
    constructor(fields) {
      Object.assign(this, fields);
    }
    get text() {
      return this.content;
    }
  }
  class HumanMessage extends BaseMessage { getType() { return 'human'; } }
  class AIMessage extends BaseMessage { getType() { return 'ai'; } }
  class ToolMessage extends BaseMessage { getType() { return 'tool'; } }

  test('message classes that mirror OpenAI Chat are read, relieved and stay what they are', async () => {
    const messages = [new HumanMessage({ content: 'q' })];
    for (let n = 0; n < 24; n += 1) messages.push(new AIMessage({ content: '', tool_calls: [{ id: `c${n}`, name: 'read', args: { path: `f${n}` }, type: 'tool_call' }] }), new ToolMessage({ tool_call_id: `c${n}`, content: `f${n}\n`.padEnd(4_000, 'z') }));
    messages.push(new AIMessage({ content: 'done' }));
    const cascade = await open({ transcript: 't', model: MODEL, host: memoryStore(), config: CHARS4 });
    const { view } = await cascade.next({ messages });
    const changed = view.flatMap((m, i) => (m === messages[i] ? [] : [i]));
    assert.ok(changed.length > 5);
    for (const i of changed) {
      assert.ok(view[i] instanceof ToolMessage);
      assert.equal(view[i].getType(), 'tool');
      assert.match(view[i].text, /^\[context-cleared\] read: ok/);
      assert.equal(view[i].tool_call_id, messages[i].tool_call_id);
      assert.match(messages[i].content, /^f\d+\nz/);
    }
    cascade.close();
  });

  test('an instance in any format: getters, symbols and hidden fields are copied', () => {
    class Message { get size() { return JSON.stringify(this).length; } }
    const secret = Symbol('secret');
    for (const format of WIRE) {
      const messages = conversation(format, 20).map((m) => Object.defineProperty(Object.assign(new Message(), m, { [secret]: 7 }), 'hidden', { value: 8, enumerable: false }));
      const { view } = tight(messages, { format });
      const changed = view.filter((m, i) => m !== messages[i]);
      assert.ok(changed.length > 5, format);
      for (const m of changed) assert.ok(m instanceof Message && m.size > 0 && m[secret] === 7 && m.hidden === 8, format);
    }
  });
});

test('T-21: no host object is kept: a draft revoked after the call, and another array each time', async () => {
  for (const format of WIRE) {
    const cascade = await openTight(format);
    const plain = conversation(format, 24);
    const drafts = plain.map((m) => Proxy.revocable(m, {}));
    const first = await cascade.next({ messages: drafts.map((d) => d.proxy) });
    const stubs = first.view.map((m) => JSON.stringify(m)).filter((s) => s.includes('[context-cleared]'));
    drafts.forEach((d) => d.revoke());
    const next = await cascade.next({ messages: structuredClone(plain) });
    assert.deepEqual(next.view.map((m) => JSON.stringify(m)).filter((s) => s.includes('[context-cleared]')), stubs);
    assert.ok(stubs.length > 5);
    cascade.close();
  }
});

describe('T-22: hostile objects', () => {
  const freeze = (v) => {
    if (v && typeof v === 'object') Object.values(v).forEach(freeze);
    return Object.freeze(v);
  };
  for (const format of WIRE) {
    test(`${format}: deep-frozen rows, and tools and keys named __proto__ and constructor`, () => {
      const messages = JSON.parse(JSON.stringify(conversation(format, 20)).replaceAll('"read"', '"__proto__"').replaceAll('{"path":', '{"constructor":1,"__proto__":{"x":1},"path":').replaceAll('{\\"path\\":', '{\\"__proto__\\":1,\\"path\\":'));
      freeze(messages);
      const { view, spill } = tight(messages, { format });
      const changed = view.flatMap((m, i) => (m === messages[i] ? [] : [m]));
      assert.ok(changed.length > 5 && spill.length === changed.length);
      for (const m of changed) assert.match(JSON.stringify(m), /\[context-cleared\] __proto__: ok/);
      assert.equal(Object.prototype.x, undefined);
    });
  }

  test('a getter that throws makes its part unknown, not the call fail', async () => {
    const trap = { type: 'text', get text() { throw new Error('SECRET'); } };
    const messages = [{ role: 'user', content: [trap, { type: 'text', text: 'abcd' }] }];
    assert.deepEqual(count(messages, { format: 'ai-sdk', counter: 'chars4' }).rows, [1]);
    const cascade = await openTight('ai-sdk');
    assert.equal((await cascade.next({ messages })).view[0], messages[0]);
    cascade.close();
  });
});

describe('T-23, T-24: values that JSON cannot carry', () => {
  const cycle = { a: 1 };
  cycle.self = cycle;
  let deep = 'end';
  for (let i = 0; i < 100_000; i += 1) deep = { d: deep };
  const values = { bigint: 10n, cycle, date: new Date(0), map: new Map([[1, 'x']]), set: new Set([1]), undefined: undefined, symbol: Symbol('s'), fn() {}, bytes: new Uint8Array(9), url: new URL('https://e.org'), nan: NaN, deep, throwing: { toJSON() { throw new Error('no'); } } };
  for (const [name, value] of Object.entries(values)) {
    test(`${name} as output and as argument: sized, flagged, never thrown at, the same object`, async () => {
      const messages = [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'f', input: value }] },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'f', output: { type: 'json', value } }] },
        { role: 'assistant', content: 'ok' },
      ];
      const cascade = await open({ transcript: 't', model: { id: 'test', window: 1_000_000 }, host: memoryStore(), config: CHARS4 });
      const { view } = await cascade.next({ messages });
      // 100,000 levels are 600,000 characters: over the cap, so the result is shortened, as a text.
      assert.deepEqual(view.map((m, i) => m === messages[i]), [true, true, name !== 'deep', true]);
      if (name === 'deep') assert.ok(view[2].content[0].output.type === 'text' && view[2].content[0].output.value.length <= 24_000);
      const { rows } = count(messages, { counter: 'chars4' });
      assert.ok(rows.every((n) => Number.isSafeInteger(n) && n >= 0));
      await cascade.result({ callId: 'd', tool: 'f', output: value });
      cascade.close();
      const gemini = [{ role: 'user', parts: [{ text: 'q' }] }, { role: 'model', parts: [{ functionCall: { name: 'f', args: value } }] }, { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: value } } }] }];
      const planned = plan({ messages: gemini, model: { id: 'test', window: 1_000_000 } });
      assert.deepEqual(planned.view.map((m, i) => m === gemini[i]), [true, true, name !== 'deep']);
    });
  }
});

describe('T-25: a view that comes back is noticed, by whatever way', () => {
  for (const format of WIRE) {
    test(`${format}: a stub that was stored as JSON`, async () => {
      const cascade = await openTight(format);
      const messages = conversation(format, 24);
      const { view } = await cascade.next({ messages });
      const at = view.findIndex((m, i) => m !== messages[i]);
      await assert.rejects(cascade.next({ messages: view }), viewRecorded(at));
      await assert.rejects(cascade.next({ messages: JSON.parse(JSON.stringify(view)) }), viewRecorded(at));
      await assert.rejects(cascade.next({ messages: structuredClone(view) }), viewRecorded(at));
      cascade.close();
    });
  }

  for (const format of ['anthropic', 'openai-chat', 'openai-responses', 'gemini']) {
    test(`${format}: a summary that was stored as JSON, by the whole text, in this process and after a restart`, async () => {
      const host = { ...memoryStore(), summarize: () => ({ text: '## Objective\nread every file\n\n## Completed Work\nmost of them were read\n' }) };
      const options = { transcript: 't', format, model: { id: 'm', window: 20_000 }, host, config: { summarize: { keepRecent: 2, keepRounds: 1 } } };
      const messages = conversation(format, 12);
      const cascade = await open(options);
      const { view } = await cascade.compact({ messages, positions: messages.map((_, i) => i) });
      const at = view.findIndex((m) => JSON.stringify(m).includes('most of them were read'));
      assert.ok(at >= 0, 'it folded');
      const recorded = JSON.parse(JSON.stringify([view[at], ...messages.slice(-2)]));
      const positions = [messages.length, ...recorded.slice(1).map((_, i) => messages.length + 1 + i)];
      await assert.rejects(cascade.next({ messages: recorded, positions }), viewRecorded(0));
      cascade.close();
      const again = await open(options);
      await assert.rejects(again.next({ messages: recorded, positions }), viewRecorded(0));
      again.close();
    });
  }

  test('D-8: our own rows are known by their mark after JSON, never by their text', async () => {
    const ui = formatByName('ai-sdk-ui');
    const sdk = formatByName('ai-sdk');
    const head = JSON.parse(JSON.stringify(sdk.userMessage([{ text: '<context_summary>x</context_summary>', origin: 'summary' }], 'summary')));
    assert.deepEqual(head.providerOptions, { 'gentle-cascade': { origin: 'summary' } });
    const cascade = await openTight('ai-sdk');
    await assert.rejects(cascade.next({ messages: [head] }), viewRecorded(0));
    const same = { role: 'user', content: head.content.map(({ type, text }) => ({ type, text })) };
    assert.equal((await cascade.next({ messages: [same] })).view[0], same);
    const user = { role: 'user', content: 'q' };
    const [block] = apply([user], [{ edit: 0, ...sdk.appended(user, [{ text: '<plan>x</plan>', origin: 'anchor' }]) }]);
    await assert.rejects(cascade.next({ messages: [JSON.parse(JSON.stringify(block))] }), viewRecorded(0));
    cascade.close();
    const display = await openTight('ai-sdk-ui');
    await assert.rejects(display.next({ messages: [JSON.parse(JSON.stringify(ui.userMessage([{ text: 'x', origin: 'anchor' }], 'anchor')))] }), viewRecorded(0));
    display.close();
    // Formats without room for a mark stay free of foreign keys.
    for (const format of ['anthropic', 'openai-chat', 'openai-responses', 'gemini']) assert.ok(!JSON.stringify(formatByName(format).userMessage([{ text: 'x', origin: 'summary' }], 'summary')).includes('gentle-cascade'));
  });
});
