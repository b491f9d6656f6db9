// Plain dumps of messages: the six formats, what tells them apart, and that the originals come along untouched.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promptBefore, readSession } from '../../pkg-template/readers/index.js';
import { assertSound, jsonl, outputs, texts } from './readers-checks.mjs';

const json = (value, options) => readSession(JSON.stringify(value), options);
const rowTexts = (session) => texts(session.rows.map((row) => row.message));

/** The same short conversation in every format: ask, call, result, answer. */
const DUMPS = {
  'ai-sdk': [{ role: 'user', content: 'go' }, { role: 'assistant', content: [{ type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 's' } } }, { type: 'tool-call', toolCallId: 't', toolName: 'ls', input: { p: 1 } }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 't', toolName: 'ls', output: { type: 'text', value: 'files' } }] }, { role: 'assistant', content: 'done' }],
  'ai-sdk-ui': [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'go' }] },
    { id: '2', role: 'assistant', parts: [{ type: 'step-start' }, { type: 'reasoning', text: 'hm', providerMetadata: { anthropic: { signature: 's' } } }, { type: 'tool-ls', toolCallId: 't', state: 'output-available', input: { p: 1 }, output: 'files' }, { type: 'step-start' }, { type: 'text', text: 'done' }] }],
  anthropic: [{ role: 'user', content: 'go' }, { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 's' }, { type: 'tool_use', id: 't', name: 'ls', input: { p: 1 } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'files' }] }, { role: 'assistant', content: [{ type: 'text', text: 'done' }] }],
  'openai-chat': [{ role: 'user', content: 'go' }, { role: 'assistant', content: null, reasoning_content: 'hm', tool_calls: [{ id: 't', type: 'function', function: { name: 'ls', arguments: '{"p":1}' } }] },
    { role: 'tool', tool_call_id: 't', content: 'files' }, { role: 'assistant', content: 'done' }],
  'openai-responses': [{ role: 'user', content: 'go' }, { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'hm' }] }, { type: 'function_call', call_id: 't', name: 'ls', arguments: '{"p":1}' },
    { type: 'function_call_output', call_id: 't', output: 'files' }, { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] }],
  gemini: [{ role: 'user', parts: [{ text: 'go' }] }, { role: 'model', parts: [{ text: 'hm', thought: true }, { functionCall: { name: 'ls', args: { p: 1 } }, thoughtSignature: 's' }] },
    { role: 'user', parts: [{ functionResponse: { name: 'ls', response: { output: 'files' } } }] }, { role: 'model', parts: [{ text: 'done' }] }],
};
const POSITIONS = { 'ai-sdk-ui': [1, null, null, 2], 'openai-responses': [1, 2, 4, 5] };

for (const [format, messages] of Object.entries(DUMPS)) {
  test(`${format}: detected, read to the same rows as every other format, originals kept`, async () => {
    const session = await json(messages);
    assertSound(session);
    assert.equal(session.format, format);
    assert.deepEqual(session.raw, { format, messages });
    assert.deepEqual(session.rows.map((row) => row.message.role), ['user', 'assistant', 'tool', 'assistant']);
    const [, assistant, tool] = session.rows.map((row) => row.message);
    assert.deepEqual(assistant.content.map((part) => part.type), ['reasoning', 'tool-call']);
    assert.deepEqual([assistant.content[0].text, assistant.content[1].toolName, assistant.content[1].input], ['hm', 'ls', { p: 1 }]);
    assert.equal(tool.content[0].toolCallId, assistant.content[1].toolCallId);
    assert.deepEqual(outputs(session), [{ type: 'text', value: 'files' }]);
    assert.deepEqual([rowTexts(session)[0], rowTexts(session)[3]], ['go', 'done']);
    assert.deepEqual(session.rows.map((row) => row.position), POSITIONS[format] ?? [1, 2, 3, 4]);
    assert.deepEqual(session.steps.map((step) => step.row), [1, 3]);
    assert.deepEqual(session.segments, [{ start: 0, head: [], cause: 'start' }]);
    assert.deepEqual(session.healed, []);
    assert.deepEqual(await json(messages, { format }), session, 'naming the format changes nothing');
    assert.deepEqual(await readSession(jsonl(messages)), session, 'one message per line reads alike');
  });
}

test('text-only messages fit several formats: an error asks for the name, and the name settles it', async () => {
  const messages = [{ role: 'user', content: 'SECRET' }, { role: 'assistant', content: 'b' }];
  await assert.rejects(json(messages), (error) => error.code === 'bad_input' && /ai-sdk, anthropic, openai-chat, openai-responses/.test(error.message) && /format/.test(error.message) && !/SECRET/.test(error.message));
  for (const format of ['ai-sdk', 'anthropic', 'openai-chat', 'openai-responses']) {
    const session = await json(messages, { format });
    assert.equal(session.raw.format, format);
    assert.deepEqual(rowTexts(session), ['SECRET', 'b']);
  }
  await assert.rejects(json(messages, { format: 'gemini' }), { code: 'bad_input' });
});

