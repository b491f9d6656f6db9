// UIMessages: display history that becomes rows, never edited, one position for many rounds (D-5).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apply, open } from '../../pkg/inline.js';
import { plan, toModelMessages } from '../../pkg/pure.js';
import { memoryStore } from '../../pkg/stores/memory.js';

const MODEL = { id: 'test', window: 40_000, maxOutput: 4_000 };
const CHARS4 = { estimate: { counter: 'chars4' } };
const tool = (id, output, more = {}) => ({ type: 'tool-read', toolCallId: id, state: 'output-available', input: { path: `${id}.txt` }, output, ...more });
const assistant = (id, ...steps) => ({ id, role: 'assistant', parts: steps.flatMap((parts) => [{ type: 'step-start' }, ...parts]) });
const user = (id, text) => ({ id, role: 'user', parts: [{ type: 'text', text }] });
const big = (n) => `file ${n}\n`.padEnd(4_000, String(n % 10));

describe('toModelMessages', () => {
  test('every part and state becomes what the SDK sends', () => {
    const ui = [
      { id: 's', role: 'system', parts: [{ type: 'text', text: 'Be ' }, { type: 'text', text: 'brief.' }] },
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'q' }, { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AQID', filename: 'a.png' }, { type: 'data-note', data: 1 }] },
      {
        id: 'a',
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          { type: 'reasoning', text: 'hm', providerMetadata: { anthropic: { signature: 's' } } },
          { type: 'text', text: 'one' },
          { type: 'tool-read', toolCallId: 'c1', state: 'output-available', input: { a: 1 }, output: { rows: [1] }, callProviderMetadata: { google: { thoughtSignature: 'g' } } },
          { type: 'dynamic-tool', toolName: 'sh', toolCallId: 'c2', state: 'output-error', input: undefined, rawInput: '{bad', errorText: 'boom' },
          { type: 'tool-rm', toolCallId: 'c3', state: 'output-denied', input: {}, approval: { id: 'p1', approved: false, reason: 'no' } },
          { type: 'source-url', sourceId: 'x', url: 'https://e.org' },
          { type: 'step-start' },
          { type: 'tool-web', toolCallId: 'c4', state: 'output-available', input: { q: 1 }, output: 'hit', providerExecuted: true },
          { type: 'text', text: 'two' },
          { type: 'steering-message', id: 'st', parts: [{ type: 'text', text: 'wait' }] },
          { type: 'tool-rm', toolCallId: 'c5', state: 'approval-requested', input: {}, approval: { id: 'p2' } },
          { type: 'tool-rm', toolCallId: 'c6', state: 'input-streaming', input: { half: 1 } },
        ],
      },
    ];
    assert.deepEqual(toModelMessages(ui), [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'q' }, { type: 'file', mediaType: 'image/png', filename: 'a.png', data: 'data:image/png;base64,AQID' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 's' } } },
          { type: 'text', text: 'one' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: { a: 1 }, providerOptions: { google: { thoughtSignature: 'g' } } },
          { type: 'tool-call', toolCallId: 'c2', toolName: 'sh', input: '{bad' },
          { type: 'tool-call', toolCallId: 'c3', toolName: 'rm', input: {} },
          { type: 'tool-approval-request', approvalId: 'p1', toolCallId: 'c3' },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c1', toolName: 'read', output: { type: 'json', value: { rows: [1] } }, providerOptions: { google: { thoughtSignature: 'g' } } },
          { type: 'tool-result', toolCallId: 'c2', toolName: 'sh', output: { type: 'error-text', value: 'boom' } },
          { type: 'tool-approval-response', approvalId: 'p1', approved: false, reason: 'no' },
          { type: 'tool-result', toolCallId: 'c3', toolName: 'rm', output: { type: 'error-text', value: 'no' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'c4', toolName: 'web', input: { q: 1 }, providerExecuted: true },
          { type: 'tool-result', toolCallId: 'c4', toolName: 'web', output: { type: 'text', value: 'hit' } },
          { type: 'text', text: 'two' },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'wait' }] },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c5', toolName: 'rm', input: {} }, { type: 'tool-approval-request', approvalId: 'p2', toolCallId: 'c5' }] },
    ]);
  });

  test('the same message gives the same objects, and a growing one keeps those of its earlier steps', () => {
    const message = assistant('a', [tool('c1', 'x')], [tool('c2', 'y')]);
    const before = toModelMessages([message]);
    assert.deepEqual(toModelMessages([message]).map((m, i) => m === before[i]), [true, true, true, true]);
    message.parts.push({ type: 'step-start' }, { type: 'text', text: 'do' });
    const streaming = toModelMessages([message]);
    assert.deepEqual(before.map((m) => streaming.includes(m)), [true, true, true, true]);
    message.parts.at(-1).text += 'ne';
    const after = toModelMessages([message]);
    assert.deepEqual(after.map((m) => streaming.includes(m)), [true, true, true, true, false]);
    assert.equal(after.at(-1).content[0].text, 'done');
    // A result that arrives in place changes its own step only.
    message.parts[1].output = 'longer than before';
    assert.deepEqual(toModelMessages([message]).map((m) => after.includes(m)), [false, false, true, true, true]);
  });

  test('nothing of the display is changed, and what is no UIMessage is refused by index', () => {
    const message = assistant('a', [tool('c1', { deep: [1] })]);
    Object.freeze(message);
    Object.freeze(message.parts);
    message.parts.forEach(Object.freeze);
    assert.equal(toModelMessages([message]).length, 2);
    assert.throws(() => toModelMessages([message, { role: 'user', content: 'x' }]), (e) => e.code === 'bad_input' && /messages\[1\]/.test(e.message));
  });
});

