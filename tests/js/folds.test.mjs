// Acceptance of the fold, of what is put back, and of the cascade: worked examples, exact numbers.

import assert from 'node:assert/strict';
import test from 'node:test';
import { memoryStore } from '../../pkg/stores/memory.js';
import { calls, filler, outcome, reach, result, roles, rounds, says, session, texts, user } from './session-kit.mjs';

const BRIEFING = '## Objective\nport the parser\n\n## Open Tasks\n- fix parser\n- add tests\n\n## Next Step\nRun cargo test\n'.padEnd(600, '.');

/** u0 a1 t2 a3 t4 a5 t6 a7 with 3,000 tokens in rows 0 to 4, 10 of them in u0. */
const cu1 = () => [user('u'.repeat(40)), calls('a'), result('a', filler(5_972)), calls('b'), result('b', filler(5_972)), calls('c'), result('c', filler(100)), says('done')];
const POSITIONS = [10, 11, 12, 13, 14, 15, 16, 17];
const summarize = () => ({ text: BRIEFING });

test('fo_1 a fold commits once, covers row 14, keeps rows 5 to 7 as they are, and a restart renders the same', async () => {
  const commits = [];
  const store = memoryStore();
  const host = { summarize, commit: (...a) => (commits.push(JSON.parse(a[0].blob)), store.commit(...a)) };
  const { c } = await session({ store, host, config: { eviction: { enabled: false }, summarize: { keepRounds: 2, background: false } } });
  const messages = cu1();
  const n = await reach(c, messages, 6_100, { positions: POSITIONS });
  assert.equal(outcome(n, 'fold').outcome, 'done');
  assert.deepEqual(commits.map((b) => b.boundary), [14]);
  assert.equal(roles(n.view), 'uata');
  for (const [i, row] of [5, 6, 7].entries()) assert.equal(n.view[i + 1], messages[row]);
  assert.equal(texts(n.view).join('\n').split('port the parser').length - 1, 1);
  assert.deepEqual(c.inspect().ledger.map((l) => l.state), [...Array(5).fill('folded'), 'kept', 'kept', 'kept']);
  assert.equal(c.state.boundary, 14);

  const again = await session({ store, config: { eviction: { enabled: false }, summarize: { keepRounds: 2 } } });
  const later = await again.c.next({ messages: messages.slice(5), positions: POSITIONS.slice(5) });
  assert.equal(JSON.stringify(later.view), JSON.stringify(n.view));
});

test('fo_2 the background fold is made once; at hard the request waits for it', async () => {
  let finish;
  const made = new Promise((resolve) => (finish = resolve));
  const { c, counts } = await session({ host: { summarize: () => made }, config: { eviction: { enabled: false } } });
  const messages = [user('go'), ...rounds(2, 8_000), says('and')];
  const first = await reach(c, messages, 6_100);
  assert.ok(first.background);
  assert.equal(first.view.length, messages.length);
  const running = first.background.run();
  const more = [...messages, user('x'.repeat(800))];
  const second = await c.next({ messages: more });
  assert.equal(second.background, undefined);
  assert.equal(counts.summarize, 1);
  const big = [...more, says('ok'), user('y'.repeat(7_600))];
  const third = c.next({ messages: big });
  setTimeout(() => finish({ text: BRIEFING }), 30);
  const n = await third;
  await running;
  assert.equal(counts.summarize, 1);
  assert.ok(texts(n.view).join('').includes('port the parser'));
  assert.equal(n.view.at(-1), big.at(-1));
});

test('fo_2 without background the first crossing folds at once', async () => {
  const { c, counts } = await session({ host: { summarize }, config: { eviction: { enabled: false }, summarize: { background: false } } });
  const n = await reach(c, [user('go'), ...rounds(2, 8_000), says('and')], 6_100);
  assert.equal(counts.summarize, 1);
  assert.equal(outcome(n, 'fold').outcome, 'done');
});

