// When a fold is made, when it is not and why: thresholds, one at a time, the breaker, the cooldown, what happens instead.
import assert from 'node:assert/strict';
import test from 'node:test';
import { memoryStore } from '../../pkg/stores/memory.js';
import { calls, outcome, reach, result, rounds, says, session, texts, user } from './session-kit.mjs';

const BRIEFING = '## Objective\nport the parser\n\n## Next Step\nRun cargo test\n'.padEnd(400, '.');
const summarize = () => ({ text: BRIEFING });
const alone = { eviction: { enabled: false }, cascade: { enabled: false } };
const four = () => [user('go'), ...rounds(2, 8_000), says('and')];

test('D-19 at exactly hard the fold is made in the call, one token below it is left to the background', async () => {
  const at = async (tokens) => {
    const { c, counts } = await session({ host: { summarize }, config: alone });
    return { n: await reach(c, four(), tokens), counts };
  };
  const hard = await at(8_100);
  assert.deepEqual([outcome(hard.n, 'fold').outcome, hard.counts.summarize], ['done', 1]);
  const below = await at(8_099);
  assert.deepEqual([outcome(below.n, 'fold').outcome, outcome(below.n, 'fold').until, below.counts.summarize], ['deferred', 'response', undefined]);
  assert.ok(below.n.background);
  const soft = await at(6_000);
  assert.equal(outcome(soft.n, 'fold').outcome, 'deferred');
  const quiet = await at(5_999);
  assert.deepEqual([quiet.n.outcomes, quiet.n.background], [[], undefined]);
});

test('D-19 thresholds of one model are its own, also after a switch to it', async () => {
  const { c } = await session({ window: 200_000, maxOutput: 64_000, config: { summarize: { models: { small: { ceilingTokens: 50_000 } } } } });
  assert.equal(c.inspect().thresholds.soft, 120_000);
  c.set({ model: { id: 'small', window: 200_000, maxOutput: 64_000 } });
  const { evict, soft, hard } = c.inspect().thresholds;
  assert.deepEqual([evict, soft, hard], [50_000, 50_000, 50_000]);
  assert.throws(() => c.set({ config: { summarize: { models: { small: { ceiling: 1 } } } } }), (e) => e.code === 'bad_config' && e.message.includes('`summarize.models.small.ceiling`') && e.message.includes('ceilingTokens'));
});

test('D-20 and D-21: a background fold runs once, however often it is started, and another crossing starts none', async () => {
  let finish;
  const { c, counts } = await session({ host: { summarize: () => new Promise((resolve) => (finish = resolve)) }, config: alone });
  const messages = four();
  const { background } = await reach(c, messages, 6_100);
  assert.equal(JSON.stringify(JSON.parse(JSON.stringify(background.ticket))), JSON.stringify(background.ticket));
  const [first, second] = [background.run(), background.run()];
  assert.equal(first, second);
  const crossed = await c.next({ messages: [...messages, user('more')] });
  assert.deepEqual([crossed.background, outcome(crossed, 'fold').outcome], [undefined, 'deferred']);
  finish({ text: BRIEFING });
  const events = await first;
  assert.deepEqual(events.map((e) => e.type), ['context.folding', 'context.folded']);
  assert.equal(await background.run(), events);
  assert.equal(counts.summarize, 1);
});

test('several requests that wait at hard for one fold all get it', async () => {
  let finish;
  const { c, counts } = await session({ host: { summarize: () => new Promise((resolve) => (finish = resolve)) }, config: alone });
  const messages = four();
  const { background } = await reach(c, messages, 6_100);
  const running = background.run();
  const big = [...messages, user('y'.repeat(8_400))];
  const waiting = [c.next({ messages: big }), c.next({ messages: big })];
  setTimeout(() => finish({ text: BRIEFING }), 20);
  const views = (await Promise.all(waiting)).map((n) => JSON.stringify(n.view));
  await running;
  assert.ok(views[0] === views[1] && views[0].includes('port the parser'));
  assert.equal(counts.summarize, 1);
});

test('D-22 prose without headings is a briefing; its text becomes the facts', async () => {
  const { c, events } = await session({ host: { summarize: () => 'we ported the parser' }, config: alone });
  const n = await c.compact({ messages: four() });
  assert.equal(outcome(n, 'fold').outcome, 'done');
  assert.deepEqual(events.find((e) => e.type === 'context.folded').warnings, ['no_headings']);
  assert.ok(texts(n.view)[0].includes('## Decisions & Facts\nwe ported the parser\n</context_summary>'));
});