describe('next over UIMessages', () => {
  const turn = assistant('a1', ...Array.from({ length: 24 }, (_, n) => [tool(`c${n}`, big(n))]), [{ type: 'text', text: 'Done.' }]);
  const history = [user('u1', 'Look.'), turn, user('u2', 'And now?')];

  test('one message of 25 rounds is relieved round by round; the display stays as it was', async () => {
    const shown = structuredClone(history);
    const host = memoryStore();
    const cascade = await open({ transcript: 't', format: 'ai-sdk-ui', model: MODEL, host, config: CHARS4 });
    const next = await cascade.next({ messages: history });
    const evicted = cascade.inspect().ledger.filter((row) => row.state === 'evicted');
    assert.ok(evicted.length >= 14 && evicted.length < 22, String(evicted.length));
    assert.equal(next.view.length, 1 + 24 * 2 + 1 + 1);
    assert.deepEqual(next.messages, toModelMessages(history));
    assert.deepEqual(apply(next.messages, next.recipe), next.view);
    for (const { index, handle } of evicted) {
      assert.match(next.view[index].content[0].output.value, /^\[context-cleared\] read: ok/);
      assert.equal(host.raw.get(handle, { transcript: 't' }), next.messages[index].content[0].output.value);
    }
    assert.deepEqual(history, shown);
    const again = await cascade.next({ messages: history });
    assert.ok(again.view.every((m, i) => m === next.view[i]));
    assert.equal(again.prefix.brokenBy, undefined);
    cascade.close();
  });

  test('the decisions hold after a restart, when every object is a new one', async () => {
    const host = memoryStore();
    const options = { transcript: 't', format: 'ai-sdk-ui', model: MODEL, host, config: CHARS4 };
    const first = await open(options);
    const { view } = await first.next({ messages: history });
    first.close();
    const second = await open(options);
    const next = await second.next({ messages: structuredClone(history) });
    assert.deepEqual(next.view, view);
    second.close();
  });

  test('D-5: the position of a message stands on its last row; a list gives each step its own', async () => {
    const short = [user('u1', 'q'), assistant('a', [tool('c1', 'x')], [{ type: 'text', text: 'ok' }]), user('u2', 'r')];
    const positions = async (given) => {
      const cascade = await open({ transcript: 't', format: 'ai-sdk-ui', model: MODEL });
      await cascade.next({ messages: short, positions: given });
      const ledger = cascade.inspect().ledger.map((row) => row.position);
      cascade.close();
      return ledger;
    };
    assert.deepEqual(await positions([10, 11, 12]), [10, undefined, undefined, 11, 12]);
    assert.deepEqual(await positions(undefined), [0, undefined, undefined, 1, 2]);
    assert.deepEqual(await positions([10, [11, 12], 13]), [10, undefined, 11, 12, 13]);
    await assert.rejects(positions([10, [11], 13]), (e) => e.code === 'bad_input' && /positions\[1\].*1 entries for 2 steps/.test(e.message));
    await assert.rejects(positions([10, 11]), /2 entries for 3 messages/);
    await assert.rejects(positions([10, '11', 12]), /string/);
  });

  test('calls are known by the position of their message and their number in it: the same id in two messages is two results', () => {
    const two = [user('u1', 'q'), assistant('a', ...Array.from({ length: 12 }, (_, n) => [tool('call_0', big(n))])), user('u2', 'r'), assistant('b', ...Array.from({ length: 12 }, (_, n) => [tool('call_0', big(n + 3))])), user('u3', 's')];
    const { spill, state, view } = plan({ messages: two, format: 'ai-sdk-ui', model: MODEL, config: CHARS4, occupancy: 30_000 });
    assert.equal(new Set(spill.map((one) => one.handle)).size, spill.length);
    const again = plan({ messages: two, format: 'ai-sdk-ui', model: MODEL, config: CHARS4, state });
    assert.deepEqual(again.view, view);
    assert.ok(spill.length >= 12);
  });
});

