// The strict validator and the repair through the package: what a person gets for each format, what stays the same
// object, what is refused. The rules themselves are tested one by one beside the core.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plan, repair, validate } from '../../pkg/pure.js';
import { open } from '../../pkg/inline.js';

const user = (text) => ({ role: 'user', content: text });
const sdkCall = (...ids) => ({ role: 'assistant', content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'read', input: { path: 'a' } })) });
const sdkResult = (...ids) => ({ role: 'tool', content: ids.map((toolCallId) => ({ type: 'tool-result', toolCallId, toolName: 'read', output: { type: 'text', value: 'out' } })) });

/** In each format: a user message, a call `d1` without a result, and a user message after it. */
const DANGLING = {
  'ai-sdk': [user('start'), sdkCall('d1'), user('are you there?')],
  anthropic: [user('start'), { role: 'assistant', content: [{ type: 'tool_use', id: 'd1', name: 'read', input: {} }] }, user('are you there?')],
  'openai-chat': [user('start'), { role: 'assistant', content: null, tool_calls: [{ id: 'd1', type: 'function', function: { name: 'read', arguments: '{}' } }] }, user('are you there?')],
  'openai-responses': [{ type: 'message', role: 'user', content: 'start' }, { type: 'function_call', call_id: 'd1', name: 'read', arguments: '{}' }, { type: 'message', role: 'user', content: 'are you there?' }],
  gemini: [{ role: 'user', parts: [{ text: 'start' }] }, { role: 'model', parts: [{ functionCall: { name: 'read', args: {} } }] }, { role: 'user', parts: [{ text: 'are you there?' }] }],
};
const RULES = { 'ai-sdk': 'AM-4', anthropic: 'AN-5', 'openai-chat': 'OC-5', 'openai-responses': 'OR-2', gemini: 'GE-2' };
const TEXT = 'No result of this call was recorded: it was interrupted. Whether it took effect is not known.';
const ANSWERS = {
  'ai-sdk': { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'd1', toolName: 'read', output: { type: 'error-text', value: TEXT } }] },
  anthropic: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'd1', content: TEXT, is_error: true }] },
  'openai-chat': { role: 'tool', tool_call_id: 'd1', content: TEXT },
  'openai-responses': { type: 'function_call_output', call_id: 'd1', output: TEXT },
  gemini: { role: 'user', parts: [{ functionResponse: { name: 'read', response: { error: TEXT } } }] },
};

for (const format of Object.keys(DANGLING)) {
  test(`${format}: a call that was never answered is told, and gets a result that claims nothing`, () => {
    const messages = DANGLING[format];
    const { findings, format: seen } = validate(messages);
    assert.equal(seen, format, 'the format is seen from the content');
    assert.deepEqual(findings.map(({ rule, level, at, repairable }) => ({ rule, level, at, repairable })), [{ rule: RULES[format], level: 'E', at: 1, repairable: true }]);
    const healed = repair(messages);
    assert.deepEqual(healed.repaired.map(({ rule, at }) => ({ rule, at })), [{ rule: RULES[format], at: 1 }]);
    assert.equal(healed.refused, undefined);
    assert.deepEqual(healed.messages[2], ANSWERS[format]);
    assert.deepEqual([0, 1, 3].map((i) => messages.indexOf(healed.messages[i])), [0, 1, 2], 'everything else is the same object');
    assert.deepEqual(validate(healed.messages, format).findings, []);
    assert.deepEqual(repair(healed.messages, format).repaired, []);
  });
}

test('lists that read alike everywhere have to be named, and unknown names are refused', () => {
  assert.throws(() => validate([user('hi'), { role: 'assistant', content: 'ho' }]), { code: 'bad_input', name: 'CascadeError' });
  assert.throws(() => validate([user('hi')], 'antropic'), { code: 'bad_input' });
  assert.throws(() => validate('hi', 'ai-sdk'), { code: 'bad_input' });
  assert.deepEqual(validate([user('hi')], 'anthropic'), { findings: [], format: 'anthropic' });
  assert.deepEqual(validate([], 'openai-chat').findings.map((f) => f.rule), ['OC-1']);
});

