// Log readers, the other agents: Gemini CLI, Cline and Roo, OpenHands, SWE-agent, LangChain, in small hand-made logs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promptBefore, readSession } from '../../pkg-template/readers/index.js';
import { assertSound, calls, jsonl, kinds, outputs, texts } from './readers-checks.mjs';

const json = (value, options) => readSession(JSON.stringify(value), options);
const rowTexts = (session) => texts(session.rows.map((row) => row.message));

// ---- Gemini CLI

const HEAD = { sessionId: 's', projectHash: 'p', startTime: 't', lastUpdated: 't' };
const gUser = (id, content) => ({ id, type: 'user', content });
const gCall = (id, name, response, status = 'success') => ({ id, name, args: { path: name }, status, resultDisplay: 'shown only', ...(response === undefined ? {} : { result: [{ functionResponse: { id, name, response } }] }) });
const gModel = (id, content, toolCalls = [], tokens = undefined) => ({ id, type: 'gemini', content, model: 'gemini-x', thoughts: [{ subject: 'S', description: 'hidden' }], toolCalls, tokens });

test('gemini-cli: one record is a model row and its results; input includes the cache; notices are no rows', async () => {
  const session = await json({ ...HEAD, messages: [
    gUser('1', 'hi'), { id: 'i', type: 'info', content: 'cancelled' },
    gModel('2', 'looking', [gCall('a', 'ls', { output: 'files' }), gCall('b', 'cat', { error: 'no file' }), gCall('c', 'stat', { size: 3 }), gCall('d', 'rm', { output: 'denied' }, 'cancelled')], { input: 100, cached: 40, output: 10, thoughts: 5, tool: 0, total: 115 }),
    gUser('3', [{ text: 'see' }, { inlineData: { mimeType: 'image/png', data: 'QUJD' } }]), gModel('4', 'done', [], { input: 150, cached: 90, output: 3, thoughts: 0 }),
  ] });
  assertSound(session);
  assert.deepEqual(session.model, { id: 'gemini-x', provider: 'google' });
  assert.deepEqual(session.steps.map((step) => step.usage), [{ input: 100, cacheRead: 40, output: 15, reasoning: 5 }, { input: 150, cacheRead: 90, output: 3, reasoning: 0 }]);
  assert.deepEqual(session.rows.map((row) => [row.message.role, row.position]), [['user', 1], ['assistant', 3], ['tool', 3], ['user', 4], ['assistant', 5]]);
  assert.deepEqual(outputs(session), [{ type: 'text', value: 'files' }, { type: 'error-text', value: 'no file' }, { type: 'json', value: { size: 3 } }, { type: 'error-text', value: 'denied' }]);
  assert.deepEqual(session.rows[1].message.content[0], { type: 'text', text: 'looking' }, 'thoughts are not sent back');
  assert.deepEqual(session.rows[3].message.content[1], { type: 'image', image: 'QUJD', mediaType: 'image/png' });
});

test('gemini-cli: the JSONL form replaces by id, rewinds, and rebuilds the window at a checkpoint', async () => {
  const session = await readSession(jsonl([
    HEAD, gUser('1', 'one'), gModel('2', '', [gCall('a', 'ls')]), gModel('2', '', [gCall('a', 'ls', { output: 'files' })], { input: 50, output: 1 }),
    gUser('3', 'wrong'), gModel('4', 'oops'), { $rewindTo: '3' }, { $set: { lastUpdated: 't2' } }, gUser('5', 'two'),
    { $set: { messages: [gUser('c1', 'summary so far'), gUser('5', 'two')] } }, gModel('6', 'three', [], { input: 20, output: 1 }),
  ]));
  assertSound(session);
  assert.deepEqual(rowTexts(session), ['one', 'ls:a', 'files', 'two', 'three']);
  assert.deepEqual(session.rows.map((row) => row.position), [2, 3, 3, 9, 11]);
  assert.deepEqual(texts(promptBefore(session, 4)), ['summary so far', 'two']);
  assert.deepEqual(kinds(session), { dropped_branch: 2 });
});

test('gemini-cli: a checkpoint of known messages from the start is a rewind, not a compaction', async () => {
  const session = await readSession(jsonl([HEAD, gUser('1', 'one'), gModel('2', 'a'), gUser('3', 'gone'), { $set: { messages: [gUser('1', 'one'), gModel('2', 'a')] } }]));
  assert.deepEqual(rowTexts(session), ['one', 'a']);
  assert.equal(session.segments.length, 1);
});

