// Folds over the life of a session: what counts as read, what a switch or a patch does, what is put back and found later.
import assert from 'node:assert/strict';
import test from 'node:test';
import { memoryStore } from '../../pkg/stores/memory.js';
import { calls, filler, outcome, reach, result, roles, rounds, says, session, texts, user } from './session-kit.mjs';

const BRIEFING = '## Objective\nport the parser\n\n## Open Tasks\n- fix it\n\n## Next Step\nRun cargo test\n'.padEnd(400, '.');
const summarize = () => ({ text: BRIEFING });
const alone = { eviction: { enabled: false }, cascade: { enabled: false } };
const four = () => [user('go'), ...rounds(2, 8_000), says('and')];
const head = (n) => texts(n.view.slice(0, 1)).join('\n');

test('D-4 a row that is not stored yet is never covered; its position may come later', async () => {
  const { c } = await session({ host: { summarize }, config: alone });
  const messages = [...four(), user('typed just now'), says('seen')];
  const n = await c.compact({ messages, positions: [0, 1, 2, 3, 4, null, null, null] });
  assert.equal(c.state.boundary, 4);
  assert.deepEqual(n.view.slice(1), messages.slice(5));
  await c.next({ messages, positions: [0, 1, 2, 3, 4, 5, 6, 7] });
  assert.equal(c.state.boundary, 4);
  assert.equal((await c.compact({ messages: [...messages, ...rounds(1, 8_000, 'z'), says('so')], positions: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] })).outcomes[0].outcome, 'done');
});

test('D-7 rows behind the newest response are unread, also after a response that failed', async () => {
  const { c } = await session({ host: { summarize }, config: alone });
  const messages = [...four(), user('one'), user('two')];
  await c.next({ messages });
  await c.settle({ error: { message: 'overloaded' } });
  const n = await c.compact({ messages });
  assert.equal(outcome(n, 'fold').outcome, 'done');
  assert.deepEqual(n.view.slice(1), messages.slice(5));
});

test('D-52 rounds of text alone count as rounds that stay; the open round stays besides', async () => {
  const kept = async (keepRounds, more = []) => {
    const { c } = await session({ host: { summarize }, config: { ...alone, summarize: { keepRounds } } });
    const messages = [user('go'), ...rounds(2, 8_000), says('first'), says('second'), ...more];
    return roles((await c.compact({ messages })).view);
  };
  assert.equal(await kept(1), 'ua');
  assert.equal(await kept(2), 'uaa');
  assert.equal(await kept(3), 'uataa');
  assert.equal(await kept(2, [calls('open')]), 'uaaa');
});

test('D-26 the rules a fold put back stay byte for byte, until the next fold asks again', async () => {
  const store = memoryStore();
  let rules = 'rule one';
  const options = { store, host: { summarize, authority: () => ({ rules }) }, config: alone };
  const { c, counts } = await session(options);
  let messages = four();
  const first = await c.compact({ messages });
  rules = 'rule two';
  const again = await session(options);
  const later = await again.c.next({ messages: messages.slice(5), positions: [5] });
  assert.equal(head(later), head(first));
  assert.deepEqual([counts.authority, again.counts.authority], [1, undefined]);
  messages = [...messages, ...rounds(2, 8_000, 'n'), says('more')];
  const folded = await again.c.compact({ messages });
  assert.ok(head(folded).includes('rule two') && !head(folded).includes('rule one'));
});

