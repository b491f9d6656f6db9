// Conversion between formats: every text, call, result and pairing arrives; what cannot is in the report.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { convert, toModelMessages } from '../../pkg/pure.js';
import { FORMATS, WIRE, conversation } from './conversations.mjs';

const ALL = [...WIRE, 'ai-sdk-ui'];
const facts = (messages, format) => {
  // Read by the shapes in the documentation, not by the package.
  const out = { texts: [], calls: [], results: [] };
  const json = (v) => (typeof v === 'string' ? v : JSON.stringify(v));
  const text = (t) => t.trim() !== '' && out.texts.push(t);
  const one = {
    'ai-sdk': (m) => {
      if (typeof m.content === 'string') return text(m.content);
      for (const p of m.content) {
        if (p.type === 'text') text(p.text);
        if (p.type === 'tool-call') out.calls.push([p.toolCallId, p.toolName, json(p.input)]);
        if (p.type === 'tool-result') out.results.push([p.toolCallId, json(p.output.value)]);
      }
    },
    'ai-sdk-ui': (m) => {
      for (const p of m.parts) {
        if (p.type === 'text') text(p.text);
        if (p.type === 'dynamic-tool') {
          out.calls.push([p.toolCallId, p.toolName, json(p.input)]);
          if (p.state === 'output-available') out.results.push([p.toolCallId, json(p.output)]);
          if (p.state === 'output-error') out.results.push([p.toolCallId, p.errorText]);
        }
      }
    },
    anthropic: (m) => {
      for (const b of m.content) {
        if (b.type === 'text') text(b.text);
        if (b.type === 'tool_use') out.calls.push([b.id, b.name, json(b.input)]);
        if (b.type === 'tool_result') out.results.push([b.tool_use_id, b.content]);
      }
    },
    'openai-chat': (m) => {
      if (m.role === 'tool') return out.results.push([m.tool_call_id, m.content]);
      if (typeof m.content === 'string') text(m.content);
      for (const p of Array.isArray(m.content) ? m.content : []) text(p.text);
      for (const c of m.tool_calls ?? []) out.calls.push([c.id, c.function.name, c.function.arguments]);
    },
    'openai-responses': (i) => {
      if (i.type === 'function_call') out.calls.push([i.call_id, i.name, i.arguments]);
      else if (i.type === 'function_call_output') out.results.push([i.call_id, i.output]);
      else for (const p of i.content ?? []) text(p.text);
    },
    gemini: (m) => {
      for (const p of m.parts) {
        if (p.text !== undefined && !p.thought) text(p.text);
        if (p.functionCall) out.calls.push([p.functionCall.id, p.functionCall.name, json(p.functionCall.args)]);
        if (p.functionResponse) out.results.push([p.functionResponse.id, json(p.functionResponse.response.output ?? p.functionResponse.response.error ?? p.functionResponse.response)]);
      }
    },
  }[format];
  messages.forEach(one);
  return out;
};

/** Texts, calls and pairs of `conversation(…, 4, { parallel: 2 })`, by hand. */
const expected = () => {
  const out = { texts: ['Look at the files.', 'Step 1.', 'Step 3.', 'Done.'], calls: [], results: [] };
  for (let n = 0; n < 4; n += 1) for (let k = 0; k < 2; k += 1) out.calls.push([`c${n}_${k}`, 'read', `{"path":"f${n}_${k}.txt"}`]), out.results.push([`c${n}_${k}`, `file ${n}.${k}\n`.padEnd(40, String((n + k) % 10))]);
  return out;
};

for (const from of WIRE) {
  for (const to of ALL.filter((name) => name !== from)) {
    test(`${from} → ${to} keeps every text, call, result and pairing, and comes back the same`, () => {
      const messages = conversation(from, 4, { parallel: 2, size: 40 });
      const before = structuredClone(messages);
      const there = convert(messages, from, to);
      assert.deepEqual(facts(there.messages, to), expected());
      assert.deepEqual(messages, before, 'the originals are not changed');
      const back = convert(there.messages, to, from);
      assert.deepEqual(facts(back.messages, from), expected());
      // Only the sealed reasoning of Responses has no place elsewhere.
      const sealed = from === 'openai-responses' && !['ai-sdk', 'ai-sdk-ui', 'gemini'].includes(to) ? 5 : 0;
      assert.equal(there.lost.filter((one) => one.what === 'reasoning').length, from === 'openai-responses' && to === 'gemini' ? 5 : sealed);
      assert.deepEqual(there.lost.filter((one) => !['reasoning', 'signature'].includes(one.what)), []);
      assert.deepEqual(convert(messages, from, from), { messages, lost: [] });
      assert.equal(convert(messages, from, from).messages[0], messages[0]);
    });
  }
}