// ---- Cline and Roo

test('cline: the session store has its prompt, models and usage that includes the cache; files become text', async () => {
  const session = await json({ version: 1, sessionId: 's', system_prompt: 'You are it.', messages: [
    { role: 'user', content: [{ type: 'text', text: 'fix' }, { type: 'file', path: '/a.ts', content: 'let a' }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'read_files', input: {} }], modelInfo: { id: 'm', provider: 'cline' }, metrics: { inputTokens: 90, cacheReadTokens: 30, cacheWriteTokens: 0, outputTokens: 4 } },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', name: 'read_files', content: [{ query: '/a.ts', result: 'x', success: true }] }] },
    { role: 'assistant', content: [{ type: 'text', text: 'done' }], modelInfo: { id: 'm', provider: 'cline' } },
  ] });
  assertSound(session);
  assert.equal(session.system, 'You are it.');
  assert.deepEqual(session.model, { id: 'm', provider: 'cline' });
  assert.deepEqual(session.steps[0].usage, { input: 90, cacheRead: 30, cacheWrite: 0, output: 4 });
  assert.equal(session.steps[1].usage, undefined);
  assert.equal(session.rows[0].message.content[1].text, '<file_content path="/a.ts">\nlet a\n</file_content>');
  assert.deepEqual(outputs(session), [{ type: 'json', value: [{ query: '/a.ts', result: 'x', success: true }] }]);
});

test('cline: a stored summary is a segment, not a row', async () => {
  const session = await json({ version: 1, sessionId: 's', messages: [
    { role: 'user', content: [{ type: 'text', text: 'Context summary' }], metadata: { kind: 'compaction_summary', tokensBefore: 21919 } },
    { role: 'user', content: [{ type: 'text', text: 'hello' }] }, { role: 'assistant', content: [{ type: 'text', text: 'hi' }] },
  ] });
  assert.deepEqual(rowTexts(session), ['hello', 'hi']);
  assert.deepEqual(session.segments, [{ start: 0, head: [{ role: 'user', content: [{ type: 'text', text: 'Context summary' }] }], cause: 'compaction', tokensBefore: 21919 }]);
});

test('cline: the classic array says that its deleted range is elsewhere; Roo\'s tags do name it', async () => {
  const said = (role, text, extra = {}) => ({ role, content: [{ type: 'text', text }], ts: 1, ...extra });
  const classic = await json([said('user', '<task>x</task>'), said('assistant', 'ok')]);
  assert.equal(classic.format, 'cline');
  assert.deepEqual(kinds(classic), { unknown_range: 1 });

  const roo = await json([
    said('user', 'task'), said('assistant', 'old', { truncationParent: 'T' }), said('user', 'old too', { truncationParent: 'T' }),
    said('user', '[hidden: 2 messages]', { isTruncationMarker: true, truncationId: 'T' }), said('assistant', 'middle', { condenseParent: 'C' }),
    said('user', 'the summary', { isSummary: true, condenseId: 'C' }), said('user', 'next'), said('assistant', 'end'),
  ]);
  assert.deepEqual(rowTexts(roo), ['task', 'old', 'old too', 'middle', 'next', 'end']);
  assert.deepEqual(texts(promptBefore(roo, 3)), ['task', '[hidden: 2 messages]']);
  assert.deepEqual(texts(promptBefore(roo, 5)), ['the summary', 'next']);
  assert.deepEqual(roo.segments.map((segment) => segment.cause), ['start', 'truncation', 'compaction']);
});

// ---- OpenHands

const meta = (id, callIds, mine, usage) => ({ function_name: 'run', tool_call_id: mine, total_calls_in_response: callIds.length, model_response: { id, model: 'll', usage,
  choices: [{ message: { role: 'assistant', content: `t ${id}`, tool_calls: callIds.map((call) => ({ id: call, type: 'function', function: { name: 'run', arguments: '{"c":1}' } })) } }] } });
const act = (id, action, args, extra = {}) => ({ id, source: 'agent', action, args, message: 'm', ...extra });
const seen = (id, observation, content, extra = {}) => ({ id, source: 'agent', observation, content, extras: {}, ...extra });

