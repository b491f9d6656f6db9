// Anthropic Messages: edited by recipe without losing a field, several results in one user message.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../../pkg/stores/memory.js';
import { W10, deepFreeze, fill, start, text } from './chat.mjs';

const bytes = new Uint8Array([137, 80, 78, 71]);
const url = new URL('https://example.org/chart.png');
const thinking = { type: 'thinking', thinking: 'I look at both files.', signature: 'EqQBCkYIBxgC' };

/** A turn with thinking, parallel calls and results that carry everything a result may carry. */
function conversation() {
  const list = [
    { role: 'user', content: [{ type: 'text', text: 'go', cache_control: { type: 'ephemeral' } }, { type: 'image', source: { type: 'url', url } }] },
    { role: 'assistant', content: [thinking, { type: 'tool_use', id: 'a1', name: 'read', input: { path: 'x' } }, { type: 'tool_use', id: 'a2', name: 'read', input: { path: 'y' } }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a1', content: text(1, 6_000), cache_control: { type: 'ephemeral' }, is_error: true },
        { type: 'tool_result', tool_use_id: 'a2', content: [{ type: 'text', text: text(2, 6_000) }, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: bytes } }] },
      ],
    },
  ];
  for (let i = 3; i < 7; i += 1) {
    list.push({ role: 'assistant', content: [{ type: 'tool_use', id: `a${i}`, name: 'read', input: { path: String(i) } }] });
    list.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: `a${i}`, content: text(i, 2_000) }] });
  }
  return list;
}

test('an evicted result keeps every field but its text, and everything else is the same object', async () => {
  const messages = deepFreeze(conversation());
  const c = await start({ model: W10, host: memoryStore(), config: { media: { imageTokens: 100 } } });
  await c.next({ messages: messages.slice(0, -2) });
  await c.settle({ usage: { input_tokens: 500, cache_read_input_tokens: 5_000, output_tokens: 0 } });
  const { view, recipe } = await c.next({ messages });
  assert.equal(c.inspect().ledger[2].state, 'evicted');
  const [first, second] = view[2].content;
  assert.match(first.content, /^\[context-cleared\] read: error.*id: "a1"/);
  assert.deepEqual({ ...first, content: '' }, { ...messages[2].content[0], content: '' });
  assert.equal(first.cache_control, messages[2].content[0].cache_control);
  assert.match(typeof second.content === 'string' ? second.content : second.content[0].text, /id: "a2"/);
  for (const i of [0, 1, 3, 4, 5, 6, 7, 8, 9, 10]) if (![4].includes(i)) assert.equal(view[i], messages[i], `row ${i}`);
  assert.equal(view[1].content[0], thinking, 'the signature by identity');
  assert.equal(view[0].content[1].source.url, url);
  assert.deepEqual(recipe.find((op) => op.edit === 2).set[0].path, ['content', 0, 'content']);
  assert.equal(messages[2].content[1].content[1].source.data, bytes);
});

test('a clamped list keeps its image by identity', async () => {
  const c = await start({ model: { id: 'm', window: 100_000, maxOutput: 4_000 }, host: memoryStore() });
  const messages = conversation();
  messages[2].content[1].content[0].text = text(2, 40_000);
  const { view } = await c.next({ messages });
  const [shown, image] = view[2].content[1].content;
  assert.ok(shown.text.length < 24_000 && shown.text.includes('id: "a2"'));
  assert.equal(image, messages[2].content[1].content[1]);
  assert.equal(view[2].content[0], messages[2].content[0]);
});

test('a user message of results is a tool row, one with words is the user speaking', async () => {
  const c = await start({ model: W10 });
  const messages = conversation();
  messages.push({ role: 'assistant', content: [{ type: 'tool_use', id: 'b', name: 'read', input: {} }] });
  messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'b', content: 'ok' }, { type: 'text', text: 'and now this' }] });
  await c.next({ messages });
  const kinds = Object.fromEntries(c.inspect().breakdown.buckets.find((b) => b.id === 'messages').items.map((i) => [i.label, i.tokens]));
  assert.equal(kinds.User, Math.ceil('go'.length / 4) + Math.ceil('and now this'.length / 4));
  assert.deepEqual(c.inspect().findings.map((f) => f.kind), ['evicted_targets'], 'no result without a call, no call without a result');
});

test('results without a call and calls without a result are findings, not failures', async () => {
  const c = await start({ model: W10 });
  const messages = [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'zz', content: 'stray' }] },
    { role: 'assistant', content: 'never mind' },
  ];
  const { view } = await c.next({ messages });
  assert.deepEqual(view, messages);
  assert.deepEqual(c.inspect().findings, [{ kind: 'orphan_result', at: 2 }, { kind: 'unanswered_call', at: 1 }]);
});

test('the same id in every round is paired by occurrence', async () => {
  const c = await start({ model: W10, host: memoryStore(), format: 'anthropic' });
  const messages = [{ role: 'user', content: 'go' }];
  for (let i = 1; i < 7; i += 1) messages.push({ role: 'assistant', content: [{ type: 'tool_use', id: 'call_0', name: 'read', input: {} }] }, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_0', content: text(i, 4_000) }] });
  await c.next({ messages: messages.slice(0, -2) });
  await c.settle({ usage: { input_tokens: 4_899 } });
  await c.next({ messages });
  assert.deepEqual(c.inspect().ledger.flatMap((l) => l.handle ?? []), ['call_0', 'call_0~2', 'call_0~3']);
  const page = await c.tools[0].execute({ id: 'call_0~2', limit: 10 });
  assert.ok(page.startsWith(text(2, 4_000).slice(0, 10)));
  assert.ok(fill);
});
