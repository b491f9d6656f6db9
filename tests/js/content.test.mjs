// Unusual content in every format: nothing throws, every message that nothing happened to is the same object, and
// every result is in the view or behind a handle that reads it back whole.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { open } from '../../pkg/inline.js';
import { count, plan } from '../../pkg/pure.js';
import { memoryStore } from '../../pkg/stores/memory.js';
import { FORMATS, WIRE, conversation } from './conversations.mjs';

const MODEL = { id: 'test', window: 40_000, maxOutput: 4_000 };
const CHARS4 = { estimate: { counter: 'chars4' } };
const MB = 1_000_000;

/**
 * `next` and `plan` over a list: what was not edited is the same object; what was is stored whole.
 * @param {string} format @param {any[]} messages @param {any} [options]
 */
async function sound(format, messages, { occupancy, config = {}, model = MODEL } = {}) {
  const before = structuredClone(messages);
  const host = memoryStore();
  const cascade = await open({ transcript: 't', format, model, host, config: { ...CHARS4, ...config } });
  const next = await cascade.next({ messages });
  const { ledger } = cascade.inspect();
  assert.equal(ledger.length, messages.length);
  const kept = new Set(next.recipe.flatMap((op) => (op.keep ? Array.from({ length: op.keep[1] - op.keep[0] }, (_, i) => op.keep[0] + i) : [])));
  const edits = next.recipe.filter((op) => 'edit' in op).map((op) => op.edit);
  for (const i of kept) assert.ok(next.view.includes(messages[i]), `message ${i}`);
  for (const at of edits) {
    for (const part of ledger[at].parts?.length ? ledger[at].parts : [ledger[at]]) {
      assert.ok(part.handle, `message ${at} was edited without a handle`);
      assert.notEqual(host.raw.get(part.handle, { transcript: 't' }), null);
    }
  }
  for (const row of ledger) assert.ok(kept.has(row.index) || edits.includes(row.index) || row.state === 'elided', `message ${row.index} is gone`);
  assert.deepEqual(messages, before, 'the rows are not changed');
  cascade.close();
  const planned = plan({ messages, format, model, config: { ...CHARS4, ...config }, ...(occupancy && { occupancy }) });
  assert.equal(planned.ledger.length, messages.length);
  return { next, planned, ledger, host };
}