test('openhands V0: parallel actions of one response are one row, observations pair by id or cause, prompt and tools are read', async () => {
  const one = meta('r1', ['a', 'b'], 'a', { prompt_tokens: 500, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 100 } });
  const session = await json({ instance_id: 'i', history: [
    act(0, 'system', { content: 'SYS', tools: [{ type: 'function', function: { name: 'run', parameters: {} } }] }),
    { id: 1, source: 'user', action: 'message', args: { content: 'fix it', image_urls: ['data:image/png;base64,QUJD'] } },
    { id: 2, source: 'user', action: 'recall', args: {} }, seen(3, 'recall', 'Added workspace context'),
    act(4, 'run', {}, { tool_call_metadata: one }), act(5, 'run', {}, { tool_call_metadata: { ...one, tool_call_id: 'b' } }),
    seen(6, 'run', 'out a', { cause: 4, tool_call_metadata: { tool_call_id: 'a' } }), seen(7, 'error', 'out b', { cause: 5 }),
    seen(8, 'error', 'the environment failed'),
    act(9, 'finish', {}, { tool_call_metadata: meta('r2', ['c'], 'c', { prompt_tokens: 600, completion_tokens: 1 }) }),
  ] });
  assertSound(session);
  assert.equal(session.system, 'SYS');
  assert.deepEqual(session.tools.map(({ name, source }) => [name, source]), [['run', 'openhands']]);
  assert.deepEqual(session.steps.map((step) => step.usage), [{ input: 500, output: 9, cacheRead: 100 }, { input: 600, output: 1 }]);
  assert.deepEqual(rowTexts(session).slice(1), ['t r1 run:a run:b', 'out a', 'out b', 'the environment failed', 't r2 run:c']);
  assert.deepEqual(outputs(session).map((output) => output.type), ['text', 'error-text']);
  assert.equal(session.rows.at(-1).message.role, 'assistant', 'the finishing call stays open');
});

test('openhands V0: a condensation filters the view and puts its summary at the offset', async () => {
  const step = (id, call) => [act(id, 'run', {}, { tool_call_metadata: meta(`r${id}`, [call], call, { prompt_tokens: id, completion_tokens: 1 }) }), seen(id + 1, 'run', `o ${call}`, { cause: id, tool_call_metadata: { tool_call_id: call } })];
  const session = await json([
    act(0, 'system', { content: 'SYS' }), { id: 1, source: 'user', action: 'message', args: { content: 'task' } }, ...step(2, 'a'), ...step(4, 'b'), ...step(6, 'c'),
    act(8, 'condensation', { forgotten_events_start_id: 2, forgotten_events_end_id: 5, summary: 'did a and b', summary_offset: 2 }), ...step(9, 'd'),
  ]);
  assertSound(session);
  assert.equal(session.rows.length, 9, 'rows keep the forgotten events');
  assert.deepEqual(texts(promptBefore(session, 7)), ['task', 'did a and b', 't r6 run:c', 'o c']);
});