test('D-29 the digest of the closed turns carries the words of the user, oldest first', async () => {
  const { c } = await session({ config: { eviction: { enabled: false }, orders: { enabled: true } } });
  const forty = Array.from({ length: 40 }, (_, t) => t);
  const messages = forty.flatMap((t) => [user(`wish ${t} of forty`), ...rounds(1, 1_600, `t${t}-`), says(`turn ${t} `.padEnd(400, 'z'))]).concat(user('next'));
  const n = await reach(c, messages, 26_000);
  const digest = texts(n.view).find((t) => t.startsWith('<digest>'));
  assert.ok(!texts(n.view).some((t) => t.startsWith('<earlier_turn>') || t.startsWith('[')), 'one digest, none beside it');
  const places = forty.map((t) => digest.indexOf(`wish ${t} of forty`));
  assert.ok(places.every((p, i) => p > (places[i - 1] ?? 0)), `${places}`);
  assert.equal(n.view.at(-1), messages.at(-1));
});

test('D-30 and D-31: newest first until the budget is spent, an order larger than it keeps both ends and the count', async () => {
  const { c } = await session({ window: 200_000, maxOutput: 4_000, host: { summarize }, config: { ...alone, orders: { enabled: true, tokens: 1_000 } } });
  const huge = `BEGIN ${'h'.repeat(99_000)} END`;
  const messages = [user('old and small'), user(huge), user('x'.repeat(1_200)), user('y'.repeat(1_200)), ...rounds(2, 80_000), says('and')];
  const n = await c.compact({ messages });
  const text = head(n);
  // 300 and 300 tokens; what is left, 400, is enough for both ends of the huge one; then nothing is.
  assert.ok(text.includes('y'.repeat(1_200)) && text.includes('x'.repeat(1_200)) && text.includes('BEGIN hhh') && text.includes('hhh END'));
  assert.match(text, /\[… \d+ characters left out; the whole message is row 1 …\]/);
  const orders = text.split('<standing_orders>')[1];
  assert.ok(orders.length / 4 <= 1_000 + 60, `${orders.length / 4} tokens`);
  const [, gone] = text.match(/\[… (\d+) characters/);
  assert.equal(Number(gone) + (orders.match(/BEGIN h*/)[0] + orders.match(/h* END/)[0]).length, huge.length);
});

test('D-36 a patch during a background fold changes neither the fold nor the plan it was made from', async () => {
  let finish;
  const { c, counts } = await session({ host: { summarize: () => new Promise((resolve) => (finish = resolve)) }, config: { ...alone, summarize: { keepRounds: 1 } } });
  const messages = four();
  const { background } = await reach(c, messages, 6_100);
  const running = background.run();
  c.set({ config: { summarize: { keepRounds: 2, enabled: false } } });
  assert.throws(() => c.set({ config: { summarize: { keepRound: 1 } } }), (e) => e.code === 'bad_config' && e.message.includes('summarize.keepRounds'));
  finish({ text: BRIEFING });
  assert.equal((await running).at(-1).type, 'context.folded');
  assert.equal(roles((await c.next({ messages })).view), 'ua');
  assert.equal(counts.summarize, 1);
});

test('D-37 a smaller window folds before the new model is called, and says that the model was the reason', async () => {
  const requests = [];
  const { c } = await session({ window: 100_000, maxOutput: 4_000, host: { summarize: (r) => (requests.push(r), { text: BRIEFING }) }, config: alone });
  const messages = [user('go'), ...rounds(4, 8_000), says('and'), user('next')];
  const before = await c.next({ messages });
  assert.equal(before.view.length, messages.length);
  await c.settle({ usage: { inputTokens: 8_100 } });
  c.set({ model: { id: 'small', window: 10_000, maxOutput: 1_000 } });
  const n = await c.next({ messages });
  assert.deepEqual([outcome(n, 'fold').outcome, requests.map((r) => r.reason)], ['done', ['model']]);
  assert.ok(n.occupancy.tokens < 6_000);
  // The next request to it is an ordinary one.
  assert.equal((await c.next({ messages })).outcomes.length, 0);
});

test('D-40 a fold commits by itself and the request after it commits nothing', async () => {
  const { c, counts } = await session({ host: { summarize }, config: alone });
  const messages = four();
  await c.compact({ messages });
  assert.equal(counts.commit, 1);
  await c.next({ messages });
  await c.next({ messages });
  assert.equal(counts.commit, 1);
});

test('D-41 the ledger names the fold of a folded row and the line of a dropped one', async () => {
  const { c } = await session({ host: { rows: () => [] }, config: { eviction: { enabled: false } } });
  const messages = [user('go'), ...rounds(12, 2_000).map((m) => (m.role === 'assistant' ? { ...m, content: [{ type: 'text', text: filler(396) }, ...m.content] } : m)), says('fine'), user('next')];
  const n = await reach(c, messages, 8_400);
  const dropped = c.inspect().ledger.filter((l) => l.state === 'dropped');
  const [line] = texts(n.view).filter((t) => t.startsWith('['));
  assert.ok(dropped.length > 0 && dropped.every((l) => line.includes(`"${l.handle}"`) && l.id === l.handle));

  const folding = await session({ host: { summarize }, config: alone });
  await folding.c.compact({ messages: four() });
  const { ledger } = folding.c.inspect();
  assert.deepEqual([...new Set(ledger.slice(0, 5).map((l) => l.id))], [folding.c.state.folds[0].id]);
  assert.deepEqual(ledger.slice(5).map((l) => l.state), ['kept']);
});

test('D-50 after a chapter the rules stand in the brief, and from the next fold on in the head', async () => {
  const { c } = await session({ host: { summarize, authority: () => ({ rules: 'R1' }) }, config: alone });
  let messages = four();
  await c.next({ messages });
  await c.settle({ usage: { inputTokens: 6_100 } });
  const chapter = await c.compact({ messages, at: 'chapter', brief: 'Fix what the gate found.' });
  assert.deepEqual([texts(chapter.view.slice(-1)), head(chapter).includes('R1')], [['Fix what the gate found.\n\nR1'], false]);
  assert.deepEqual(texts(chapter.record), ['Fix what the gate found.\n\nR1']);
  messages = [...messages, ...chapter.record, ...rounds(2, 8_000, 'n'), says('done')];
  const n = await c.compact({ messages });
  assert.ok(head(n).includes('<authority>') && head(n).includes('R1'));
  assert.equal(texts(n.view).join('\n').split('<authority>').length - 1, 1);
});

test('D-57 a stored boundary inside a round shows the round again and says so; the newest fold counts', async () => {
  const store = memoryStore();
  const fold = (to) => ({ id: `f${to}`, from: 0, to, active: true, summary: `## Objective\nfold to ${to}`, head: [{ origin: 'summary', text: `fold to ${to}`, tokens: 3 }], orders: [] });
  store.commit({ blob: JSON.stringify({ v: 1, boundary: 3, folds: [fold(2), fold(3)] }), expect: null }, { transcript: 't' });
  const { c } = await session({ store });
  const messages = [user('go'), calls('a'), result('a', 'one'), calls('b'), result('b', 'two'), says('and')];
  const n = await c.next({ messages });
  assert.deepEqual(texts(n.view.slice(0, 1)), ['fold to 3']);
  assert.deepEqual(n.view.slice(1), messages.slice(3));
  assert.deepEqual(c.inspect().findings.filter((f) => f.kind === 'boundary_snapped').map((f) => f.at), [3]);
});

test('a tail heavier than its bound shrinks to one closed round and is a finding', async () => {
  const { c } = await session({ host: { summarize }, config: { ...alone, summarize: { keepRounds: 3, tailTokens: 2_500 } } });
  const messages = [user('go'), ...rounds(4, 4_000)];
  const [found] = (await c.next({ messages }), c.inspect().findings.filter((f) => f.kind === 'tail_over_budget'));
  // Three rounds of 1,001 tokens are more than 2,500, two are not.
  assert.ok(found && found.at === 5 && /3,?003/.test(found.detail) && /2,?002/.test(found.detail), JSON.stringify(found));
  assert.equal(roles((await c.compact({ messages })).view), 'uatat');
});