for (const format of WIRE) {
  const f = FORMATS[format];
  const round = (calls, answers = calls) => [...f.step(calls), ...f.answers(answers.map((c) => ({ id: c.id, name: c.name, output: c.output })))];
  const call = (id, output, input = { path: id }) => ({ id, name: 'read', input, output });

  describe(format, () => {
    test('a result of 10 MB is shortened, stored up to its cap, and costs no memory of that size', async () => {
      const text = 'Größe 😀\n'.padEnd(10 * MB, 'x');
      const { next, host } = await sound(format, [f.user('q'), ...round([call('a', text)])]);
      const shown = f.outputOf(next.view, 'a');
      assert.ok(shown.length <= 24_000 && shown.startsWith('Größe 😀\n'));
      assert.ok(Buffer.byteLength(host.raw.get('a', { transcript: 't' })) <= 2 * MB);
    });

    test('a user text of 10 MB goes out as it is', async () => {
      const { next } = await sound(format, [f.user('y'.repeat(10 * MB)), ...f.step([], 'ok')], { model: { id: 'test', window: 10 * MB } });
      assert.equal(next.view.length >= 2, true);
      assert.ok(next.occupancy.tokens >= 2.5 * MB);
    });

    test('base64 of an image inside a JSON text is text, and shortened as JSON', async () => {
      const output = JSON.stringify([{ type: 'text', text: 'screen' }, { type: 'image', data: 'iVBORw0K'.repeat(20_000) }]);
      const { next } = await sound(format, [f.user('q'), ...round([call('a', output)])]);
      const shown = f.outputOf(next.view, 'a');
      const parsed = typeof shown === 'string' ? JSON.parse(shown) : shown;
      assert.ok(JSON.stringify(shown).length <= 26_000 && parsed[0].text === 'screen');
    });

    test('values and lists as outputs', async () => {
      const list = [call('n', { a: null, list: [], nested: { deep: [1, 2, { x: 'y' }] } }), call('e', {}), call('s', ''), call('w', ' \n ')];
      const { next } = await sound(format, [f.user('q'), ...round(list), ...f.step([], 'ok')]);
      assert.equal(next.outcomes.filter((o) => o.outcome === 'done').length, 0);
    });

    test('16 parallel calls, answered out of order: each stub stands for its own result', async () => {
      const calls = Array.from({ length: 16 }, (_, k) => call(`p${k}`, `result ${k}\n`.padEnd(4_000, String(k % 10))));
      const order = [...calls].sort((a, b) => (a.id < b.id ? 1 : -1));
      const messages = [f.user('q'), ...f.step(calls), ...f.answers(order.map((c) => ({ id: c.id, name: c.name, output: c.output }))), ...conversation(format, 4).slice(1)];
      const { planned } = await sound(format, messages, { occupancy: 30_000 });
      assert.equal(planned.spill.length, 16 + 1);
      for (const { handle, text } of planned.spill.filter((one) => one.handle.startsWith('p'))) {
        assert.equal(text, calls.find((c) => c.id === handle).output);
        assert.match(f.outputOf(planned.view, handle), new RegExp(`: result ${handle.slice(1)} \\[.*"${handle}"`));
      }
    });

    test('ids that repeat in every round: handles are told apart, and each reads back its own result', async () => {
      const messages = conversation(format, 12, { id: () => 'call_0' });
      const { planned } = await sound(format, messages, { occupancy: 30_000 });
      const handles = planned.spill.map((one) => one.handle);
      assert.deepEqual(handles, Array.from({ length: 9 }, (_, n) => (n === 0 ? 'call_0' : `call_0~${n + 1}`)));
      planned.spill.forEach((one, n) => assert.ok(one.text.startsWith(`file ${n}.0\n`)));
      const again = plan({ messages: structuredClone(messages), format, model: MODEL, config: CHARS4, state: planned.state });
      assert.deepEqual(again.view, planned.view);
    });

    test('empty arrays and messages of blanks are left out and accounted for; empty lists are fine', async () => {
      const empty = { 'ai-sdk': { role: 'assistant', content: [] }, anthropic: { role: 'user', content: [] }, 'openai-chat': { role: 'user', content: [] }, 'openai-responses': { type: 'message', role: 'user', content: [] }, gemini: { role: 'user', parts: [] } }[format];
      const messages = [f.user('q'), empty, f.user(' \n '), ...f.step([], 'ok')];
      const { next, ledger } = await sound(format, messages);
      assert.deepEqual(ledger.map((row) => row.state).slice(0, 3), ['kept', 'elided', 'elided']);
      assert.ok(!next.view.includes(messages[1]) && !next.view.includes(messages[2]));
      const none = await sound(format, []);
      assert.deepEqual([none.next.view, none.next.recipe, none.planned.view], [[], [], []]);
    });

    test('orphans, second results and unanswered calls are kept and named', async () => {
      const messages = [f.user('q'), ...f.answers([{ id: 'nobody', name: 'read', output: 'o' }]), ...f.step([call('a', ''), call('b', '')]), ...f.answers([{ id: 'a', name: 'read', output: '1' }]), ...f.answers([{ id: 'a', name: 'read', output: '2' }]), ...f.step([], 'on')];
      const cascade = await open({ transcript: 't', format, model: MODEL });
      const { view } = await cascade.next({ messages });
      assert.ok(view.every((m, i) => m === messages[i]));
      const kinds = cascade.inspect().findings.map((one) => one.kind).sort();
      // Items after an unanswered call belong to its round, which then is still open.
      const expected = format === 'openai-responses' ? ['duplicate_result', 'orphan_result'] : ['duplicate_result', 'orphan_result', 'unanswered_call'];
      assert.deepEqual(kinds, expected);
      cascade.close();
    });

    test('parts of a later version are kept, sized, and the same objects', async () => {
      const unknown = { type: 'from-the-future', payload: 'x'.repeat(397) };
      const message = { 'ai-sdk': { role: 'assistant', content: [unknown] }, anthropic: { role: 'assistant', content: [unknown] }, 'openai-chat': { role: 'assistant', content: [unknown] }, 'openai-responses': unknown, gemini: { role: 'model', parts: [{ ...unknown, type: undefined, thought: false }] } }[format];
      const { next } = await sound(format, [f.user('q'), message]);
      assert.equal(next.view[1], message);
      assert.ok(count([message], { format, counter: 'chars4' }).tokens >= 100);
    });
  });
}

