// Codex rollouts: each trap in a small hand-made log; expected numbers are worked by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promptBefore, readSession } from '../../pkg-template/readers/index.js';
import { assertSound, calls, jsonl, kinds, outputs, texts } from './readers-checks.mjs';

const read = (records, options) => readSession(jsonl(records), options);

const item = (payload) => ({ timestamp: 't', type: 'response_item', payload });
const event = (payload) => ({ timestamp: 't', type: 'event_msg', payload });
const count = (input, output, total, extra = {}) => event({ type: 'token_count', info: { total_token_usage: { total_tokens: total }, last_token_usage: { input_tokens: input, cached_input_tokens: 4, output_tokens: output, reasoning_output_tokens: 2, ...extra }, model_context_window: 258400 } });
const says = (role, text) => item({ type: 'message', role, content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }] });
const calling = (id, args = '{"cmd":"ls"}') => item({ type: 'function_call', name: 'shell', arguments: args, call_id: id });
const returned = (id, output = `o ${id}`) => item({ type: 'function_call_output', call_id: id, output });
const META = { timestamp: 't', type: 'session_meta', payload: { id: 'x', cwd: '/r', model_provider: 'openai', base_instructions: { text: 'You are careful.' } } };
const TURN = { timestamp: 't', type: 'turn_context', payload: { model: 'gpt-x' } };

test('Codex: one response is one row, closed by its token_count; repeats count once; the window and system prompt are read', async () => {
  const session = await read([META, TURN, says('developer', 'rules'), says('user', 'go'), event({ type: 'user_message', message: 'go' }),
    item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'think' }], encrypted_content: 'ENC' }), says('assistant', 'on it'), calling('c1'), calling('c2', 'not json'), count(100, 10, 110),
    returned('c1'), returned('c2'), count(100, 10, 110),
    item({ type: 'reasoning', summary: [], encrypted_content: 'E2' }), count(100, 10, 110), says('assistant', 'done'), count(150, 5, 265)]);
  assertSound(session);
  assert.deepEqual(session.model, { id: 'gpt-x', provider: 'openai', window: 258400 });
  assert.equal(session.system, 'You are careful.');
  assert.deepEqual(session.rows.map((row) => [row.message.role, row.position]), [['system', 3], ['user', 4], ['assistant', 6], ['tool', 11], ['tool', 12], ['assistant', 14]]);
  assert.deepEqual(session.rows[2].message.content, [
    { type: 'reasoning', text: 'think', providerOptions: { openai: { reasoningEncryptedContent: 'ENC' } } },
    { type: 'text', text: 'on it' },
    { type: 'tool-call', toolCallId: 'c1', toolName: 'shell', input: { cmd: 'ls' } },
    { type: 'tool-call', toolCallId: 'c2', toolName: 'shell', input: 'not json' },
  ]);
  assert.deepEqual(session.steps.map((step) => step.usage), [{ input: 100, cacheRead: 4, output: 10, reasoning: 2 }, { input: 150, cacheRead: 4, output: 5, reasoning: 2 }]);
});

test('Codex: two responses without outputs between them are two rows', async () => {
  const session = await read([META, TURN, says('user', 'go'), says('assistant', 'one'), count(10, 1, 11), says('assistant', 'two'), count(12, 1, 24)]);
  assert.deepEqual(session.steps.map((step) => [step.row, step.usage.input]), [[1, 10], [2, 12]]);
});

test('Codex: a count written after the outputs still belongs to its response; info may be null', async () => {
  const session = await read([META, TURN, says('user', 'go'), event({ type: 'token_count', info: null }), calling('c'), returned('c'), count(33, 1, 34), says('user', 'more')]);
  assert.deepEqual(session.steps.map((step) => step.usage.input), [33]);
});