for (const [name, answer, reason] of [
  ['an empty answer', { text: '' }, 'summarizer_empty'],
  ['a blank answer', { text: '   ' }, 'summarizer_empty'],
  ['an answer that was cut off', { text: BRIEFING, finishReason: 'length' }, 'summarizer_truncated'],
  ['an answer larger than the rows', { text: 'x'.repeat(60_000) }, 'summarizer_inflated'],
  ['a rejection', new Error('rate limited'), 'summarizer_failed'],
]) {
  test(`fo_3 ${name} declines with ${reason} and leaves history as it was`, async () => {
    const { c, events } = await session({
      host: { summarize: () => (answer instanceof Error ? Promise.reject(answer) : answer) },
      config: { eviction: { enabled: false }, cascade: { enabled: false }, summarize: { background: false, reflectTokens: 100_000 } },
    });
    const messages = [user('go'), ...rounds(2, 8_000), says('and')];
    const n = await reach(c, messages, 6_100);
    assert.deepEqual([outcome(n, 'fold').outcome, outcome(n, 'fold').reason], ['declined', reason]);
    assert.ok(n.view.every((m, i) => m === messages[i]) && n.view.length === messages.length);
    assert.equal(n.occupancy.tokens, 6_100);
    assert.ok(events.some((e) => e.type === 'context.declined' && e.reason === reason));
  });
}

test('fo_3 the breaker opens after three failures and lets one try through when occupancy grew by 5 %', async () => {
  const { c, counts } = await session({ host: { summarize: () => ({ text: '' }) }, config: { eviction: { enabled: false }, cascade: { enabled: false }, summarize: { background: false } } });
  const messages = [user('go'), ...rounds(2, 8_000), says('and')];
  await reach(c, messages, 6_100);
  await c.next({ messages });
  await c.next({ messages });
  assert.equal(counts.summarize, 3);
  const fourth = await c.next({ messages });
  assert.equal(outcome(fourth, 'fold').reason, 'breaker_open');
  assert.equal(counts.summarize, 3);
  const grown = [...messages, user('z'.repeat(2_000))];
  await c.next({ messages: grown });
  assert.equal(counts.summarize, 4);
  await c.next({ messages: grown });
  assert.equal(counts.summarize, 4);
});

test('fo_3 a cancelled fold is no failure and starts no cascade', async () => {
  const stop = new AbortController();
  const reason = new Error('user pressed stop');
  const { c } = await session({ host: { summarize: () => new Promise(() => {}) }, config: { eviction: { enabled: false }, summarize: { background: false } } });
  const messages = [user('go'), ...rounds(4, 8_000), says('and')];
  const before = JSON.stringify(c.state.breaker ?? null);
  setTimeout(() => stop.abort(reason), 20);
  await c.next({ messages: messages.slice(0, 5) });
  await assert.rejects(c.next({ messages, signal: stop.signal }), (e) => e === reason);
  assert.equal(JSON.stringify(c.state.breaker ?? null), before);
  assert.equal(c.inspect().ledger.every((l) => l.state === 'kept'), true);
});

test('fo_3 what the user typed while the summary was made is read in the same request, last', async () => {
  const typed = user('and one more thing');
  const { c } = await session({ host: { summarize, pending: () => [typed] }, config: { eviction: { enabled: false }, summarize: { background: false } } });
  const n = await reach(c, [user('go'), ...rounds(2, 8_000), says('and')], 6_100);
  assert.equal(n.view.at(-1), typed);
});