describe('what a target cannot carry', () => {
  const rich = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'see' }, { type: 'image', image: new Uint8Array([1, 2, 3]), mediaType: 'image/png' }, { type: 'file', data: new URL('https://e.org/a.pdf'), mediaType: 'application/pdf', filename: 'a.pdf' }] },
    { role: 'assistant', content: [{ type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 's' } } }, { type: 'text', text: ' ' }, { type: 'tool-call', toolCallId: 'web.1', toolName: 'search', input: 'plain words', providerExecuted: true }, { type: 'tool-result', toolCallId: 'web.1', toolName: 'search', output: { type: 'json', value: [1] } }, { type: 'text', text: 'found' }, { type: 'tool-call', toolCallId: 'a', toolName: 'rm', input: { path: 'x' } }, { type: 'tool-approval-request', approvalId: 'ap', toolCallId: 'a' }] },
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'ap', approved: false, reason: 'no' }, { type: 'tool-result', toolCallId: 'a', toolName: 'rm', output: { type: 'execution-denied', reason: 'no' } }] },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'shot', input: {} }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'shot', output: { type: 'content', value: [{ type: 'text', text: 'screen' }, { type: 'image-data', data: 'AQID', mediaType: 'image/png' }] } }] },
    { role: 'assistant', content: [{ type: 'from-the-future', x: 1 }, { type: 'text', text: 'end' }] },
  ];
  const what = (to) => convert(rich, 'ai-sdk', to).lost.map((one) => [one.at, one.what]);

  test('Anthropic: provider tools become calls, odd ids are made right with their results, the rest is reported', () => {
    const { messages, system, lost } = convert(rich, 'ai-sdk', 'anthropic');
    assert.equal(system, 'Be brief.');
    assert.deepEqual(what('anthropic'), [[2, 'providerExecuted'], [2, 'text'], [2, 'arguments'], [2, 'id'], [2, 'approval'], [3, 'approval'], [4, 'id'], [6, 'part']].sort((a, b) => a[0] - b[0]));
    assert.ok(lost.every((one) => typeof one.why === 'string' && one.why.length > 5));
    assert.deepEqual(messages, [
      { role: 'user', content: [{ type: 'text', text: 'see' }, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQID' } }, { type: 'document', source: { type: 'url', url: 'https://e.org/a.pdf' }, title: 'a.pdf' }] },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 's' }, { type: 'tool_use', id: 'web_1', name: 'search', input: { input: 'plain words' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'web_1', content: '[1]' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'found' }, { type: 'tool_use', id: 'a', name: 'rm', input: { path: 'x' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'no', is_error: true }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a_2', name: 'shot', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a_2', content: [{ type: 'text', text: 'screen' }, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQID' } }] }] },
      { role: 'assistant', content: [{ type: 'text', text: 'end' }] },
    ]);
  });

  test('OpenAI Chat: a result is text, so its picture is named and reported', () => {
    const { messages } = convert(rich, 'ai-sdk', 'openai-chat');
    assert.deepEqual(messages.find((m) => m.tool_call_id === 'a' && Array.isArray(m.content)).content, [{ type: 'text', text: 'screen' }, { type: 'text', text: '[image/png, not shown]' }]);
    const seen = what('openai-chat').map(([at, kind]) => `${at} ${kind}`);
    for (const one of ['1 media', '2 reasoning', '2 approval', '3 approval', '3 error', '5 media', '6 part']) assert.ok(seen.includes(one), `${one} in ${seen}`);
    assert.equal(messages.find((m) => m.tool_calls?.[0].id === 'web.1').tool_calls[0].function.arguments, 'plain words');
  });

  test('Gemini: a picture of a result stays beside its response; Responses: it is an input image', () => {
    const shot = convert(rich, 'ai-sdk', 'gemini').messages.flatMap((m) => m.parts).find((p) => p.functionResponse?.name === 'shot').functionResponse;
    assert.deepEqual(shot, { id: 'a', name: 'shot', response: { output: 'screen' }, parts: [{ inlineData: { mimeType: 'image/png', data: 'AQID' } }] });
    const item = convert(rich, 'ai-sdk', 'openai-responses').messages.find((i) => i.type === 'function_call_output' && Array.isArray(i.output));
    assert.deepEqual(item.output, [{ type: 'input_text', text: 'screen' }, { type: 'input_image', image_url: 'data:image/png;base64,AQID', detail: 'auto' }]);
  });

  test('signatures and sealed reasoning come back to their own provider', () => {
    const thinking = [{ role: 'user', content: 'q' }, { role: 'assistant', content: [{ type: 'thinking', thinking: 't', signature: 's' }, { type: 'redacted_thinking', data: 'd' }, { type: 'text', text: 'a' }] }];
    assert.deepEqual(convert(convert(thinking, 'anthropic', 'ai-sdk').messages, 'ai-sdk', 'anthropic').messages[1], thinking[1]);
    const items = [FORMATS['openai-responses'].user('q'), ...FORMATS['openai-responses'].step([{ id: 'c', name: 'f', input: { b: 1, 10: 2 } }])];
    assert.deepEqual(convert(convert(items, 'openai-responses', 'ai-sdk').messages, 'ai-sdk', 'openai-responses').messages, items);
    const contents = [{ role: 'user', parts: [{ text: 'q' }] }, { role: 'model', parts: [{ text: 'thought', thought: true, thoughtSignature: 'x' }, { functionCall: { id: 'c', name: 'f', args: {} }, thoughtSignature: 'y' }] }];
    assert.deepEqual(convert(convert(contents, 'gemini', 'ai-sdk').messages, 'ai-sdk', 'gemini').messages, contents);
  });

  test('parts that only one format knows are reported, whatever the source', () => {
    const code = [{ role: 'model', parts: [{ executableCode: { code: '1' } }, { text: 'a' }] }];
    assert.deepEqual(convert(code, 'gemini', 'openai-chat').lost.map((one) => [one.at, one.what]), [[0, 'part']]);
    assert.deepEqual(convert([{ type: 'item_reference', id: 'x' }], 'openai-responses', 'anthropic').lost.map((one) => one.what), ['part']);
  });

  test('an unknown format or a message of another one is refused by name', () => {
    assert.throws(() => convert([], 'ai-sdk', 'gpt'), (e) => e.code === 'bad_input' && /`gpt`/.test(e.message));
    assert.throws(() => convert([{ role: 'user', content: 'a' }], 'gemini', 'ai-sdk'), (e) => e.code === 'bad_input' && /messages\[0\].*gemini/.test(e.message));
  });
});

