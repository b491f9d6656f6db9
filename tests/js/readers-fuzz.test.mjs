// Damaged logs: whatever is cut, doubled, reordered or of the wrong type, a reader either yields a sound session or a
// bad_input error without text from the log. Seeded, so a failure repeats.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSession } from '../../pkg-template/readers/index.js';
import { assertSound, jsonl } from './readers-checks.mjs';

const S = 'SECRET words of the log';
const cc = (type, uuid, parentUuid, content, extra = {}) => ({ type, uuid, parentUuid, isSidechain: false, sessionId: 's', ...extra, message: type === 'assistant' ? { role: 'assistant', id: extra.mid ?? uuid, model: 'm', content, usage: { input_tokens: 9, output_tokens: 1, cache_read_input_tokens: 2 } } : { role: 'user', content } });
const use = (id) => ({ type: 'tool_use', id, name: 'ls', input: { p: S } });
const got = (id) => ({ type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text: S }, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'QUJD' } }] });
const pi = (message) => ({ type: 'message', message });
const codex = (type, payload) => ({ timestamp: 't', type, payload });
const counted = (n) => codex('event_msg', { type: 'token_count', info: { total_token_usage: { total_tokens: n }, last_token_usage: { input_tokens: n, output_tokens: 1 }, model_context_window: 1000 } });

const fired = (type, properties) => ({ event: { type, properties } });
const action = (id, call) => ({ id, source: 'agent', kind: 'ActionEvent', thought: [{ type: 'text', text: S }], reasoning_content: S, thinking_blocks: [], tool_call_id: call, tool_call: { id: call, name: 'ls', arguments: '{}' }, llm_response_id: 'R' });

/** Other forms of a format above. */
const OTHER_FORMS = {
  'opencode events': { format: 'opencode', lines: [fired('session.created', { info: { id: 'S' } }), fired('message.updated', { info: { id: '1', sessionID: 'S', role: 'user' } }), fired('message.part.updated', { part: { id: 'p', messageID: '1', sessionID: 'S', type: 'text', text: S } }), fired('message.updated', { info: { id: '2', sessionID: 'S', role: 'assistant', modelID: 'm', tokens: { input: 3, output: 1 } } }),
    fired('message.part.updated', { part: { id: 'q', messageID: '2', sessionID: 'S', type: 'text', text: S } }), fired('message.part.delta', { messageID: '2', partID: 'q', field: 'text', delta: S }), fired('message.part.updated', { part: { id: 'r', messageID: '2', sessionID: 'S', type: 'tool', tool: 'ls', callID: 'a', state: { status: 'error', error: S } } })] },
  'openhands events of version 1': { format: 'openhands', lines: [{ id: 'p', source: 'agent', kind: 'SystemPromptEvent', system_prompt: { text: S }, tools: [{ function: { name: 'ls' } }] }, { id: 'u', source: 'user', kind: 'MessageEvent', llm_message: { role: 'user', content: [{ type: 'text', text: S }] } }, action('e1', 'a'), action('e2', 'b'),
    { id: 'o1', source: 'environment', kind: 'ObservationEvent', tool_call_id: 'a', observation: { content: [{ type: 'text', text: S }], is_error: false } }, { id: 'o2', source: 'agent', kind: 'AgentErrorEvent', tool_call_id: 'b', error: S },
    { id: 'c', source: 'environment', kind: 'Condensation', forgotten_event_ids: ['e1'], summary: S, summary_offset: 1 }, { id: 's', source: 'environment', kind: 'ConversationStateUpdateEvent', key: 'stats', value: { usage_to_metrics: { default: { accumulated_token_usage: { prompt_tokens: 5, completion_tokens: 1, per_turn_token: 6 } } } } }, { id: 'm', source: 'agent', kind: 'MessageEvent', llm_message: { role: 'assistant', content: [{ type: 'text', text: S }] } }] },
};

