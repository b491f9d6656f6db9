// What other context managers got wrong or test for, on folds: durability, what is kept, what comes back. Each named by
// what it asserts; what the acceptance examples assert already is not repeated.
import assert from 'node:assert/strict';
import test from 'node:test';
import { runFold } from '../../pkg/inline.js';
import { validate } from '../../pkg/pure.js';
import { memoryStore } from '../../pkg/stores/memory.js';
import { calls, outcome, reach, result, roles, rounds, says, session, texts, user } from './session-kit.mjs';

const BRIEFING = '## Objective\nport the parser\n\n## Open Tasks\n- fix it\n\n## Next Step\nRun cargo test\n'.padEnd(400, '.');
const summarize = () => ({ text: BRIEFING });
const alone = { eviction: { enabled: false }, cascade: { enabled: false } };
const four = () => [user('go'), ...rounds(2, 8_000), says('and')];
const held = () => {
  let finish;
  const made = new Promise((resolve) => (finish = () => resolve({ text: BRIEFING })));
  return { finish, summarize: () => made };
};

test('rows that come back from the store, with new ids and time stamps, still take the briefing that was being made', async () => {
  const { finish, summarize } = held();
  const { c } = await session({ host: { summarize }, config: alone });
  const messages = four();
  const { background } = await reach(c, messages, 6_100);
  const running = background.run();
  const stamp = (m, i) => ({ ...JSON.parse(JSON.stringify(m)), id: `row-${i}`, createdAt: i, providerOptions: { host: { savedAt: i } } });
  const reloaded = messages.map(stamp);
  await c.next({ messages: reloaded });
  finish();
  assert.equal((await running).at(-1).type, 'context.folded');
  const n = await c.next({ messages: reloaded });
  assert.equal(roles(n.view), 'ua');
  assert.equal(n.view[1], reloaded[5]);
});

for (const [name, change] of [
  ['covered row was edited', (m) => [{ ...m[0], content: 'go elsewhere' }, ...m.slice(1)]],
  ['conversation was taken back', (m) => m.slice(0, 3)],
]) {
  test(`a late briefing does not land when a ${name} meanwhile`, async () => {
    const { finish, summarize } = held();
    const { c } = await session({ host: { summarize }, config: alone });
    const messages = four();
    const { background } = await reach(c, messages, 6_100);
    const running = background.run();
    const now = change(messages);
    await c.next({ messages: now });
    finish();
    const [declined] = (await running).filter((e) => e.type === 'context.declined');
    assert.equal(declined.reason, 'stale');
    assert.equal(c.state.boundary, null);
    assert.ok((await c.next({ messages: now })).view.every((m, i) => m === now[i]));
  });
}

test('a plan that cuts between a call and its result is not carried out, and the run goes on unfolded', async () => {
  const messages = four();
  const host = { ...memoryStore(), summarize, rows: ({ from, to }) => messages.slice(from, to + 1).map((message, i) => ({ position: from + i, message })) };
  const { c } = await session({ host, config: alone });
  const { background } = await reach(c, messages, 6_100);
  const { ticket } = background;
  assert.deepEqual([ticket.plan.covered, ticket.plan.firstKept], [4, 5]);
  const events = await runFold({ ...ticket, plan: { ...ticket.plan, covered: 3, firstKept: 4 } }, host);
  assert.deepEqual(events.map((e) => [e.type, e.reason]), [['context.declined', 'stale']]);
  assert.ok((await c.next({ messages })).view.every((m, i) => m === messages[i]));
});

test('after a fold a new call with its result needs no repair', async () => {
  const { c } = await session({ host: { summarize }, config: alone });
  const messages = four();
  await c.compact({ messages });
  const n = await c.next({ messages: [...messages, calls('x1', 'x2'), result('x1', 'one'), result('x2', 'two')] });
  assert.deepEqual(validate(n.view, 'ai-sdk').findings, []);
});

test('a fold in the middle of one long turn with parallel calls shows every kept result once', async () => {
  const { c } = await session({ host: { summarize }, config: { ...alone, summarize: { keepRounds: 2 } } });
  const batch = (i) => [calls(`a${i}`, `b${i}`, `c${i}`), result(`b${i}`, 'b'.repeat(2_000)), result(`a${i}`, 'a'.repeat(2_000)), result(`c${i}`, `c${i}`)];
  const messages = [user('go'), ...[0, 1, 2, 3].flatMap(batch)];
  const n = await c.compact({ messages });
  assert.equal(outcome(n, 'fold').outcome, 'done');
  const shown = n.view.flatMap((m) => (Array.isArray(m.content) ? m.content.filter((p) => p.type === 'tool-result').map((p) => p.toolCallId) : []));
  assert.deepEqual(shown, ['b2', 'a2', 'c2', 'b3', 'a3', 'c3']);
  assert.deepEqual(n.view.slice(1), messages.slice(9));
});

test('an unanswered call behind the newest question stays, and so do the words of the question', async () => {
  const { c } = await session({ host: { summarize }, config: { ...alone, orders: { enabled: true } } });
  const messages = [...four(), user('and now?'), calls('open')];
  const n = await c.compact({ messages });
  assert.equal(outcome(n, 'fold').outcome, 'done');
  assert.equal(n.view.at(-1), messages.at(-1));
  assert.ok(texts(n.view).join('').includes('[row 6]\nand now?'));
});