test('a request may not end as a stored history may', () => {
  const answered = [user('hi'), { role: 'assistant', content: 'ho' }];
  assert.deepEqual(validate(answered, 'anthropic').findings, []);
  assert.deepEqual(validate(answered, 'anthropic', { phase: 'request' }).findings.map((f) => f.rule), ['AN-3']);
  const running = [user('go'), sdkCall('x')];
  assert.deepEqual(validate(running).findings.map((f) => f.level), ['S']);
  assert.deepEqual(validate(running, 'ai-sdk', { phase: 'request' }).findings.map((f) => f.level), ['E']);
});

test('AI SDK: leaves of the wrong type are told with their place, whatever the list holds', () => {
  const rows = (...messages) => validate([user('go'), ...messages], 'ai-sdk').findings.filter((f) => f.level === 'E').map((f) => `${f.rule} ${f.at}`);
  assert.deepEqual(rows(sdkCall('x'), { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'x', toolName: 'read', output: 'a bare string' }] }), ['AM-2 2']);
  assert.deepEqual(rows({ role: 'assistant', content: [{ type: 'text' }] }), ['AM-2 1']);
  assert.deepEqual(rows({ role: 'assistant', content: 7 }), ['AM-2 1']);
  assert.deepEqual(rows({ role: 'narrator', content: 'x' }), ['AM-2 1']);
  assert.deepEqual(rows(null), ['AM-2 1']);
  assert.deepEqual(rows({ role: 'assistant', content: [{ type: 'teleport' }] }), ['AM-2 1']);
  const throwing = { role: 'assistant', get content() { throw new Error('no'); } };
  assert.deepEqual(rows(throwing), ['AM-2 1']);
  assert.equal(JSON.stringify(validate([user('the secret'), sdkCall('x'), user('b')], 'ai-sdk')).includes('secret'), false);
});

test('Anthropic: signatures, breakpoints, blanks, ids and order', () => {
  const found = (...messages) => validate(messages, 'anthropic').findings.map((f) => `${f.rule} ${f.level} ${f.at}`);
  const think = (signature) => ({ type: 'thinking', thinking: 'hm', ...(signature && { signature }) });
  const use = (id) => ({ type: 'tool_use', id, name: 'read', input: {} });
  const answer = (id) => ({ type: 'tool_result', tool_use_id: id, content: 'out' });
  assert.deepEqual(found(user('go'), { role: 'assistant', content: [think(), use('x')] }, { role: 'user', content: [answer('x')] }), ['AN-20 E 1']);
  assert.deepEqual(found(user('go'), { role: 'assistant', content: [think('s'), use('x')] }, { role: 'user', content: [answer('x')] }), []);
  assert.deepEqual(found(user('go'), { role: 'assistant', content: [use('x')] }, { role: 'user', content: [{ type: 'text', text: 'and' }, answer('x')] }), ['AN-7 E 2']);
  assert.deepEqual(found(user(' '), { role: 'assistant', content: [use('a b')] }, { role: 'user', content: [answer('a b')] }), ['AN-12 E 0', 'AN-10 E 1', 'AN-10 E 2']);
  const cached = { type: 'text', text: 't', cache_control: { type: 'ephemeral' } };
  assert.deepEqual(found({ role: 'user', content: [cached, cached, cached, cached, cached] }), ['AN-cache E 0']);
  assert.deepEqual(found(user('go'), { role: 'assistant', content: [{ ...use('x'), caller: { type: 'code_execution', tool_id: 'srvtoolu_9' } }] }, { role: 'user', content: [answer('x')] }), ['AM-13 E 1']);
  assert.deepEqual(found({ role: 'assistant', content: [{ type: 'compaction', content: '' }] }), ['AN-11 E 0'], 'an empty compaction is refused; one may stand first');
});