test('Codex: a replacement history becomes the window; the zero count after it is no usage', async () => {
  const session = await read([META, TURN, says('user', 'first'), event({ type: 'user_message' }), calling('c1'), count(200, 1, 201), returned('c1'), count(0, 0, 201, { total_tokens: 940499 }),
    { timestamp: 't', type: 'compacted', payload: { message: '', replacement_history: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'first' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'summed up' }] },
      { type: 'compaction', encrypted_content: 'BLOB' }] } },
    event({ type: 'context_compacted' }), item({ type: 'reasoning', summary: [] }), count(0, 0, 201, { total_tokens: 940500 }), says('assistant', 'going on'), count(48, 2, 251)]);
  assertSound(session);
  assert.deepEqual(session.steps.map((step) => step.usage.input), [200, 48]);
  const { start, head } = session.segments[1];
  assert.equal(start, 3);
  assert.equal(head[0], session.rows[0].message, 'a repeated user message is the same object');
  assert.deepEqual(head[2], { role: 'assistant', content: [{ type: 'custom', kind: 'openai.compaction', providerOptions: { openai: { encryptedContent: 'BLOB' } } }] });
  assert.equal(promptBefore(session, session.steps[1].row).length, 3);
});

test('Codex: the older compaction keeps the user messages and ends with its summary', async () => {
  const session = await read([META, TURN, says('user', 'first'), says('assistant', 'a'), count(9, 1, 10), { timestamp: 't', type: 'compacted', payload: { message: 'sum' } }, says('user', 'next')]);
  assert.deepEqual(texts(promptBefore(session, 3)), ['first', 'sum', 'next']);
});

test('Codex: a rollback takes the last turns away, injected user items are not turns', async () => {
  const shown = (text) => [says('user', text), event({ type: 'user_message', message: text })];
  const session = await read([META, TURN, says('user', '<environment>'), ...shown('one'), says('assistant', 'a1'), count(9, 1, 10), ...shown('two'), calling('c'), count(19, 1, 30), returned('c'),
    event({ type: 'thread_rolled_back', num_turns: 1 }), ...shown('three'), says('assistant', 'a3'), count(12, 1, 43)]);
  assertSound(session);
  assert.deepEqual(texts(session.rows.map((row) => row.message)), ['<environment>', 'one', 'a1', 'three', 'a3']);
  assert.deepEqual(session.steps.map((step) => step.usage.input), [9, 12]);
  assert.deepEqual(kinds(session), { dropped_branch: 3 });
});

test('Codex: a record between a call and its output moves behind it and positions never run backwards', async () => {
  const session = await read([META, TURN, says('user', 'go'), calling('c'), count(9, 1, 10), says('developer', 'note'), returned('c'), says('assistant', 'ok'), count(11, 1, 22)]);
  assertSound(session);
  assert.deepEqual(session.rows.map((row) => [row.message.role, row.position]), [['user', 3], ['assistant', 4], ['tool', 6], ['system', 7], ['assistant', 8]]);
});

test('Codex: custom tools, hosted searches, pictures, structured outputs', async () => {
  const session = await read([META, TURN,
    item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'see' }, { type: 'input_image', image_url: 'data:image/png;base64,QUJD' }, { type: 'input_image', image_url: null }] }),
    item({ type: 'web_search_call', id: 'ws1', status: 'completed', action: { type: 'search', query: 'q' } }),
    item({ type: 'custom_tool_call', call_id: 'p', name: 'apply_patch', input: '*** Begin Patch' }), count(9, 1, 10),
    item({ type: 'custom_tool_call_output', call_id: 'p', output: [{ type: 'input_text', text: 'ok' }, { type: 'input_image', image_url: 'data:image/png;base64,SU1H' }] }),
    item({ type: 'ghost_snapshot', ghost_commit: {} }), calling('f'), returned('f', { content: 'failed', success: false }), says('user', 'end')]);
  assertSound(session);
  assert.deepEqual(session.rows[0].message.content, [{ type: 'text', text: 'see' }, { type: 'image', image: 'QUJD', mediaType: 'image/png' }]);
  assert.deepEqual(calls(session).map((call) => [call.toolName, call.providerExecuted ?? false]), [['web_search', true], ['apply_patch', false], ['shell', false]]);
  assert.deepEqual(session.rows[1].message.content[1].output, { type: 'json', value: { status: 'completed' } });
  assert.deepEqual(outputs(session), [{ type: 'content', value: [{ type: 'text', text: 'ok' }, { type: 'image-data', data: 'SU1H', mediaType: 'image/png' }] }, { type: 'error-text', value: 'failed' }]);
});