test('openhands V1: actions group by response, usage is the difference of two totals when exactly one call lies between', async () => {
  const stats = (prompt, completion, perTurn) => ({ id: `s${prompt}`, source: 'environment', kind: 'ConversationStateUpdateEvent', key: 'stats', value: { usage_to_metrics: { default: { accumulated_token_usage: { model: 'mm', prompt_tokens: prompt, completion_tokens: completion, cache_read_tokens: 0, cache_write_tokens: 0, per_turn_token: perTurn } }, condenser: { accumulated_token_usage: { prompt_tokens: 9999, completion_tokens: 1, per_turn_token: 10000 } } } } });
  const action = (response, call, thought = []) => ({ id: `e${call}`, source: 'agent', kind: 'ActionEvent', thought, reasoning_content: thought.length > 0 ? 'hm' : '', thinking_blocks: [], tool_name: 'terminal', tool_call_id: call, tool_call: { id: call, name: 'terminal', arguments: '{"x":1}' }, llm_response_id: response });
  const observed = (call, text, is_error = false) => ({ id: `o${call}`, source: 'environment', kind: 'ObservationEvent', tool_name: 'terminal', tool_call_id: call, observation: { content: [{ type: 'text', text }], is_error } });
  const session = await readSession(jsonl([
    { id: 'p', source: 'agent', kind: 'SystemPromptEvent', system_prompt: { type: 'text', text: 'SYS' }, tools: [{ type: 'function', function: { name: 'terminal' } }] },
    { id: 'u', source: 'user', kind: 'MessageEvent', llm_message: { role: 'user', content: [{ type: 'text', text: 'go' }] } },
    stats(100, 10, 110), action('R1', 'a', [{ type: 'text', text: 'think' }]), action('R1', 'b'), observed('a', 'A'), { id: 'er', source: 'agent', kind: 'AgentErrorEvent', tool_call_id: 'b', error: 'bad args' },
    stats(400, 30, 180), action('R2', 'c'), observed('c', 'C', true),
    { id: 'cd', source: 'environment', kind: 'Condensation', forgotten_event_ids: ['ea', 'eb', 'oa', 'er'], summary: 'earlier', summary_offset: 2 },
    stats(550, 35, 155), { id: 'end', source: 'agent', kind: 'MessageEvent', llm_message: { role: 'assistant', content: [{ type: 'text', text: 'bye' }] } },
  ]));
  assertSound(session);
  assert.equal(session.system, 'SYS');
  assert.deepEqual(session.steps.map((step) => step.usage?.input), [100, undefined, 150]);
  assert.deepEqual(rowTexts(session), ['go', 'hm think terminal:a terminal:b', 'A', 'bad args', 'terminal:c', 'C', 'bye']);
  assert.deepEqual(texts(promptBefore(session, 6)), ['go', 'earlier', 'terminal:c', 'C']);
});

// ---- SWE-agent, LangChain

test('swe-agent: the history is the session, totals are no usage', async () => {
  const session = await json({ trajectory: [{}], info: { model_stats: { tokens_sent: 161683 } }, history: [
    { role: 'system', content: 'SYS', agent: 'main' }, { role: 'user', content: [{ type: 'text', text: 'issue' }], agent: 'main' },
    { role: 'assistant', content: 'look', agent: 'main', tool_calls: [{ id: 't', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } }] },
    { role: 'tool', content: [{ type: 'text', text: 'OBS' }], agent: 'main', tool_call_ids: ['t'] },
  ] });
  assertSound(session);
  assert.equal(session.system, 'SYS');
  assert.deepEqual(rowTexts(session), ['issue', 'look bash:t', 'OBS']);
  assert.deepEqual(session.rows.map((row) => row.position), [2, 3, 4]);
  assert.deepEqual(session.steps, [{ row: 1 }]);
});

test('langchain: both JSON forms read alike, a call named twice counts once, artifacts are not sent', async () => {
  const ai = { content: [{ type: 'text', text: 'reading' }, { type: 'tool_use', id: 't', name: 'read', input: { a: 1 } }], tool_calls: [{ name: 'read', args: { a: 1 }, id: 't' }], additional_kwargs: { reasoning_content: 'why' },
    usage_metadata: { input_tokens: 70, output_tokens: 5, input_token_details: { cache_read: 10, cache_creation: 20 } }, response_metadata: { model_name: 'mm', model_provider: 'anthropic' } };
  const tool = { content: 'data', tool_call_id: 't', name: 'read', status: 'error', artifact: { big: 'x' } };
  const plain = [{ type: 'system', content: 'SYS' }, { type: 'human', content: 'go' }, { type: 'ai', ...ai }, { type: 'tool', ...tool }];
  const built = plain.map(({ type, ...kwargs }) => ({ lc: 1, type: 'constructor', id: ['langchain_core', 'messages', { system: 'SystemMessage', human: 'HumanMessage', ai: 'AIMessage', tool: 'ToolMessage' }[type]], kwargs }));
  const session = await json({ values: { messages: plain, title: 'x' } });
  assert.deepEqual(await json(built), session);
  assertSound(session);
  assert.equal(session.system, 'SYS');
  assert.deepEqual(session.model, { id: 'mm', provider: 'anthropic' });
  assert.deepEqual(session.steps[0].usage, { input: 70, cacheRead: 10, cacheWrite: 20, output: 5, reasoning: 0 });
  assert.deepEqual(calls(session).map((call) => call.toolCallId), ['t']);
  assert.deepEqual(rowTexts(session), ['go', 'why reading read:t', 'data']);
  assert.deepEqual(outputs(session), [{ type: 'error-text', value: 'data' }]);
});