test('AN-8: while a server tool runs, the user\'s message holds nothing but results', () => {
  const both = { role: 'assistant', content: [{ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }, { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }] };
  const answer = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' };
  const found = (...content) => validate([{ role: 'user', content: 'go' }, both, { role: 'user', content }], 'anthropic').findings.map((f) => `${f.rule} ${f.at}`);
  assert.deepEqual(found(answer), [], 'the server tool goes on behind the result');
  assert.deepEqual(found(answer, { type: 'text', text: 'and hurry' }), ['AN-8 1']);
  const { messages, repaired } = repair([{ role: 'user', content: 'go' }, both, { role: 'user', content: [answer, { type: 'text', text: 'and hurry' }] }], 'anthropic');
  assert.deepEqual([messages[1].content.map((b) => b.type), messages[2].content.length, repaired.length], [['tool_use'], 2, 1]);
});

test('OpenAI: what a repair makes of ids, orphans and images', () => {
  const call = (...ids) => ({ role: 'assistant', content: null, tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'read', arguments: '{}' } })) });
  const tool = (id, content = 'out') => ({ role: 'tool', tool_call_id: id, content });
  const twins = [user('go'), call('c', 'c'), tool('c', 'one'), tool('c', 'two'), user('on')];
  const { messages, repaired } = repair(twins, 'openai-chat');
  assert.deepEqual(messages[1].tool_calls.map((c) => c.id), ['c', 'c_2']);
  assert.deepEqual(messages.slice(2, 4).map((m) => [m.tool_call_id, m.content]), [['c', 'one'], ['c_2', 'two']]);
  assert.equal(messages[2], twins[2]);
  assert.equal(messages[1].tool_calls[0], twins[1].tool_calls[0]);
  assert.deepEqual(repaired.map((r) => r.rule), ['OC-5']);
  assert.deepEqual(twins[1].tool_calls.map((c) => c.id), ['c', 'c'], 'the host\'s own objects are not written to');
  const image = [user('go'), call('x'), tool('x', [{ type: 'image_url', image_url: { url: 'https://example.org/a.png' } }]), user('on')];
  assert.deepEqual(repair(image, 'openai-chat').refused.map((f) => f.rule), ['OC-3'], 'an image in a tool message cannot be healed');
  const screen = [{ type: 'message', role: 'user', content: 'go' }, { type: 'computer_call', call_id: 'k', action: { type: 'click' } }, { type: 'message', role: 'user', content: 'on' }];
  const left = repair(screen, 'openai-responses');
  assert.deepEqual([left.messages, left.repaired, left.refused.map((f) => f.rule)], [screen, [], ['OR-2']], 'no screenshot is made up');
  const orphan = [user('go'), tool('ghost'), user('on')];
  assert.deepEqual(repair(orphan, 'openai-chat').messages, [orphan[0], orphan[2]]);
});

test('OR-7: item ids are the provider\'s, others go; reasoning that is stored elsewhere cannot lose its own', () => {
  const ask = { type: 'message', role: 'user', content: 'go', id: 'row-1' };
  const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'e' };
  const asked = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'read', arguments: '{}' };
  const answered = { type: 'function_call_output', call_id: 'call_1', output: 'ok' };
  const said = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] };
  const good = [ask, thought, asked, answered, said];
  assert.deepEqual(validate(good, 'openai-responses').findings.filter((f) => f.rule === 'OR-7'), [], 'ids of users are nobody\'s business');
  const bad = [ask, { ...thought, id: 'thinking-1' }, { ...asked, id: 'call_1' }, answered, { ...said, id: '7f3a' }];
  assert.deepEqual(validate(bad, 'openai-responses').findings.filter((f) => f.rule === 'OR-7').map((f) => [f.level, f.at, f.repairable]), [['E', 1, true], ['E', 2, true], ['E', 4, true]]);
  const { messages, repaired } = repair(bad, 'openai-responses');
  assert.deepEqual(messages.map((m) => m.id), ['row-1', undefined, undefined, undefined, undefined]);
  assert.deepEqual(repaired.filter((r) => r.rule === 'OR-7').map((r) => r.at), [1, 2, 4]);
  const elsewhere = [ask, { type: 'reasoning', id: 'thinking-1', summary: [] }, asked, answered];
  assert.deepEqual(repair(elsewhere, 'openai-responses').refused.map((f) => f.rule), ['OR-7']);
});

