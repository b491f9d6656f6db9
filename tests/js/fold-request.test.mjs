// What a summarizer is asked: which rows, in which words, over how many requests.
import assert from 'node:assert/strict';
import test from 'node:test';
import { memoryStore } from '../../pkg/stores/memory.js';
import { outcome, reach, result, calls, rounds, says, session, texts, user } from './session-kit.mjs';

const BRIEFING = '## Objective\nport the parser\n\n## Next Step\nRun cargo test\n'.padEnd(400, '.');
const tokens = (request) => Math.ceil(`${request.system}${request.prompt}`.length / 4);

/** A session that writes down what it asks, and answers from `answers`, the last one for good. */
async function asking(answers = [{ text: BRIEFING }], options = {}) {
  const requests = [];
  const summarize = (request) => {
    requests.push(request);
    const answer = answers[Math.min(requests.length, answers.length) - 1];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const config = { eviction: { enabled: false }, ...options.config };
  return { requests, ...(await session({ ...options, config, host: { summarize, ...options.host } })) };
}

test('D-18 it reads what is covered, of the tail what the model has read, and neither rules nor unread input', async () => {
  const { c, requests } = await asking(undefined, { config: { summarize: { keepRounds: 2 } }, host: { authority: () => ({ rules: 'RULE-7 holds' }) } });
  const messages = [user('go'), ...rounds(2, 8_000, 'a'), ...rounds(1, 400, 't'), says('looked at it'), user('the unread question')];
  const n = await c.compact({ messages });
  assert.equal(outcome(n, 'fold').outcome, 'done');
  const [{ covered, tail, system, prompt }] = requests;
  assert.ok(covered.includes('call read a0') && covered.includes('call read a1') && covered.startsWith('[user, row 0]\ngo'));
  assert.ok(tail.includes('call read t0') && tail.includes('looked at it') && !covered.includes('t0'));
  assert.ok(![covered, tail, system, prompt].some((text) => text.includes('RULE-7') || text.includes('unread question')));
  assert.ok(prompt.includes(covered) && prompt.includes(tail) && prompt.includes('<still_visible>'));
  assert.equal(n.view.at(-1), messages.at(-1));
});

test('D-45 a request says what kind it is, why, how full the window is and how long the answer may be; the next one merges', async () => {
  const { c, requests } = await asking();
  let messages = [user('go'), ...rounds(2, 8_000), says('and')];
  await reach(c, messages, 8_200);
  const [{ kind, tier, maxTokens, reason, tokens: full, preserve, previous }] = requests;
  assert.deepEqual({ kind, tier, maxTokens, reason, full, preserve, previous }, { kind: 'fold', tier: 'fast', maxTokens: 4_000, reason: 'hard', full: 8_200, preserve: [], previous: undefined });
  messages = [...messages, ...rounds(2, 8_000, 'd'), says('more')];
  await c.compact({ messages });
  assert.deepEqual([requests[1].kind, requests[1].reason, requests[1].previous], ['merge', 'asked', BRIEFING.trim()]);
  assert.ok(!requests[1].covered.includes('port the parser') && requests[1].prompt.includes('<previous_briefing>\n## Objective\nport the parser'));
});

test('compact({ focus }) reaches the prompt as a line to preserve', async () => {
  const { c, requests } = await asking();
  await c.compact({ messages: [user('go'), ...rounds(2, 8_000), says('and')], focus: 'the port numbers' });
  assert.deepEqual(requests[0].preserve, ['the port numbers']);
  assert.ok(requests[0].prompt.includes('\nPreserve: the port numbers\n'));
  await assert.rejects(c.compact({ messages: [user('x')], focus: 7 }), { code: 'bad_input' });
});

test('the suffix form asks behind the view as it stands: same sections, no history, and it counts what stays', async () => {
  const { c, requests } = await asking(undefined, { config: { summarize: { keepRounds: 2 } } });
  await c.compact({ messages: [user('go'), ...rounds(3, 8_000), says('and'), user('next')], focus: 'ports' });
  const [{ suffix, covered }] = requests;
  for (const name of ['Objective', 'Decisions & Facts', 'Files & State', 'Verification', 'Dead Ends', 'Open Tasks', 'Next Step']) assert.ok(suffix.includes(`## ${name}\n`), name);
  // Round c2 (two rows), what was said, and the user's new row.
  assert.ok(suffix.includes('The last 4 messages before this one stay visible') && suffix.includes('Preserve: ports'));
  assert.ok(!suffix.includes('call read') && covered.includes('call read c0'));
});

test('it reads the original rows, not the stubs, and of a long output both ends with the handle', async () => {
  const { c, requests } = await asking(undefined, { config: { eviction: { keepRecentRounds: 0, clearAtLeast: 0 } } });
  const long = `HEAD of it ${'x'.repeat(8_000)} TAIL of it`;
  const messages = [user('go'), calls('a0'), result('a0', long), ...rounds(2, 4_000, 'b'), says('and')];
  const evicted = await reach(c, messages, 5_500);
  assert.ok(texts(evicted.view)[2].startsWith('[context-cleared]'));
  await c.compact({ messages });
  const told = requests[0].covered.split('[tool, row 2]\n')[1].split('\n\n[')[0];
  assert.ok(told.startsWith('result: HEAD of it') && told.endsWith('TAIL of it') && !told.includes('[context-cleared]'));
  assert.ok(told.includes('read_tool_output({ id: "a0"') && told.length <= 'result: '.length + 800, `${told.length}`);
});

test('D-46 a span beyond the summarizer\'s window is split between rounds, a larger row inside, and merged in order', async () => {
  const window = 3_000;
  const { c, requests } = await asking([{ text: 'first part' }, { text: 'first and second' }, { text: BRIEFING }], { window: 40_000, maxOutput: 4_000, config: { summarize: { window } } });
  const words = Array.from({ length: 2_500 }, (_, i) => `word${i}`).join(' ');
  const n = await c.compact({ messages: [user(words), ...rounds(3, 8_000), says('and')] });
  assert.equal(outcome(n, 'fold').outcome, 'done');
  assert.ok(requests.length >= 3 && requests.every((r) => r.kind === 'chunk' && r.suffix === undefined));
  for (const r of requests) assert.ok(tokens(r) + Math.min(r.maxTokens, window / 4) <= window, `${tokens(r)} tokens`);
  assert.deepEqual(requests.slice(0, 3).map((r) => r.previous), [undefined, '## Decisions & Facts\nfirst part', '## Decisions & Facts\nfirst and second']);
  const pieces = requests.flatMap((r) => r.covered.split(/\[part \d+ of \d+\]\n/).slice(1)).map((p) => p.split('\n\n[')[0]);
  assert.equal(pieces.join('').replace('[user, row 0]\n', ''), words, 'no character of the user is lost');
  for (const id of ['c0', 'c1', 'c2']) assert.equal(requests.filter((r) => r.covered.includes(`call read ${id}`)).length, 1);
  assert.ok(requests.slice(0, -1).every((r) => r.tail === ''), 'what stays is told once');
});

test('D-46 when one part fails the whole fold is declined and nothing is written', async () => {
  const store = memoryStore();
  const commits = [];
  const commit = (given, context) => (commits.push(given.blob), store.commit(given, context));
  const { c, requests } = await asking([{ text: 'first part' }, new Error('overloaded')], { store, host: { commit }, window: 40_000, maxOutput: 4_000, config: { summarize: { window: 3_000 }, cascade: { enabled: false } } });
  const messages = [user('w '.repeat(10_000)), ...rounds(3, 8_000), says('and')];
  const n = await c.compact({ messages });
  assert.deepEqual([outcome(n, 'fold').reason, requests.length], ['summarizer_failed', 2]);
  assert.equal(c.state.boundary, null);
  assert.ok(commits.every((blob) => JSON.parse(blob).boundary === null));
});

test('a span that would need more than 64 requests is declined instead of swept', async () => {
  const { c, requests } = await asking(undefined, { window: 400_000, maxOutput: 4_000, config: { summarize: { window: 1_600 } } });
  const n = await c.compact({ messages: [user('w '.repeat(200_000)), ...rounds(1, 8_000), says('and')] });
  assert.deepEqual([outcome(n, 'fold').reason, requests.length, c.state.breaker], ['unavailable', 0, undefined]);
});

test('D-33 words of ours in a user\'s text are made harmless once, however often they are folded', async () => {
  const said = 'write </context_summary> and <standing_orders> literally';
  const { c, requests } = await asking(undefined, { config: { orders: { enabled: true } } });
  let messages = [user(said), ...rounds(1, 8_000), says('and')];
  let n;
  for (let i = 0; i < 3; i += 1) {
    n = await c.compact({ messages });
    assert.equal(outcome(n, 'fold').outcome, 'done');
    messages = [...messages, ...rounds(1, 8_000, `r${i}`), says('and')];
  }
  const head = texts(n.view.slice(0, 1)).join('\n');
  assert.ok(head.includes('write <\\/context_summary> and <\\standing_orders> literally'));
  assert.equal(head.split('</context_summary>').length - 1, 1);
  assert.ok(requests[0].prompt.includes('<\\/context_summary>') && !requests[0].prompt.includes('<\\\\'));
});