test('ids that repeat in every round keep their pairs', () => {
  for (const from of WIRE) {
    const messages = conversation(from, 3, { size: 30, id: () => 'call_0' });
    const { messages: there } = convert(messages, from, from === 'anthropic' ? 'ai-sdk' : 'anthropic');
    const { calls, results } = facts(there, from === 'anthropic' ? 'ai-sdk' : 'anthropic');
    assert.deepEqual(results.map(([id]) => id), calls.map(([id]) => id));
    assert.deepEqual(results.map(([, text]) => text.slice(0, 8)), ['file 0.0', 'file 1.0', 'file 2.0']);
    if (from !== 'anthropic') assert.deepEqual(calls.map(([id]) => id), ['call_0', 'call_0_2', 'call_0_3']);
  }
});

test('Gemini contents without ids: calls get ids, and responses the same ones', () => {
  const contents = [
    { role: 'user', parts: [{ text: 'q' }] },
    { role: 'model', parts: [{ functionCall: { name: 'f', args: { n: 1 } } }, { functionCall: { name: 'f', args: { n: 2 } } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'one' } } }, { functionResponse: { name: 'f', response: { output: 'two' } } }] },
  ];
  const { calls, results } = facts(convert(contents, 'gemini', 'openai-chat').messages, 'openai-chat');
  assert.equal(new Set(calls.map(([id]) => id)).size, 2);
  assert.deepEqual(results, [[calls[0][0], 'one'], [calls[1][0], 'two']]);
});

test('a UIMessage with two steps becomes two rounds and one message again', () => {
  const ui = convert(conversation('ai-sdk', 2, { size: 20 }), 'ai-sdk', 'ai-sdk-ui').messages;
  assert.deepEqual(ui.map((m) => [m.role, m.parts.filter((p) => p.type === 'step-start').length]), [['user', 0], ['assistant', 3]]);
  assert.deepEqual(toModelMessages(ui).map((m) => m.role), ['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant']);
});