test('OC-9: an image that went into a tool message as JSON is told, and stays what it is', () => {
  const call = (id) => ({ role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: { name: 'shot', arguments: '{}' } }] });
  const tool = (id, content) => ({ role: 'tool', tool_call_id: id, content });
  const shot = JSON.stringify([{ type: 'text', text: 'the page' }, { type: 'image-data', data: 'iVBORw0K'.repeat(64), mediaType: 'image/png' }]);
  const list = [user('go'), call('x'), tool('x', shot), user('on')];
  assert.deepEqual(validate(list, 'openai-chat').findings.map((f) => [f.rule, f.level, f.at, f.repairable]), [['OC-9', 'S', 2, false]]);
  assert.equal(repair(list, 'openai-chat').messages[2], list[2]);
  assert.deepEqual(validate([user('go'), call('x'), tool('x', '[{"type":"text","text":"no picture here"}]'), user('on')], 'openai-chat').findings, []);
});

test('UIMessages are judged step by step and never repaired in place', () => {
  const tool = (toolCallId, state, more) => ({ type: 'tool-read', toolCallId, state, input: {}, ...more });
  const done = (id) => tool(id, 'output-available', { output: 'x' });
  const ask = { id: '1', role: 'user', parts: [{ type: 'text', text: 'go' }] };
  const steps = { id: '2', role: 'assistant', parts: [{ type: 'step-start' }, done('call_0'), { type: 'step-start' }, done('call_0'), { type: 'text', text: 'ok' }] };
  assert.deepEqual(validate([ask, steps]), { findings: [], format: 'ai-sdk-ui' }, 'ids may repeat from step to step');
  const broken = [ask, { id: '2', role: 'assistant', parts: [{ type: 'step-start' }, tool('a', 'input-available'), { type: 'data-note', data: 1 }, { ...done('b'), input: undefined }] }, { ...ask, id: '3' }, { id: '4', role: 'user', parts: [] }];
  assert.deepEqual(validate(broken).findings.map((f) => `${f.rule} ${f.at} ${f.part}`), ['AU-4 1 1', 'AU-2 1 3', 'AU-1 3 undefined']);
  const { messages, repaired, refused } = repair(broken);
  assert.deepEqual([messages.every((m, i) => m === broken[i]), repaired, refused.length], [true, [], 3]);
});

test('cuts: the safe one, and why not elsewhere, in plan and in inspect', async () => {
  const messages = [user('go')];
  for (let i = 0; i < 6; i += 1) messages.push(sdkCall(`c${i}`), sdkResult(`c${i}`));
  messages.push({ role: 'assistant', content: 'done' });
  const model = { id: 'm', window: 100_000 };
  const { cut } = plan({ messages, model });
  assert.equal(cut.safe, 5, 'eight messages and two rounds stay');
  assert.deepEqual(cut.legal, [1, 3, 5]);
  assert.deepEqual(cut.mirror, { covered: 4, firstKept: 5 });
  assert.deepEqual(cut.illegal.filter(({ at }) => at === 2).map(({ rule }) => rule), ['pair', 'boundary']);
  assert.match(cut.illegal.find(({ at, rule }) => at === 2 && rule === 'pair').why, /`c0`/);
  const cascade = await open({ transcript: 't', model });
  await cascade.next({ messages });
  const { cuts } = cascade.inspect();
  assert.deepEqual([cuts.safe, cuts.legal], [5, [1, 3, 5]]);
  assert.equal('cuts' in cascade.inspect({ cuts: false }), false);
  cascade.close();
});

test('ten thousand sound messages are judged without a finding', () => {
  const big = [];
  for (let i = 0; i < 2_500; i += 1) big.push(user(`please ${i}`), sdkCall(`c${i}`), sdkResult(`c${i}`), { role: 'assistant', content: 'done' });
  assert.deepEqual(validate(big).findings, []);
  assert.equal(validate([...big, sdkCall('late'), user('on')]).findings[0].at, 10_000);
});