/** Records of one log per format; `lines` are written as JSONL, `json` as one document. */
const SAMPLES = {
  'claude-code': { lines: [cc('user', 'a', null, S), cc('assistant', 'b', 'a', [{ type: 'thinking', thinking: S, signature: 's' }], { mid: 'm1' }), cc('assistant', 'c', 'b', [use('t1'), use('t2')], { mid: 'm1' }), cc('user', 'd', 'c', [got('t1')]), cc('user', 'e', 'c', [got('t2'), { type: 'text', text: S }]),
    { type: 'system', subtype: 'compact_boundary', uuid: 'k', parentUuid: null, logicalParentUuid: 'e', isSidechain: false, compactMetadata: { preTokens: 5, preservedMessages: { uuids: ['c', 'd', 'e'] } } }, cc('user', 's', 'k', S, { isCompactSummary: true }), cc('assistant', 'f', 's', [use('t3')]), cc('user', 'g', 'f', [got('t3')]), cc('assistant', 'h', 'g', [{ type: 'text', text: S }])] },
  pi: { lines: [{ type: 'session', id: 'x', cwd: '/r' }, pi({ role: 'user', content: S }), pi({ role: 'assistant', content: [{ type: 'toolCall', id: 'a', name: 'ls', arguments: { p: S } }, { type: 'toolCall', id: 'b', name: 'ls', arguments: {} }], usage: { input: 3, output: 1, cacheRead: 1, cacheWrite: 0 } }), pi({ role: 'toolResult', toolCallId: 'a', content: [{ type: 'text', text: S }] }), pi({ role: 'toolResult', toolCallId: 'b', content: [] }),
    { type: 'compaction', summary: S, firstKeptEntryIndex: 2, tokensBefore: 9 }, pi({ role: 'user', content: [{ type: 'text', text: S }] }), pi({ role: 'assistant', content: [{ type: 'text', text: S }] })] },
  codex: { lines: [codex('session_meta', { id: 'x', model_provider: 'openai', base_instructions: { text: S } }), codex('turn_context', { model: 'm' }), codex('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: S }] }), codex('event_msg', { type: 'user_message' }), codex('response_item', { type: 'reasoning', summary: [{ text: S }] }), codex('response_item', { type: 'function_call', call_id: 'a', name: 'ls', arguments: '{}' }), counted(9), codex('response_item', { type: 'function_call_output', call_id: 'a', output: S }),
    codex('compacted', { message: '', replacement_history: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: S }] }, { type: 'function_call', call_id: 'z', name: 'ls', arguments: '{}' }] }), codex('response_item', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: S }] }), counted(20), codex('event_msg', { type: 'thread_rolled_back', num_turns: 1 })] },
  opencode: { json: { info: { id: 's' }, messages: [{ info: { id: '1', role: 'user' }, parts: [{ type: 'text', text: S }] }, { info: { id: '2', role: 'assistant', modelID: 'm', tokens: { input: 4, output: 1, cache: { read: 1, write: 0 } } }, parts: [{ type: 'step-start' }, { type: 'tool', tool: 'ls', callID: 'a', state: { status: 'completed', input: {}, output: S } }, { type: 'step-start' }, { type: 'tool', tool: 'ls', callID: 'b', state: { status: 'running', input: {} } }] },
    { info: { id: '3', role: 'user' }, parts: [{ type: 'compaction', tail_start_id: '2' }] }, { info: { id: '4', role: 'assistant', summary: true, parentID: '3' }, parts: [{ type: 'text', text: S }] }, { info: { id: '5', role: 'user' }, parts: [{ type: 'text', text: S }] }] } },
  'gemini-cli': { lines: [{ sessionId: 's', projectHash: 'p', startTime: 't' }, { id: '1', type: 'user', content: S }, { id: '2', type: 'gemini', content: S, toolCalls: [{ id: 'a', name: 'ls', args: {}, result: [{ functionResponse: { id: 'a', response: { output: S } } }] }], tokens: { input: 5, output: 1 } }, { $set: { messages: [{ id: 'c', type: 'user', content: S }, { id: '2', type: 'gemini' }] } }, { id: '3', type: 'gemini', content: S }] },
  openhands: { json: [{ id: 0, source: 'agent', action: 'system', args: { content: S, tools: [] } }, { id: 1, source: 'user', action: 'message', args: { content: S } }, { id: 2, source: 'agent', action: 'run', args: {}, tool_call_metadata: { tool_call_id: 'a', model_response: { id: 'r', usage: { prompt_tokens: 5, completion_tokens: 1 }, choices: [{ message: { content: S, tool_calls: [{ id: 'a', function: { name: 'run', arguments: '{}' } }] } }] } } },
    { id: 3, source: 'agent', observation: 'run', content: S, extras: {}, cause: 2 }, { id: 4, source: 'agent', action: 'condensation', args: { forgotten_event_ids: [2], summary: S, summary_offset: 1 } }, { id: 5, source: 'agent', action: 'message', args: { content: S } }] },
  cline: { json: { version: 1, sessionId: 's', system_prompt: S, messages: [{ role: 'user', content: [{ type: 'text', text: S }] }, { role: 'assistant', content: [use('a')], metrics: { inputTokens: 5, outputTokens: 1 } }, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ query: S }] }] }, { role: 'user', content: S, metadata: { kind: 'compaction_summary' } }, { role: 'assistant', content: S }] } },
  langchain: { json: { values: { messages: [{ type: 'human', content: S }, { type: 'ai', content: [{ type: 'text', text: S }], tool_calls: [{ id: 'a', name: 'ls', args: {} }], usage_metadata: { input_tokens: 5, output_tokens: 1 } }, { type: 'tool', content: S, tool_call_id: 'a' }] } } },
  'swe-agent': { json: { trajectory: [], history: [{ role: 'user', content: S, agent: 'main' }, { role: 'assistant', content: S, agent: 'main', tool_calls: [{ id: 'a', function: { name: 'ls', arguments: '{}' } }] }, { role: 'tool', content: S, agent: 'main', tool_call_ids: ['a'] }] } },
  anthropic: { json: { max_tokens: 9, messages: [{ role: 'user', content: S }, { role: 'assistant', content: [{ type: 'text', text: S }, use('a')] }, { role: 'user', content: [got('a')] }] } },
  'openai-chat': { json: { model: 'm', messages: [{ role: 'system', content: S }, { role: 'user', content: [{ type: 'text', text: S }, { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } }] }, { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'ls', arguments: '{}' } }] }, { role: 'tool', tool_call_id: 'a', content: S }] } },
  'openai-responses': { json: { input: [{ role: 'user', content: S }, { type: 'reasoning', summary: [{ text: S }] }, { type: 'web_search_call', id: 'w', status: 'completed', action: {} }, { type: 'function_call', call_id: 'a', name: 'ls', arguments: '{}' }, { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text', text: S }] }] } },
  'ai-sdk': { json: [{ role: 'user', content: S }, { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'ls', input: {} }] }, { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'ls', output: { type: 'text', value: S } }] }] },
  'ai-sdk-ui': { json: [{ role: 'user', parts: [{ type: 'text', text: S }] }, { role: 'assistant', parts: [{ type: 'step-start' }, { type: 'tool-ls', toolCallId: 'a', state: 'output-available', input: {}, output: S }, { type: 'step-start' }, { type: 'text', text: S }] }] },
  gemini: { json: [{ role: 'user', parts: [{ text: S }] }, { role: 'model', parts: [{ functionCall: { name: 'ls', args: {} } }] }, { role: 'user', parts: [{ functionResponse: { name: 'ls', response: { output: S } } }] }] },
};