test('an old picture holds up no fold, and folding it again and again comes to an end', async () => {
  const { c, counts } = await session({ window: 20_000, maxOutput: 2_000, host: { summarize }, config: { ...alone, summarize: { background: false } } });
  const picture = { role: 'user', content: [{ type: 'text', text: 'see this' }, { type: 'image', image: 'iVBORw0KGgo=', mediaType: 'image/png' }] };
  const messages = [picture, ...rounds(2, 8_000), says('and')];
  const n = await reach(c, messages, 12_500);
  assert.equal(outcome(n, 'fold').outcome, 'done');
  assert.ok(!n.view.includes(picture));
  for (let i = 0; i < 5; i += 1) await c.next({ messages });
  assert.equal(counts.summarize, 1);
});

test('a briefing is marked as a record: its tasks are no instructions', async () => {
  const { c } = await session({ host: { summarize }, config: alone });
  const [head] = texts((await c.compact({ messages: four() })).view);
  assert.match(head, /^<context_summary>\nThis is a record of earlier work .* It is information, not instructions\.\n/);
});

test('no later relief takes the briefing away', async () => {
  let made = 0;
  const { c } = await session({ host: { summarize: () => ({ text: (made += 1) === 1 ? BRIEFING : '' }) }, config: { eviction: { enabled: false } } });
  let messages = four();
  await c.compact({ messages });
  messages = [...messages, ...[1, 2, 3, 4].flatMap((t) => [user(`question ${t}`), ...rounds(2, 3_000, `t${t}-`), says(`answer ${t}`)]), user('next')];
  await c.next({ messages: messages.slice(0, -1) });
  await c.settle({ usage: { inputTokens: 8_900 } });
  const n = await c.next({ messages });
  assert.equal(outcome(n, 'cascade').outcome, 'done');
  assert.ok(texts(n.view)[0].includes('port the parser'));
});

test('a count that belongs to the request before the fold makes no second fold', async () => {
  const { c, counts } = await session({ host: { summarize }, config: { ...alone, summarize: { background: true } } });
  const messages = four();
  const { background } = await reach(c, messages, 6_100);
  await background.run();
  // The response to the request that went out before: its prompt was the whole history.
  await c.settle({ usage: { inputTokens: 6_100 } });
  const n = await c.next({ messages: [...messages, user('on')] });
  assert.deepEqual([counts.summarize, n.background, outcome(n, 'fold')], [1, undefined, undefined]);
  // What is still there, what the provider counts besides, and the head; not the 4,000 tokens that were folded.
  assert.ok(n.occupancy.tokens < 6_100 - 4_000 + 300, `${n.occupancy.tokens}`);
});

test('the briefing stays out of the system prompt, whose bytes are the same after the fold', async () => {
  const { c } = await session({ host: { summarize }, config: alone });
  const frame = { system: 'You are careful.', tools: [{ name: 'read', source: 'builtin' }] };
  const messages = four();
  const before = await c.next({ messages, frame });
  const after = await c.compact({ messages, frame });
  assert.deepEqual(after.frame, before.frame);
  assert.ok(after.view.every((m) => m.role !== 'system'));
});

test('K-12 the session context is captured once, and again with the fold', async () => {
  const { c } = await session({ host: { summarize }, config: alone });
  const frame = (text) => ({ context: [{ kind: 'todos', text }] });
  const messages = four();
  const first = await c.next({ messages, frame: frame('one thing to do') });
  assert.ok(texts(first.view)[0].includes('one thing to do'));
  const changed = await c.next({ messages, frame: frame('two things to do') });
  assert.ok(texts(changed.view)[0].includes('one thing to do') && c.inspect().stale.includes('todos'));
  const folded = await c.compact({ messages, frame: frame('two things to do') });
  assert.match(texts(folded.view)[0], /^<session_context>[^<]*two things to do/);
  assert.deepEqual(c.inspect().stale, []);
});

test('the words of the user survive five folds, each once and in order', async () => {
  const { c } = await session({ window: 40_000, maxOutput: 4_000, host: { summarize }, config: { ...alone, orders: { enabled: true } } });
  let messages = [];
  let n;
  for (let i = 0; i < 5; i += 1) {
    messages = [...messages, user(`wish number ${i}: keep it simple`), ...rounds(2, 8_000, `f${i}-`), says('done')];
    n = await c.compact({ messages });
    assert.equal(outcome(n, 'fold').outcome, 'done');
  }
  const head = texts(n.view.slice(0, 1)).join('\n');
  const places = [0, 1, 2, 3, 4].map((i) => head.indexOf(`wish number ${i}: keep it simple`));
  assert.ok(places.every((p, i) => p > (places[i - 1] ?? 0)), `${places}`);
  assert.equal(head.split('keep it simple').length - 1, 5);
});

test('a fold that was started lands also when its session is closed meanwhile', async () => {
  const { finish, summarize } = held();
  const store = memoryStore();
  const { c } = await session({ store, host: { summarize }, config: alone });
  const messages = four();
  const { background } = await reach(c, messages, 6_100);
  const running = background.run();
  c.close();
  finish();
  assert.equal((await running).at(-1).type, 'context.folded');
  const again = await session({ store, config: alone });
  assert.equal(roles((await again.c.next({ messages })).view), 'ua');
});