test('the request around the list settles it too, and gives model, system prompt and tools', async () => {
  const messages = [{ role: 'user', content: 'a' }];
  const anthropic = await json({ model: 'claude-x', system: [{ type: 'text', text: 'SYS' }], tools: [{ name: 'ls', input_schema: {} }], messages });
  assert.deepEqual([anthropic.format, anthropic.model.id, anthropic.system, anthropic.tools], ['anthropic', 'claude-x', 'SYS', [{ name: 'ls', schema: { name: 'ls', input_schema: {} }, source: 'request' }]]);
  const chat = await json({ model: 'gpt-x', messages: [{ role: 'system', content: 'SYS' }, ...messages], tools: [{ type: 'function', function: { name: 'ls' } }] });
  assert.deepEqual([chat.format, chat.system, chat.tools[0].name, chat.rows[0].position], ['openai-chat', 'SYS', 'ls', 2]);
  const responses = await json({ model: 'gpt-x', instructions: 'SYS', input: messages });
  assert.deepEqual([responses.format, responses.system], ['openai-responses', 'SYS']);
  const gemini = await json({ contents: [{ role: 'user', parts: [{ text: 'a' }] }], systemInstruction: { parts: [{ text: 'SYS' }] }, tools: [{ functionDeclarations: [{ name: 'ls' }] }] });
  assert.deepEqual([gemini.format, gemini.system, gemini.tools[0].name], ['gemini', 'SYS', 'ls']);
});

test('messages of two formats in one list are no format', async () => {
  await assert.rejects(json([...DUMPS.anthropic, ...DUMPS['openai-chat'].slice(1)]), { code: 'bad_input' });
});

test('a logged call gives its response and usage', async () => {
  const session = await json({ messages: [{ role: 'user', content: 'a' }], response: { model: 'mm', choices: [{ message: { role: 'assistant', content: 'b' } }], usage: { prompt_tokens: 8, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 2 } } } });
  assert.deepEqual(session.steps, [{ row: 1, model: 'mm', usage: { input: 8, output: 1, cacheRead: 2 } }]);
  assert.equal(session.model.id, 'mm');
});

test('ai-sdk: messages stay the objects they are; approvals and provider-executed calls keep their parts', async () => {
  const messages = [{ role: 'user', content: 'go', providerOptions: { x: { y: 1 } } },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'w', toolName: 'web', input: {}, providerExecuted: true }, { type: 'tool-result', toolCallId: 'w', toolName: 'web', output: { type: 'json', value: [] } }, { type: 'tool-call', toolCallId: 'a', toolName: 'rm', input: {} }, { type: 'tool-approval-request', approvalId: 'p', toolCallId: 'a' }] },
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'p', approved: true }] }];
  const session = await json(messages);
  assert.deepEqual(session.rows.map((row) => row.message), messages);
  assert.deepEqual(session.healed, [], 'an answered approval whose tool has not run is an open round');
});

test('ai-sdk-ui: states of a tool part, denied and failed calls, open calls, files', async () => {
  const part = (id, state, extra = {}) => ({ type: 'dynamic-tool', toolName: 'rm', toolCallId: id, state, input: { id }, ...extra });
  const session = await json([
    { id: '1', role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,QUJD' }, { type: 'data-note', data: {} }] },
    { id: '2', role: 'assistant', parts: [{ type: 'step-start' }, part('a', 'output-error', { errorText: 'boom' }), part('b', 'output-denied', { approval: { id: 'x', approved: false, reason: 'no' } }), part('c', 'input-streaming'), part('d', 'output-available', { output: { n: 1 } }), part('e', 'input-available')] },
    { id: '3', role: 'user', parts: [{ type: 'text', text: 'more' }] },
  ]);
  assertSound(session);
  assert.deepEqual(session.rows[0].message.content, [{ type: 'image', image: 'QUJD', mediaType: 'image/png' }]);
  assert.deepEqual(outputs(session).map((output) => [output.type, output.value]), [['error-text', 'boom'], ['error-text', 'no'], ['json', { n: 1 }], ['error-text', 'The tool call was interrupted; no result was recorded.']]);
});

test('gemini: calls without ids pair by name and order, parallel ones too', async () => {
  const session = await json([{ role: 'user', parts: [{ text: 'go' }] },
    { role: 'model', parts: [{ functionCall: { name: 'cat', args: { f: 1 } } }, { functionCall: { name: 'ls', args: {} } }, { functionCall: { name: 'cat', args: { f: 2 } } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'cat', response: { output: 'one' } } }, { functionResponse: { name: 'cat', response: { error: 'two' } } }, { functionResponse: { name: 'ls', response: { n: 3 } } }, { inlineData: { mimeType: 'image/png', data: 'QUJD' } }] },
    { role: 'model', parts: [{ text: 'ok' }] }]);
  assertSound(session);
  const byId = Object.fromEntries(session.rows[2].message.content.map((part) => [part.toolCallId, part.output.value]));
  const [cat1, ls, cat2] = session.rows[1].message.content;
  assert.deepEqual([byId[cat1.toolCallId], byId[cat2.toolCallId], byId[ls.toolCallId]], ['one', 'two', { n: 3 }]);
  assert.equal(promptBefore(session, 4).length, 4);
});

test('a file of several conversations asks which, and reads the one named', async () => {
  const runs = [{ task_id: 0, traj: DUMPS['openai-chat'] }, { task_id: 1, traj: [{ role: 'system', content: 'SYS' }, { role: 'user', content: 'second' }, { role: 'assistant', content: null, tool_calls: [{ id: 'z', function: { name: 'f', arguments: '{}' } }] }] }];
  await assert.rejects(json(runs), /holds 2 conversations.*conversation: 1/);
  await assert.rejects(json(runs, { conversation: 3 }), /from 1 to 2/);
  const second = await json(runs, { conversation: 2 });
  assert.deepEqual([second.format, second.system, rowTexts(second)], ['openai-chat', 'SYS', ['second', 'f:z']]);
});