test('a fold covers whole UIMessages only, and its rows read back from the display history', async () => {
  const text = (n) => `note ${n} `.padEnd(4_000, 'w');
  const messages = Array.from({ length: 12 }, (_, n) => [user(`u${n}`, `Question ${n}`), assistant(`a${n}`, [tool(`c${n}`, 'small')], [{ type: 'text', text: text(n) }])]).flat();
  messages.push(user('last', 'And now?'));
  const positions = messages.map((_, i) => 100 + i);
  const host = { ...memoryStore(), summarize: () => ({ text: '## Objective\nRead the notes.' }), rows: ({ from, to }) => messages.flatMap((message, i) => (positions[i] >= from && positions[i] <= to ? [{ position: positions[i], message }] : [])) };
  const cascade = await open({ transcript: 'f', format: 'ai-sdk-ui', model: { id: 'test', window: 20_000, maxOutput: 1_000 }, host, config: { ...CHARS4, eviction: { enabled: false }, summarize: { keepRecent: 0, keepRounds: 1, background: false } } });
  const next = await cascade.compact({ messages, positions });
  assert.equal(next.outcomes.find((o) => o.stage === 'fold').outcome, 'done');
  const { boundary } = cascade.state;
  // Every message up to the boundary is covered whole: none of its rows is in the view, every row behind it is.
  const rows = toModelMessages(messages);
  const covered = toModelMessages(messages.filter((_, i) => positions[i] <= boundary));
  assert.ok(covered.length > 10);
  for (const row of covered) assert.ok(!next.view.includes(row));
  for (const row of rows.slice(covered.length)) assert.ok(next.view.includes(row));
  assert.match(JSON.stringify(next.view[0]), /Read the notes/);
  const page = await cascade.tools[0].execute({ id: 'rows:100-101' });
  assert.match(page, /Question 0/);
  assert.match(page, /call read c0/);
  assert.match(page, /note 0/);
  cascade.close();
});