const DATA = 'iVBORw0K'.repeat(50);
const OUTPUTS = {
  'ai-sdk': ['text', 'json', 'error-text', 'error-json', 'content', 'denied'].map((kind) => ({ role: 'tool', content: [{ type: 'tool-result', toolCallId: kind, toolName: 'read', output: kind === 'content' ? { type: 'content', value: [{ type: 'text', text: 'z'.repeat(4_000) }, { type: 'image-data', data: DATA, mediaType: 'image/png' }] } : kind === 'denied' ? { type: 'execution-denied', reason: 'z'.repeat(4_000) } : { type: kind, value: kind.endsWith('json') ? { v: 'z'.repeat(4_000) } : 'z'.repeat(4_000) } }] })),
  anthropic: [['text', 'z'.repeat(4_000)], ['error', 'z'.repeat(4_000), true], ['list', [{ type: 'text', text: 'z'.repeat(4_000) }, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: DATA } }]], ['none', undefined]].map(([id, content, is_error]) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, ...(content !== undefined && { content }), ...(is_error && { is_error }) }] })),
  'openai-chat': [['text', 'z'.repeat(4_000)], ['list', [{ type: 'text', text: 'z'.repeat(2_000) }, { type: 'text', text: 'y'.repeat(2_000) }]]].map(([tool_call_id, content]) => ({ role: 'tool', tool_call_id, content })),
  'openai-responses': [['text', 'z'.repeat(4_000)], ['list', [{ type: 'input_text', text: 'z'.repeat(4_000) }, { type: 'input_image', image_url: `data:image/png;base64,${DATA}` }]]].map(([call_id, output]) => ({ type: 'function_call_output', call_id, output })),
  gemini: [['text', { output: 'z'.repeat(4_000) }], ['error', { error: 'z'.repeat(4_000) }], ['json', { v: 'z'.repeat(4_000), w: 1 }], ['named', { name: 'read', content: 'z'.repeat(4_000) }], ['list', { output: 'z'.repeat(4_000) }, [{ inlineData: { mimeType: 'image/png', data: DATA } }]]].map(([id, response, parts]) => ({ role: 'user', parts: [{ functionResponse: { id, name: 'read', response, ...(parts && { parts }) } }] })),
};

/** What the stub of each output has to be, in the form the format demands. */
const STUBS = {
  'ai-sdk': (m, id) => [m.content[0].output.type, m.content[0].output.value, id.startsWith('error') || id === 'denied' ? 'error-text' : 'text'],
  anthropic: (m, id) => [m.content[0].is_error ? 'error' : 'text', m.content[0].content, id === 'error' ? 'error' : 'text'],
  'openai-chat': (m) => ['text', m.content, 'text'],
  'openai-responses': (m) => ['text', m.output, 'text'],
  gemini: (m, id) => {
    const { response, parts } = m.parts[0].functionResponse;
    assert.equal(parts, undefined);
    assert.equal(response.name, id === 'named' ? 'read' : undefined);
    const key = { error: 'error', named: 'content' }[id] ?? 'output';
    return ['text', response[key], 'text'];
  },
};