for (const [name, answer, reason] of [
  ['fails', () => Promise.reject(new Error('overloaded')), 'summarizer_failed'],
  ['answers nothing', () => ({ text: '' }), 'summarizer_empty'],
  ['answers with reasoning alone', () => ({ reasoning: 'hm' }), 'summarizer_empty'],
  ['is cut off', () => ({ text: BRIEFING, finishReason: 'max_tokens' }), 'summarizer_truncated'],
  ['grows the conversation', () => ({ text: 'x'.repeat(90_000) }), 'summarizer_inflated'],
]) {
  test(`at hard, when the summarizer ${name}, relief by rule takes over in the same call, and no checkpoint is written`, async () => {
    const store = memoryStore();
    const blobs = [];
    const commit = (given, context) => (blobs.push(JSON.parse(given.blob)), store.commit(given, context));
    const { c } = await session({ store, host: { summarize: answer, commit }, config: { eviction: { enabled: false }, summarize: { reflectTokens: 100_000 } } });
    const n = await reach(c, [user('go'), ...rounds(6, 4_000), says('fine'), user('next')], 8_400);
    assert.deepEqual([outcome(n, 'fold').reason, outcome(n, 'cascade').outcome], [reason, 'done']);
    assert.ok(n.occupancy.tokens <= 6_000);
    assert.ok(blobs.length > 0 && blobs.every((b) => b.boundary === null && !b.folds));
    assert.equal(c.state.breaker.failures, 1);
  });
}

test('D-23 three failures open the breaker; compact(), another model and another configuration each close it', async () => {
  const opened = async () => {
    const { c, counts } = await session({ host: { summarize: () => ({ text: '' }) }, config: { ...alone, summarize: { background: false } } });
    const messages = four();
    await reach(c, messages, 6_100);
    await c.next({ messages });
    await c.next({ messages });
    assert.equal(outcome(await c.next({ messages }), 'fold').reason, 'breaker_open');
    assert.equal(counts.summarize, 3);
    return { c, counts, messages };
  };
  const asked = await opened();
  await asked.c.compact({ messages: asked.messages });
  assert.equal(asked.counts.summarize, 4);
  for (const patch of [{ model: { id: 'other', window: 10_000, maxOutput: 1_000 } }, { config: { summarize: { keepRounds: 1 } } }]) {
    const { c, counts, messages } = await opened();
    c.set(patch);
    await c.next({ messages });
    assert.equal(counts.summarize, 4, Object.keys(patch)[0]);
  }
});

test('D-23 a success counts from the beginning again; what is declined before the summarizer is asked is no failure', async () => {
  let good = false;
  const { c } = await session({ host: { summarize: () => ({ text: good ? BRIEFING : '' }) }, config: { ...alone, summarize: { background: false } } });
  const messages = four();
  await reach(c, messages, 6_100);
  await c.next({ messages });
  assert.equal(c.state.breaker.failures, 2);
  good = true;
  assert.equal(outcome(await c.next({ messages }), 'fold').outcome, 'done');
  assert.equal(c.state.breaker, undefined);
  const n = await c.compact({ messages });
  assert.deepEqual([outcome(n, 'fold').reason, c.state.breaker], ['nothing_to_fold', undefined]);
});

test('D-24 after a fold the next one waits until enough can be folded', async () => {
  const { c, counts } = await session({ host: { summarize }, config: { ...alone, summarize: { background: false } } });
  let messages = four();
  assert.equal(outcome(await reach(c, messages, 6_100), 'fold').outcome, 'done');
  assert.deepEqual((await c.next({ messages })).outcomes, [], 'the same list is quiet');
  messages = [...messages, ...rounds(1, 3_000, 'd'), says('more')];
  await c.next({ messages });
  // 151 tokens of rows at most are behind what the provider counts: it is the rest that is large.
  await c.settle({ usage: { inputTokens: 6_500 } });
  const tight = await c.next({ messages });
  assert.deepEqual([outcome(tight, 'fold').reason, counts.summarize], ['no_progress', 1]);
});

test('a briefing that fails later leaves the one before in force', async () => {
  let good = true;
  const { c } = await session({ host: { summarize: () => (good ? { text: BRIEFING } : { text: ' ' }) }, config: alone });
  let messages = four();
  const before = await c.compact({ messages });
  good = false;
  messages = [...messages, ...rounds(2, 8_000, 'd'), says('more')];
  const after = await c.compact({ messages });
  assert.equal(outcome(after, 'fold').reason, 'summarizer_empty');
  assert.equal(after.view[0].content[0].text, before.view[0].content[0].text);
  assert.equal(c.state.folds.length, 1);
});

test('D-60 a fold that is not made says which rule, and who asks it by hand hears it too', async () => {
  const of = async (messages, { positions, ...options } = {}) => {
    const { c } = await session({ host: { summarize }, ...options, config: { ...alone, ...options.config } });
    return outcome(await c.compact({ messages, positions }), 'fold').reason;
  };
  assert.equal(await of([user('go'), ...rounds(2, 400), says('and')], { config: { summarize: { keepRecent: 8, keepRounds: 2 } } }), 'nothing_to_fold');
  assert.equal(await of(four(), { positions: [null, null, null, null, null, 5] }), 'nothing_covered');
  assert.equal(await of(four(), { host: {} }), 'unavailable');
  assert.equal(await of(four(), { config: { summarize: { enabled: false } } }), 'unavailable');
  assert.equal(await of([user('go'), says('p'.repeat(8_000)), calls('a'), result('a', 'x'), says('and')], { host: { summarize, authority: () => Promise.reject(new Error('down')) } }), 'authority_unavailable');
});
