// Each format through the package: found by its content, relieved in its own form, everything else untouched.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apply, open, toolDefinition } from '../../pkg/inline.js';
import { detectFormat, formatByName, plainText } from '../../pkg/formats/index.js';
import { count, plan } from '../../pkg/pure.js';
import { memoryStore } from '../../pkg/stores/memory.js';
import { FORMATS, WIRE, conversation } from './conversations.mjs';

const MODEL = { id: 'test', window: 40_000, maxOutput: 4_000 };
const CHARS4 = { estimate: { counter: 'chars4' } };

for (const format of WIRE) {
  describe(format, () => {
    const messages = conversation(format, 20);

    test('is seen from the content', () => assert.equal(detectFormat(messages), format));

    test('EV-1: the oldest results become stubs in the form of this format, all else is the same object', async () => {
      const host = memoryStore();
      const cascade = await open({ transcript: 't', model: MODEL, host, config: CHARS4 });
      const next = await cascade.next({ messages: conversation(format, 22) });
      cascade.close();
      const planned = plan({ messages, model: MODEL, config: CHARS4, occupancy: 21_000 });
      for (const { view, input } of [{ view: planned.view, input: messages }]) {
        const evicted = planned.ledger.filter((row) => row.state === 'evicted');
        assert.ok(evicted.length === 12 || evicted.length === 13, `${evicted.length} evicted`);
        assert.equal(view.length, input.length);
        for (const { index, handle } of evicted) {
          const stub = FORMATS[format].outputOf([view[index]], handle);
          assert.match(stub, /^\[context-cleared\] read: ok \(f\d+_0\.txt\), 2 lines, 4000 chars: file \d+\.0 \[read_tool_output\(\{ id: "c\d+_0" \}\) returns it\]$/);
          assert.equal(planned.spill.find((one) => one.handle === handle).text, FORMATS[format].outputOf([input[index]], handle));
        }
        const gone = new Set(evicted.map((row) => row.index));
        view.forEach((message, i) => assert.equal(message === input[i], !gone.has(i), `message ${i}`));
        assert.deepEqual(apply(input, planned.recipe), view);
        // A stub changes the output and nothing else.
        const restored = view.map((message, i) => (gone.has(i) ? JSON.parse(JSON.stringify(message).replace(/"\[context-cleared\](?:[^"\\]|\\.)*"/, JSON.stringify(FORMATS[format].outputOf([input[i]], planned.ledger[i].handle)))) : message));
        assert.deepEqual(restored, input);
      }
      assert.equal(next.view.length, conversation(format, 22).length);
    });

    test('rounds are steps: the newest three with results stay whole, whatever number of messages they take', () => {
      const list = conversation(format, 6, { parallel: 3 });
      const { ledger, view } = plan({ messages: list, model: MODEL, config: CHARS4, occupancy: 30_000 });
      const kept = ['c3_0', 'c3_2', 'c5_1'];
      for (const id of kept) assert.equal(FORMATS[format].outputOf(view, id), FORMATS[format].outputOf(list, id));
      const handles = ledger.flatMap((row) => (row.parts?.length ? row.parts : [row])).filter((row) => row.state === 'evicted').map((row) => row.handle);
      assert.deepEqual(handles.sort(), ['c0_0', 'c0_1', 'c0_2', 'c1_0', 'c1_1', 'c1_2', 'c2_0', 'c2_1', 'c2_2']);
    });

    test('what a stub hides is read back by its handle', async () => {
      const host = memoryStore();
      const cascade = await open({ transcript: 't', model: { id: 'test', window: 40_000, maxOutput: 4_000 }, host, config: CHARS4 });
      const list = conversation(format, 24);
      const { view } = await cascade.next({ messages: list });
      assert.notEqual(view[list.length - 1], undefined);
      const at = view.findIndex((message, i) => message !== list[i]);
      const { handle } = cascade.inspect().ledger[at];
      const reply = await cascade.tools[0].execute({ id: handle });
      assert.ok(reply.includes(FORMATS[format].outputOf([list[at]], handle).slice(0, 3_000)));
      cascade.close();
    });

    test('the same text weighs the same in every format', () => {
      const one = [FORMATS[format].user('x'.repeat(400)), ...FORMATS[format].answers([{ id: 'a', name: 'read', output: 'y'.repeat(800) }])];
      assert.deepEqual(count(one, { format, counter: 'chars4' }).rows, [100, 200]);
    });

    test('a text of ours is a message this format takes, and a block of ours stands behind the parts of a user', () => {
      const f = formatByName(format);
      const head = f.userMessage([{ text: 'SUMMARY', origin: 'summary' }], 'summary');
      const two = f.userMessage([{ text: 'ONE', origin: 'summary' }, { text: 'TWO', origin: 'orders' }], 'head');
      assert.deepEqual(f.parts(two).map((p) => p.text), ['ONE', 'TWO']);
      assert.equal(f.role(head), 1);
      assert.deepEqual(f.parts(head).map((p) => p.text), ['SUMMARY']);
      assert.ok(['ai-sdk', undefined, format].includes(detectFormat([head])) && (detectFormat([FORMATS[format].step([{ id: 'a', name: 'b', input: {} }])[0], head]) === format));
      for (const user of [FORMATS[format].user('question'), FORMATS[format].user('')]) {
        const [view] = apply([user], [{ edit: 0, ...f.appended(user, [{ text: 'BLOCK', origin: 'anchor' }]) }]);
        assert.deepEqual(f.parts(view).map((p) => p.text), [...f.parts(user).map((p) => p.text), 'BLOCK']);
        assert.equal(f.role(view), 1);
      }
    });
  });
}

test('the reading tool is defined as each format lists tools', () => {
  const tool = { name: 'read_tool_output', description: 'Reads.', inputSchema: { type: 'object' } };
  const expected = {
    'ai-sdk': { type: 'function', name: tool.name, description: 'Reads.', inputSchema: tool.inputSchema },
    'ai-sdk-ui': { type: 'function', name: tool.name, description: 'Reads.', inputSchema: tool.inputSchema },
    anthropic: { name: tool.name, description: 'Reads.', input_schema: tool.inputSchema },
    'openai-chat': { type: 'function', function: { name: tool.name, description: 'Reads.', parameters: tool.inputSchema } },
    'openai-responses': { type: 'function', name: tool.name, description: 'Reads.', parameters: tool.inputSchema, strict: false },
    gemini: { functionDeclarations: [{ name: tool.name, description: 'Reads.', parametersJsonSchema: tool.inputSchema }] },
  };
  for (const [format, definition] of Object.entries(expected)) assert.deepEqual(toolDefinition(tool, format), definition);
});

describe('detection', () => {
  const asks = (messages, pattern) => assert.throws(() => detectFormat(messages), (e) => e.name === 'CascadeError' && e.code === 'bad_input' && pattern.test(e.message) && /`format`/.test(e.message));

  test('plain texts read alike: nothing is asked, and what we add is plain too', async () => {
    const messages = [{ role: 'user', content: 'a' }, { role: 'assistant', content: 'b' }, { role: 'user', content: 'c' }];
    assert.equal(detectFormat(messages), undefined);
    for (const format of ['ai-sdk', 'anthropic', 'openai-chat', 'openai-responses']) assert.deepEqual(count(messages, { format }), count(messages));
    assert.deepEqual(plainText.userMessage([{ text: 'x', origin: 'a' }, { text: 'y', origin: 'b' }], 'head'), { role: 'user', content: 'x\n\ny' });
    assert.deepEqual(apply([messages[0]], [{ edit: 0, ...plainText.appended(messages[0], [{ text: 'B', origin: 'anchor' }]) }]), [{ role: 'user', content: 'a\n\nB' }]);
    const cascade = await open({ transcript: 't', model: MODEL });
    assert.deepEqual((await cascade.next({ messages })).view, messages);
    // Later messages tell.
    const more = [...messages, ...FORMATS['openai-chat'].step([{ id: 'a', name: 'b', input: {} }])];
    assert.deepEqual((await cascade.next({ messages: more })).view, more);
    cascade.close();
  });

  test('lists that two formats read differently ask for the name', () => {
    asks([{ role: 'user', parts: [] }], /ai-sdk-ui or gemini/);
  });

  test('messages of different formats are refused at the first that does not fit', () => {
    asks([{ role: 'developer', content: 'a' }, { role: 'user', parts: [{ text: 'b' }] }], /messages\[1\].*openai-chat, openai-responses/);
  });

  test('a message of another shape is refused, not read as an empty one', async () => {
    const odd = { 'ai-sdk': FORMATS.gemini.user('b'), anthropic: FORMATS.gemini.user('b'), 'openai-chat': FORMATS.gemini.user('b'), 'openai-responses': FORMATS.gemini.user('b'), gemini: { role: 'user', content: 'b' }, 'ai-sdk-ui': { role: 'user', content: 'b' } };
    for (const [format, message] of Object.entries(odd)) {
      const cascade = await open({ transcript: 't', model: MODEL, format });
      await assert.rejects(cascade.next({ messages: [message] }), (e) => e.code === 'bad_input' && /messages\[0\]/.test(e.message) && e.message.includes(format === 'ai-sdk-ui' ? 'UIMessage' : format));
      cascade.close();
    }
  });

  test('what no format knows tells nothing', () => {
    assert.equal(detectFormat([{ role: 'assistant', content: [{ type: 'from-the-future' }] }, ...conversation('anthropic', 1)]), 'anthropic');
    assert.equal(detectFormat([{ role: 'user', parts: [{ type: 'text', text: 'a' }] }]), 'ai-sdk-ui');
    assert.equal(detectFormat([{ role: 'user', content: [{ type: 'image', source: {} }] }]), 'anthropic');
    assert.equal(detectFormat([{ role: 'user', content: [{ type: 'image', image: 'x' }] }]), 'ai-sdk');
    assert.equal(detectFormat([{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }]), 'openai-chat');
  });

  test('a name that is none is refused with those that are', async () => {
    await assert.rejects(open({ transcript: 't', model: MODEL, format: 'openai' }), /ai-sdk, ai-sdk-ui, anthropic, openai-chat, openai-responses, gemini/);
  });
});

test('provider prompts V2 to V4 read as the dialects they are', () => {
  const { parts } = formatByName('ai-sdk');
  const price = () => 7;
  const files = (content) => parts({ role: 'user', content }, price).map((p) => [p.kind, p.name, p.text, p.media]);
  assert.deepEqual(files([{ type: 'file', mediaType: 'image/png', data: new Uint8Array(3) }]), [[4, 'image/png', '', 7]]);
  assert.deepEqual(files([{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBO' } }]), [[4, 'image/png', '', 7]]);
  assert.deepEqual(files([{ type: 'file', mediaType: 'text/plain', data: { type: 'text', text: 'abc' } }]), [[4, 'text/plain', 'abc', 0]]);
  const v2 = { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'b', output: { type: 'content', value: [{ type: 'media', data: 'iVBO', mediaType: 'image/png' }, { type: 'text', text: 't' }] } }] };
  assert.deepEqual(parts(v2, price).map((p) => [p.media, p.text.includes('iVBO')]), [[7, false]]);
  assert.deepEqual(parts({ role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'b', input: '{"path":"x"}' }] })[0].text, '{"path":"x"}');
});

test('D-47: an encrypted compaction of the provider stays where it is, a readable one may be folded, a failed one is nothing', () => {
  const long = (word) => `${word} `.repeat(300);
  const legal = (format, messages) => plan({ messages, format, model: { id: 'm', window: 100_000, maxOutput: 0 }, config: { summarize: { keepRecent: 0, keepRounds: 0, tailTokens: 0 } } }).cut.legal;
  const block = (compaction) => legal('anthropic', [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: [compaction, { type: 'text', text: long('well') }] },
    { role: 'user', content: long('on') },
    { role: 'assistant', content: [{ type: 'text', text: long('ok') }] },
    { role: 'user', content: 'more' },
  ]);
  assert.deepEqual(block({ type: 'compaction', content: null }), [1, 3]);
  assert.deepEqual(block({ type: 'compaction', content: null, encrypted_content: 'AAAA' }), []);
  assert.deepEqual(block({ type: 'compaction', content: 'what happened' }), [3]);
  const say = (role, text) => ({ type: 'message', role, content: long(text) });
  const item = (compaction) => legal('openai-responses', [say('user', 'go'), compaction, say('assistant', 'ok'), say('user', 'on'), say('assistant', 'ok'), say('user', 'more')]);
  assert.deepEqual(item({ type: 'compaction', encrypted_content: 'AAAA' }), []);
  assert.deepEqual(item(say('user', 'x')), [2, 4]);
  const custom = (part) => legal('ai-sdk', [{ role: 'user', content: long('go') }, { role: 'assistant', content: [part, { type: 'text', text: long('ok') }] }, { role: 'user', content: long('on') }, { role: 'assistant', content: long('ok') }, { role: 'user', content: 'more' }]);
  assert.deepEqual(custom({ type: 'custom', kind: 'openai.compaction', providerOptions: { openai: { itemId: 'cmp_1', encryptedContent: 'AAAA' } } }), []);
});

test('a part type named like a member of every object tells nothing and breaks nothing', () => {
  for (const type of ['constructor', '__proto__', 'toString']) assert.equal(detectFormat([{ role: 'user', content: [{ type }, { type: 'text', text: 'x' }] }]), undefined);
});
