// The cases about what is brought back, about secrets, and about text that tries to leave its frame.
import assert from 'node:assert/strict';
import { testCases } from './cases/register.mjs';
import { rowsOf } from './cases/config.mjs';
import { textOf } from './cases/messages.mjs';
import { openCase, takeNext } from './cases/run.mjs';

const BLOCK = /<related_context>[\s\S]*?<\/related_context>/g;
const blocksOf = (view) => textOf(view).match(BLOCK) ?? [];

/** A chapter of the store is searched for a message of another: the rows are in the store, the list is live. @param {any} world */
async function retrieve(world) {
  const { rows, live, hits } = world.one.input;
  const stored = new Map(rows.map(({ pos, message }) => [pos, message]));
  const search = () => hits.map(({ pos, score }) => ({ position: pos, score, text: textOf(stored.get(pos).content.map?.((p) => p.output?.value ?? p.text ?? '') ?? stored.get(pos).content) }));
  const more = { embed: (texts) => texts.map(() => [1]), search, rows: ({ from, to }) => rows.filter((r) => r.pos >= from && r.pos <= to).map(({ pos, message }) => ({ position: pos, message })) };
  const cascade = await openCase(world, { more });
  cascade.set({ config: { retrieval: { enabled: true } } });
  const last = Math.max(...stored.keys());
  world.messages = live;
  const positions = live.map((_, i) => last + 1 + i);
  takeNext(world, await cascade.next({ messages: live, positions }));
  world.again = [await cascade.next({ messages: live, positions }), await cascade.next({ messages: [...live, { role: 'assistant', content: [{ type: 'text', text: 'Let me see.' }] }], positions: [...positions, last + 1 + live.length] })];
  cascade.close();
}

/** A result that the hook redacts, and the eviction that follows when it is old. @param {any} world */
async function truncate(world) {
  const { output, toolCallId, hooks } = world.one.input;
  const [from, to] = hooks.afterTool.replace;
  world.hooked = [];
  const redact = ({ text }) => (world.hooked.push(text), text.replaceAll(from, to));
  const cascade = await openCase(world, { more: { redact } });
  const { output: shown } = await cascade.result({ callId: toolCallId, tool: 'read', output });
  world.output = shown;
  world.text = textOf(shown);
  cascade.set({ config: { eviction: { atFraction: 0.000001, clearAtLeast: 0, minResultTokens: 0, keepRecentRounds: 0 } } });
  const messages = [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName: 'read', input: {} }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: 'read', output: shown }] },
    { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
    { role: 'user', content: 'next' },
  ];
  world.evicted = await cascade.next({ messages });
  cascade.close();
}

/** A fold whose summarizer is asked, whatever it answers. @param {any} world */
async function fold(world) {
  const more = { summarize: (request) => (world.requests.push(request), { text: world.one.input.summary ?? '## Objective\nsummarise the page\n' }) };
  const cascade = await openCase(world, { more });
  const { messages, positions } = rowsOf(world.one);
  takeNext(world, await cascade.compact({ messages, positions }));
  cascade.close();
}

const FRAMES = ['conversation', 'previous_briefing', 'still_visible', 'instructions'];

const checks = {
  frame_intact(world) {
    assert.ok(world.requests.length > 0, 'the summarizer was not asked');
    // A field may be sent by itself or inside the prompt; in each the frame stands once.
    for (const text of world.requests.flatMap((r) => Object.values(r)).filter((v) => typeof v === 'string')) {
      for (const name of FRAMES) {
        const [opens, closes] = [`<${name}>`, `</${name}>`].map((tag) => text.split(tag).length - 1);
        assert.ok(opens <= 1 && opens === closes, `${name}: ${opens} opened, ${closes} closed`);
      }
    }
    assert.ok(world.requests.some((r) => textOf(r).includes('<conversation>')));
  },
  raw_absent: (world, { toolCallId }) => assert.equal(world.raw.has(toolCallId), false),
  no_handle_advertised(world) {
    assert.ok(!world.text.includes('read_tool_output') && !world.text.includes(world.one.input.toolCallId));
    // Nor later, when it has become a stub.
    const stub = textOf(world.evicted.view[2].content[0].output);
    assert.match(stub, /redacted/);
    assert.ok(!stub.includes('read_tool_output'));
    assert.equal(world.raw.size, 0);
  },
  hook_input_is_full_text: (world) => assert.deepEqual(world.hooked.map((t) => t.length), [world.one.input.output.value.length]),
  no_new_messages_with_role(world, { roles }) {
    for (const message of world.view) assert.ok(!roles.includes(message.role) || world.messages.includes(message));
  },
  applied_once_per_turn(world) {
    const [block, ...more] = blocksOf(world.view);
    assert.ok(block && more.length === 0);
    for (const next of world.again) assert.deepEqual(blocksOf(next.view), [block]);
    assert.deepEqual([world.calls.search, world.calls.embed], [1, 1]);
  },
};

testCases(['retrieval', 'redaction', 'injection'], { ops: { retrieve, truncate, fold }, checks });