test('fo_4 at a chapter boundary the brief is the last row, with the rules behind it', async () => {
  const authority = () => ({ rules: 'R1', quality: 'Q1', lessons: 'L1', memory: 'M1' });
  const options = { window: 256_000, maxOutput: 32_000, host: { summarize, authority }, config: { eviction: { enabled: false }, summarize: { ceilingTokens: 80_000 } } };
  const messages = [user('go'), ...rounds(2, 120_000), says('and')];
  const brief = 'F: the gate found two problems';
  const run = async (tokens) => {
    const { c } = await session(options);
    const last = messages.length - 1;
    await c.next({ messages: messages.slice(0, last) });
    await c.settle({ usage: { inputTokens: tokens - 1 } });
    return { c, n: await c.compact({ messages, at: 'chapter', brief }) };
  };
  const below = await run(79_999);
  assert.equal(outcome(below.n, 'fold'), undefined);
  assert.deepEqual(texts(below.n.view.slice(-1)), [brief]);
  const { c, n } = await run(80_000);
  assert.equal(outcome(n, 'fold').outcome, 'done');
  const full = `${brief}\n\nR1\n\nQ1\n\nL1\n\nWorkspace memory (verify before relying):\nM1`;
  assert.deepEqual([n.view.at(-1).role, texts(n.view.slice(-1))], ['user', [full]]);
  assert.equal(texts(n.view).filter((t) => t.includes('R1')).length, 1);
  const next = await c.next({ messages });
  assert.equal(next.view.at(-1), n.view.at(-1));
  const stored = await c.next({ messages: [...messages, ...n.record] });
  assert.deepEqual(texts(stored.view.slice(-1)), [full]);
  assert.equal(texts(stored.view).filter((t) => t === full).length, 1);
});

const cascadeConfig = { eviction: { enabled: false } };

test('ca_1 the five oldest results are shortened, the sixth is left alone', async () => {
  const { c } = await session({ config: cascadeConfig });
  const messages = [user('go'), ...rounds(6, 4_000), says('fine'), user('next')];
  const n = await reach(c, messages, 8_400);
  const lengths = n.view.filter((m) => m.role === 'tool').map((m) => m.content[0].output.value.length);
  assert.ok(lengths.slice(0, 5).every((l) => l <= 2_000 && l > 1_700), String(lengths));
  assert.equal(n.view[12], messages[12]);
  assert.ok(n.occupancy.tokens >= 5_650 && n.occupancy.tokens <= 5_900, String(n.occupancy.tokens));
  assert.equal(n.view.length, messages.length);
});