for (const format of WIRE) {
  test(`${format}: every form of output becomes a stub of its own form, error kept, media inside gone with it`, () => {
    const f = FORMATS[format];
    const idOf = { 'ai-sdk': (m) => m.content[0].toolCallId, anthropic: (m) => m.content[0].tool_use_id, 'openai-chat': (m) => m.tool_call_id, 'openai-responses': (m) => m.call_id, gemini: (m) => m.parts[0].functionResponse.id }[format];
    const old = OUTPUTS[format].flatMap((result) => [...f.step([{ id: idOf(result), name: 'read', input: {} }]), result]);
    const messages = [f.user('q'), ...old, ...conversation(format, 4).slice(1)];
    const { view, ledger, spill } = plan({ messages, format, model: MODEL, config: { ...CHARS4, eviction: { clearAtLeast: 0 } }, occupancy: 30_000 });
    for (const [at, m] of messages.entries()) {
      if (!OUTPUTS[format].includes(m) || idOf(m) === 'none') {
        if (ledger[at].state === 'kept') assert.equal(view[at], m);
        continue;
      }
      const [form, text, expected] = STUBS[format](view[at], idOf(m));
      assert.equal(ledger[at].state, 'evicted', idOf(m));
      assert.equal(form, expected);
      assert.match(text, /^\[context-cleared\] read: (ok|error)/);
      assert.equal(/read: error/.test(text), /error|denied/.test(idOf(m)));
      assert.ok(!JSON.stringify(view[at]).includes('iVBOR'));
      assert.ok(spill.find((one) => one.handle === idOf(m)).text.includes('z'.repeat(1_000)));
    }
  });
}

test('Responses: outputs between the calls of one step pair by id and stay one round', async () => {
  const item = (id) => ({ type: 'function_call', call_id: id, name: 'read', arguments: '{}' });
  const out = (id) => ({ type: 'function_call_output', call_id: id, output: `${id}\n`.padEnd(4_000, id) });
  const messages = [FORMATS['openai-responses'].user('q'), item('a'), item('b'), out('a'), item('c'), out('c'), out('b'), ...conversation('openai-responses', 3).slice(1)];
  const { planned } = await sound('openai-responses', messages, { occupancy: 30_000 });
  assert.deepEqual(planned.spill.map((one) => [one.handle, one.text[0]]), [['a', 'a'], ['b', 'b'], ['c', 'c']]);
});

test('Gemini: without ids a response answers the call of its tool, in order, and stubs keep count', async () => {
  const step = (n) => [{ role: 'model', parts: [{ functionCall: { name: 'read', args: { n } } }, { functionCall: { name: 'read', args: { n: n + 100 } } }] }, { role: 'user', parts: [n, n + 100].map((k) => ({ functionResponse: { name: 'read', response: { output: `out ${k}\n`.padEnd(4_000, 'q') } } })) }];
  const messages = [FORMATS.gemini.user('q'), ...step(1), ...step(2), ...step(3), ...step(4), ...step(5)];
  const { planned } = await sound('gemini', messages, { occupancy: 30_000 });
  assert.deepEqual(planned.spill.map((one) => [one.handle, one.text.split('\n')[0]]), [['read', 'out 1'], ['read~2', 'out 101'], ['read~3', 'out 2'], ['read~4', 'out 102']]);
  planned.view.forEach((m, i) => assert.equal(m.parts.length, messages[i].parts.length));
});

test('100,000 messages: the time of the first load and of one step', async (t) => {
  for (const format of WIRE) {
    const f = FORMATS[format];
    const messages = [];
    for (let n = 0; messages.length < 100_000; n += 1) messages.push(f.user(`Question ${n}`), ...f.step([{ id: `c${n}`, name: 'read', input: { path: `f${n}` } }]), ...f.answers([{ id: `c${n}`, name: 'read', output: 'short' }]), ...f.step([], `Answer ${n}`));
    const cascade = await open({ transcript: 't', format, model: { id: 'test', window: 10_000_000 }, config: CHARS4 });
    const first = performance.now();
    const { view } = await cascade.next({ messages });
    const second = performance.now();
    messages.push(f.user('more'));
    const next = await cascade.next({ messages });
    const end = performance.now();
    assert.ok(view.every((m, i) => m === messages[i]));
    assert.equal(next.view.length, messages.length);
    t.diagnostic(`${format}: ${messages.length} messages, first load ${Math.round(second - first)} ms, one step ${Math.round(end - second)} ms`);
    cascade.close();
  }
});