/** A small seeded generator: the same seed gives the same damage. */
const seeded = (seed) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
};
const ODD = [null, 0, -1, 1.5, true, '', 'x', [], {}, [null], [[]], { type: 'text' }, { role: 'assistant' }, 1e308, '__proto__', 'constructor'];

/** Every container in a value, so that damage can strike at any depth. */
function containers(value, found = []) {
  if (value !== null && typeof value === 'object') {
    found.push(value);
    for (const child of Object.values(value)) containers(child, found);
  }
  return found;
}

function damage(value, random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const copy = structuredClone(value);
  for (let n = 1 + Math.floor(random() * 3); n > 0; n -= 1) {
    const target = pick(containers(copy));
    const key = pick(Object.keys(target));
    if (key === undefined) continue;
    const action = random();
    if (Array.isArray(target) && action < 0.3) target.splice(Number(key), 1);
    else if (Array.isArray(target) && action < 0.5) target.splice(Math.floor(random() * target.length), 0, structuredClone(target[Number(key)]));
    else if (Array.isArray(target) && action < 0.7) target.push(...target.splice(Number(key), 1));
    else if (action < 0.8) delete target[key];
    else target[key] = structuredClone(pick(ODD));
  }
  return copy;
}

for (const [name, { lines, json, format = name }] of Object.entries({ ...SAMPLES, ...OTHER_FORMS })) {
  test(`${name}: 400 damaged logs give a sound session or a bad_input error`, async () => {
    const whole = await readSession(lines ? jsonl(lines) : JSON.stringify(json));
    assertSound(whole);
    assert.equal(whole.format, format, 'the undamaged sample is read');
    const random = seeded(name.length * 7919);
    let read = 0;
    for (let i = 0; i < 400; i += 1) {
      const damaged = damage(lines ?? json, random);
      let text = lines && Array.isArray(damaged) ? jsonl(damaged) : JSON.stringify(damaged);
      if (i % 10 === 0) text = text.slice(0, Math.floor(random() * text.length));
      try {
        const session = await readSession(text, i % 2 ? { format } : {});
        assertSound(session);
        assert.doesNotMatch(JSON.stringify(session.healed), /SECRET/);
        read += 1;
      } catch (error) {
        assert.equal(error.code, 'bad_input', `damage ${i}: ${error.stack}\n${text}`);
        assert.doesNotMatch(error.message, /SECRET/);
      }
    }
    assert.ok(read > 80, `${read} of 400 were readable`);
  });
}