test('ca_2 exactly the five oldest steps go behind one line', async () => {
  const { c } = await session({ config: cascadeConfig, host: { rows: () => [] } });
  const messages = [user('go'), ...rounds(12, 2_000).map((m) => (m.role === 'assistant' ? { ...m, content: [{ type: 'text', text: 'x'.repeat(396) }, ...m.content] } : m)), says('fine'), user('next')];
  const n = await reach(c, messages, 8_400);
  const line = texts(n.view).filter((t) => t.startsWith('['));
  assert.equal(line.length, 1);
  assert.ok(line[0].includes('5 earlier steps') && line[0].includes('read ×5') && line[0].includes('rows:1-10'), line[0]);
  assert.deepEqual(c.inspect().ledger.filter((l) => l.state === 'dropped').map((l) => l.index), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.ok(n.occupancy.tokens <= 6_000);
  assert.equal(n.view[0], messages[0]);
});

test('ca_3 half of the spent steps are dropped, then the oldest turn is summarised, and no more', async () => {
  const { c } = await session({ config: cascadeConfig });
  const turn = (t) => [user(`question ${t}`), ...rounds(2, 2_000, `t${t}-`).map((m) => (m.role === 'assistant' ? { ...m, content: [{ type: 'text', text: `s${t} `.padEnd(1_596, 'y') }, ...m.content] } : m))];
  const messages = [0, 1, 2, 3, 4, 5].flatMap(turn).concat(says('ok'), user('next'));
  const n = await reach(c, messages, 12_000);
  const states = c.inspect().ledger.map((l) => l.state);
  assert.equal(states.filter((s) => s === 'dropped').length, 12);
  assert.equal(states.filter((s) => s === 'digested').length, 4);
  assert.equal(texts(n.view).filter((t) => t.startsWith('<earlier_turn>')).length, 1);
  assert.equal(texts(n.view).some((t) => t.startsWith('<digest>')), false);
  for (let t = 0; t < 6; t += 1) assert.ok(texts(n.view).includes(`question ${t}`));
  assert.ok(n.occupancy.tokens <= 6_000);
});

test('ca_3 below hard nothing runs', async () => {
  const { c } = await session({ config: cascadeConfig });
  const messages = [user('go'), ...rounds(6, 4_000), says('fine'), user('next')];
  const n = await reach(c, messages, 8_099);
  assert.ok(n.view.every((m, i) => m === messages[i]));
});

test('dg_1 and dg_2 one digest stands for the middle of a long turn, the same bytes twice', async () => {
  const run = async (tokens) => {
    const { c } = await session({ window: 40_000, maxOutput: 4_000, config: cascadeConfig });
    const messages = [user('go'), ...Array.from({ length: 30 }, (_, i) => [calls(`c${i}`), result(`c${i}`, `line ${i}\n`.padEnd(4_000, 'k'))]).flat()];
    return { c, messages, n: await reach(c, messages, tokens) };
  };
  const { c, n } = await run(35_000);
  assert.equal(n.view.length, 12);
  const ledger = c.inspect().ledger;
  assert.deepEqual([ledger.filter((l) => l.state === 'kept').length, ledger.filter((l) => l.state === 'digested').length, ledger.length], [11, 50, 61]);
  assert.equal(JSON.stringify((await run(35_000)).n.view), JSON.stringify(n.view));
  for (const i of [2, 15, 26]) assert.equal((await c.tools[0].execute({ id: `c${i}` })).slice(0, 4_000), `line ${i}\n`.padEnd(4_000, 'k'));
  const below = await run(34_199);
  assert.equal(below.n.view.length, 61);
});

test('dg_3 the open round stays; compact() without a summarizer makes a digest at any occupancy', async () => {
  const { c } = await session({ window: 40_000, maxOutput: 4_000, config: cascadeConfig });
  const messages = [user('go'), ...rounds(30, 400)];
  const n = await c.compact({ messages });
  assert.equal(outcome(n, 'digest').outcome, 'done');
  assert.equal(outcome(n, 'fold').reason, 'unavailable');
  assert.equal(n.view.length, 12);
  assert.equal(n.view.at(-1), messages.at(-1));
});

test('re_1 rules, quality bar, lessons and memory stand once each in the head after every fold', async () => {
  const authority = () => ({ rules: 'Rule one', quality: 'Quality bar', lessons: 'Lesson', memory: 'Memory' });
  const { c } = await session({ host: { summarize, authority }, config: { eviction: { enabled: false }, summarize: { background: false } } });
  let messages = [user('go')];
  let n;
  for (let i = 0; i < 3; i += 1) {
    messages = [...messages, ...rounds(2, 8_000, `f${i}-`), says('and')];
    n = await c.compact({ messages });
    assert.equal(outcome(n, 'fold').outcome, 'done');
  }
  const head = texts(n.view.slice(0, 1)).join('\n');
  for (const block of ['Rule one', 'Quality bar', 'Lesson', 'Memory']) assert.equal(head.split(block).length - 1, 1);
  assert.ok(head.includes('Rule one\n\nQuality bar\n\nLesson\n\nWorkspace memory (verify before relying):\nMemory'));
  const ledger = c.inspect().ledger;
  assert.ok(ledger.slice(0, -1).every((l) => l.state === 'folded' && l.id));
});

test('re_1 a failing authority declines the fold and nothing is written', async () => {
  const { c, counts } = await session({ host: { summarize, authority: () => Promise.reject(new Error('x')) }, config: { eviction: { enabled: false }, cascade: { enabled: false }, summarize: { background: false } } });
  const messages = [user('go'), ...rounds(2, 8_000), says('and')];
  const n = await reach(c, messages, 6_100);
  assert.equal(outcome(n, 'fold').reason, 'authority_unavailable');
  assert.equal(counts.commit, undefined);
  assert.ok(n.view.every((m, i) => m === messages[i]));
});

test('re_2 a newer order on the same topic replaces the text of the older one', async () => {
  const { c } = await session({ host: { summarize }, config: { orders: { enabled: true }, eviction: { enabled: false } } });
  c.set({ orderKeys: { 3: 'indent', 40: 'indent' } });
  const messages = [user('use tabs'), ...rounds(1, 8_000), user('use spaces'), ...rounds(1, 8_000, 'd'), says('and')];
  const n = await c.compact({ messages, positions: [3, 4, 5, 40, 41, 42, 43] });
  const head = texts(n.view.slice(0, 1)).join('\n');
  assert.ok(head.includes('use spaces') && head.includes('superseded: indent (row 3)') && !head.includes('use tabs'));
});

test('an_1 to an_3 the plan is recited once, at the end, and stays where it is', async () => {
  const { c } = await session({ host: { summarize }, config: { recitation: { enabled: true }, eviction: { enabled: false } } });
  let messages = [user('go'), ...rounds(2, 8_000), says('and'), user('go on')];
  let n = await c.compact({ messages });
  const plan = '<plan>\n## Open Tasks\n- fix parser\n- add tests\n\n## Next Step\nRun cargo test';
  assert.ok(texts(n.view).at(-1).startsWith(plan));
  const at = JSON.stringify(n.view.at(-1));
  for (let i = 0; i < 4; i += 1) {
    messages = [...messages, ...rounds(1, 40, `s${i}-`)];
    n = await c.next({ messages });
    assert.equal(texts(n.view).filter((t) => t.startsWith('<plan>')).length, 1);
  }
  n = await c.next({ messages: [...messages, says('done'), user('next turn')] });
  assert.equal(texts(n.view).filter((t) => t.startsWith('<plan>')).length, 1);
  assert.ok(n.view.some((m) => JSON.stringify(m) === at));
});

test('gu_1 D-59 a message that cannot fit is refused with the bound and the smallest change', async () => {
  const { c, counts } = await session({ window: 32_000, maxOutput: 4_096, host: { summarize } });
  await assert.rejects(c.next({ messages: [user('x'.repeat(200_000))] }), (e) => {
    assert.equal(e.code, 'budget_impossible');
    assert.deepEqual([e.bound, e.tokens, e.limit, e.over], ['unread user message', 50_000, 27_904, 22_096]);
    assert.deepEqual(e.change, { window: 54_096, rowChars: 111_616 });
    return true;
  });
  assert.equal(counts.summarize, undefined);
  assert.equal((await c.next({ messages: [user('x'.repeat(111_616))] })).view.length, 1);
});

test('gu_2 overhead above soft is detected before anything is folded', async () => {
  const { c, counts } = await session({ window: 40_000, maxOutput: 4_000, host: { summarize }, config: { eviction: { enabled: false } } });
  let messages = [user('go'), ...rounds(2, 400), says('and')];
  await c.next({ messages: messages.slice(0, 5) });
  await c.settle({ usage: { inputTokens: 25_400 } });
  for (let i = 0; i < 50; i += 1) {
    const n = await c.next({ messages });
    assert.equal(outcome(n, 'fold').reason, 'overhead_exceeds_budget');
    messages = [...messages, ...rounds(1, 4, `g${i}-`)];
  }
  assert.equal(counts.summarize, undefined);
});

test('gu_3 when everything is pinned the verdict names the pins', async () => {
  const { c } = await session({ host: { summarize } });
  const messages = [user('go'), ...Array.from({ length: 5 }, () => says(filler(8_000)))];
  c.set({ pin: messages.map((_, i) => i) });
  await assert.rejects(c.next({ messages }), (e) => e.code === 'budget_impossible' && /pinned/.test(e.bound));
});

test('le_2 three folds in a row: nothing before the last boundary vanishes', async () => {
  const { c } = await session({ host: { summarize }, config: { eviction: { enabled: false }, summarize: { keepRounds: 1 } } });
  let messages = [user('go')];
  for (let i = 0; i < 3; i += 1) {
    messages = [...messages, ...rounds(3, 4_000, `r${i}-`)];
    const n = await c.compact({ messages });
    assert.equal(outcome(n, 'fold').outcome, 'done');
    const ledger = c.inspect().ledger;
    assert.equal(ledger.length, messages.length);
    assert.ok(ledger.filter((l) => l.position <= c.state.boundary).every((l) => l.state === 'folded' && l.id));
  }
});

test('br_3 two processes on one session make one checkpoint; the other is stale and its view is legal', async () => {
  const store = memoryStore();
  const options = { store, host: { summarize: () => new Promise((r) => setTimeout(() => r({ text: BRIEFING }), 20)) }, config: { eviction: { enabled: false }, summarize: { background: false } } };
  const a = await session(options);
  const b = await session(options);
  const messages = [user('go'), ...rounds(2, 8_000), says('and')];
  const [x, y] = await Promise.all([reach(a.c, messages, 6_100), reach(b.c, messages, 6_100)]);
  assert.deepEqual([outcome(x, 'fold'), outcome(y, 'fold')].map((o) => o.reason ?? o.outcome).sort(), ['done', 'stale']);
  assert.equal(JSON.stringify(x.view), JSON.stringify(y.view));
});

test('t_14 a store that writes and never answers: one checkpoint, and the next call uses it', async () => {
  const store = memoryStore();
  let hang = true;
  const commit = (...args) => {
    const done = store.commit(...args);
    if (!hang) return done;
    hang = false;
    return Promise.reject(new Error('connection lost after the write'));
  };
  const { c } = await session({ store, host: { summarize, commit }, config: { eviction: { enabled: false }, summarize: { background: false } } });
  const messages = [user('go'), ...rounds(2, 8_000), says('and')];
  const n = await reach(c, messages, 6_100);
  assert.equal(outcome(n, 'fold').outcome, 'done');
  assert.equal(c.state.folds.length, 1);
  const again = await c.next({ messages });
  assert.equal(JSON.stringify(again.view), JSON.stringify(n.view));
});

test('unfold shows the rows again and rewind takes decisions back', async () => {
  const { c } = await session({ host: { summarize }, config: { eviction: { enabled: false } } });
  const messages = [user('go'), ...rounds(2, 8_000), says('and')];
  await c.compact({ messages });
  const [fold] = c.state.folds;
  await c.unfold({ id: fold.id });
  assert.ok((await c.next({ messages })).view.every((m, i) => m === messages[i]));
  await assert.rejects(c.unfold({ id: 'nope' }), { code: 'bad_input' });
  await c.compact({ messages });
  await c.rewind({ to: 2 });
  assert.equal(c.state.boundary, null);
});

test('D-58 system rows in front are never folded; one further down is told to the summarizer and goes with the rest', async () => {
  const asked = [];
  const { c } = await session({ host: { summarize: (request) => (asked.push(request), { text: BRIEFING }) }, config: { eviction: { enabled: false } } });
  const system = (text) => ({ role: 'system', content: text });
  const messages = [system('be brief'), system('be kind'), user('go'), ...rounds(1, 8_000), system('the working folder is /srv/app'), ...rounds(1, 8_000, 'd'), says('and')];
  const n = await c.compact({ messages });
  assert.equal(outcome(n, 'fold').outcome, 'done');
  assert.deepEqual(n.view.slice(0, 2), messages.slice(0, 2));
  assert.equal(roles(n.view), 'ssua');
  assert.ok(asked[0].covered.includes('[system, row 5]\nthe working folder is /srv/app'));
  assert.ok(!asked[0].covered.includes('be brief') && !asked[0].covered.includes('be kind'));
});
