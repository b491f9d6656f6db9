// A fold away from the request: as a ticket in another process, and at rest after a response.

import assert from 'node:assert/strict';
import test from 'node:test';
import { open, runFold } from '../../pkg/inline.js';
import { memoryStore } from '../../pkg/stores/memory.js';
import { filler, outcome, reach, rounds, says, session, texts, user } from './session-kit.mjs';

const BRIEFING = '## Objective\nport the parser\n\n## Next Step\nRun cargo test\n'.padEnd(600, '.');
const config = { eviction: { enabled: false }, summarize: { keepRounds: 1 } };

/** A conversation at soft whose rows are in the host's own store; what `next` gave there. */
async function atSoft(more = {}, options = {}, messages = [user('go'), ...rounds(4, 4_000), says('and')]) {
  const store = memoryStore();
  const db = [...messages];
  const rows = ({ from, to }) => db.map((message, position) => ({ position, message })).filter((row) => row.position >= from && row.position <= to);
  const host = { ...store, rows, summarize: () => ({ text: BRIEFING }), ...more };
  const made = await session({ store, host, config, ...options });
  const n = await reach(made.c, messages, 6_100);
  return { ...made, n, messages, host, db, store };
}

test('D-21 another process makes the same fold from the ticket alone', async () => {
  const here = await atSoft();
  const there = await atSoft({}, {}, here.messages);
  await here.n.background.run();
  const ticket = JSON.parse(JSON.stringify(there.n.background.ticket));
  const events = await runFold(ticket, there.host);
  assert.deepEqual(events.map((e) => e.type), ['context.folding', 'context.folded']);
  const of = (store) => JSON.parse(store.load({ transcript: 't' }).blob);
  assert.deepEqual(of(there.store).folds, of(here.store).folds);

  const after = await here.c.next({ messages: here.messages });
  const fresh = await session({ store: there.store, config });
  const theirs = await fresh.c.next({ messages: there.messages });
  assert.equal(JSON.stringify(theirs.view), JSON.stringify(after.view));
  assert.ok(texts(theirs.view).join('').includes('port the parser'));
});

test('the session that gave the ticket takes the fold over at its next commit, losing nothing', async () => {
  const { c, n, host, messages } = await atSoft();
  await runFold(n.background.ticket, host);
  const stale = await n.background.run();
  assert.deepEqual(stale.map((e) => e.reason ?? e.type).slice(-1), ['stale']);
  const after = await c.next({ messages });
  assert.ok(texts(after.view).join('').includes('port the parser'));
  assert.equal(c.state.folds.length, 1);
});

for (const [name, spoil] of [
  ['a covered row was edited', ({ db }) => (db[2] = { ...db[2], content: [{ ...db[2].content[0], output: { type: 'text', value: 'other' } }] })],
  ['a covered row is gone', ({ db }) => db.splice(2, 1)],
  ['somebody folded already', async ({ c, messages }) => c.compact({ messages })],
]) {
  test(`a ticket is stale when ${name}: nobody is asked and nothing is written`, async () => {
    let asked = 0;
    const made = await atSoft();
    await spoil(made);
    const before = JSON.stringify(made.store.load({ transcript: 't' }));
    const events = await runFold(made.n.background.ticket, { ...made.host, summarize: () => ((asked += 1), { text: BRIEFING }) });
    assert.deepEqual(events.map((e) => [e.type, e.reason]), [['context.declined', 'stale']]);
    assert.equal(asked, 0);
    assert.equal(JSON.stringify(made.store.load({ transcript: 't' })), before);
  });
}

test('rows that came after the ticket are no obstacle and stay', async () => {
  const { n, host, messages, db, store } = await atSoft();
  db.push(user('typed meanwhile'), says('heard'));
  await runFold(n.background.ticket, host);
  const fresh = await session({ store, config });
  const view = (await fresh.c.next({ messages: db })).view;
  assert.deepEqual(texts(view.slice(-2)), ['typed meanwhile', 'heard']);
  assert.ok(view.length < messages.length);
});

test('a failure counts for the breaker of the conversation, wherever it happened', async () => {
  const { n, host, store } = await atSoft();
  const events = await runFold(n.background.ticket, { ...host, summarize: () => ({ text: ' ' }) });
  assert.equal(events.at(-1).reason, 'summarizer_empty');
  assert.equal(JSON.parse(store.load({ transcript: 't' }).blob).breaker.failures, 1);
});

test('a ticket is checked, and the host must be able', async () => {
  const { n, host } = await atSoft();
  const { ticket } = n.background;
  await assert.rejects(runFold({}, host), { code: 'bad_input' });
  await assert.rejects(runFold({ ...ticket, v: 2 }, host), (e) => e.code === 'bad_input' && /ticket\.v/.test(e.message));
  await assert.rejects(runFold(ticket, { ...host, rows: undefined }), (e) => e.code === 'bad_input' && /rows/.test(e.message));
  await assert.rejects(runFold(ticket, { ...host, rows: () => [{ position: '3', message: {} }] }), { code: 'bad_input' });
  const stop = AbortSignal.abort(new Error('worker goes away'));
  await assert.rejects(runFold(ticket, host, { signal: stop }), (e) => e === stop.reason);
});

test('settle gives a background fold at soft, which the next request finds done', async () => {
  const { c, messages, counts, host } = await atSoft({}, { config: { ...config, summarize: { keepRounds: 1, background: true } } });
  const rest = await atRest(c, messages, 6_200);
  assert.ok(rest.background, 'due at rest');
  const events = await rest.background.run();
  assert.deepEqual(events.map((e) => e.type), ['context.folding', 'context.folded']);
  assert.ok(events.every((e) => e.seq > 0 && e.v === 1));
  const asked = counts.summarize;
  const n = await c.next({ messages: [...messages, user('next')] });
  assert.equal(outcome(n, 'fold'), undefined);
  assert.ok(texts(n.view).join('').includes('port the parser'));
  assert.deepEqual([counts.summarize, n.view.at(-1).content], [asked, 'next']);
  assert.ok(host.rows);
});

/** One more request, whose response is counted at so many tokens. */
async function atRest(c, messages, tokens) {
  await c.next({ messages });
  return c.settle({ usage: { inputTokens: tokens } });
}

test('settle plans none where an eviction brings the window below soft, or nothing is due, or the rows cannot be read', async () => {
  const evictable = await session({ config: { summarize: { keepRounds: 1 }, eviction: { keepRecentRounds: 0 } }, host: { rows: () => [], summarize: () => ({ text: BRIEFING }) } });
  const messages = [user('go'), ...rounds(4, 4_000), says('and')];
  assert.equal((await atRest(evictable.c, messages, 6_200)).background, undefined);
  const { c } = await atSoft();
  assert.equal((await atRest(c, messages, 5_999)).background, undefined);
  const blind = await session({ config, host: { summarize: () => ({ text: BRIEFING }) } });
  assert.equal((await atRest(blind.c, messages, 6_200)).background, undefined);
});

test('while a fold is made at rest, a request at hard waits for it and nobody starts a second one', async () => {
  let finish;
  const { c, messages, counts } = await atSoft({ summarize: () => new Promise((resolve) => (finish = () => resolve({ text: BRIEFING }))) });
  const rest = await atRest(c, messages, 6_200);
  const running = rest.background.run();
  while (!finish) await new Promise((r) => setTimeout(r));
  const next = c.next({ messages: [...messages, user('y'.repeat(9_000))] });
  setTimeout(() => finish(), 20);
  const n = await next;
  await running;
  assert.equal(counts.summarize, 1);
  assert.match(outcome(n, 'fold').detail, /background/);
  assert.ok(texts(n.view).join('').includes('port the parser'));
});

test('the handoff is suggested at a task boundary, every time, and only there', async () => {
  const { c, events } = await session({ config: { ...config, summarize: { enabled: false }, handoffNudge: { enabled: true } } });
  await c.next({ messages: [user('go')] });
  const settle = (messages, inputTokens) => c.settle({ messages, usage: { inputTokens } });
  const nudges = (settled) => settled.events.filter((e) => e.type === 'context.handoff_suggested');
  assert.deepEqual(nudges(await settle([says('done')], 6_999)), []);
  assert.deepEqual(nudges(await settle([says('done')], 7_000)).map(({ usedFraction, atFraction, persist }) => [usedFraction, atFraction, persist]), [[0.7, 0.7, false]]);
  assert.equal(nudges(await settle([says('done')], 7_000)).length, 1, 'refires');
  const calling = { role: 'assistant', content: [{ type: 'text', text: 'let me see' }, { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: {} }] };
  assert.deepEqual(nudges(await settle([calling], 8_000)), [], 'a call is open');
  assert.deepEqual(nudges(await settle(undefined, 8_000)), [], 'what the response said is not known');
  assert.equal(events.filter((e) => e.type === 'context.handoff_suggested').length, 2);
  const off = await session({});
  await off.c.next({ messages: [user('go')] });
  assert.deepEqual(nudges(await off.c.settle({ messages: [says('x')], usage: { inputTokens: 9_000 } })), []);
});

test('rows behind a group line are read back through the host, with secrets taken out', async () => {
  const db = [user('go'), ...rounds(2, 40), says('fine')].map((message, position) => ({ position, message }));
  db[2].message = { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c0', toolName: 'read', output: { type: 'text', value: 'token SECRET here' } }] };
  const rows = ({ from, to }) => db.filter((r) => r.position >= from && r.position <= to);
  const c = await open({ transcript: 't', format: 'ai-sdk', model: { id: 'm', window: 10_000 }, host: { ...memoryStore(), rows, redact: ({ text }) => text.replace('SECRET', '[gone]') } });
  const [tool] = c.tools;
  const page = await tool.execute({ id: 'rows:1-3' });
  assert.ok(page.startsWith('[assistant, row 1]\ncall read c0: {}\n\n[tool, row 2]\ntoken [gone] here'), page);
  assert.ok(page.includes('[assistant, row 3]') && !page.includes('row 4'));
  assert.ok((await tool.execute({ id: 'rows:1-3', grep: 'token' })).startsWith('token [gone] here'));
  assert.match(await tool.execute({ id: 'rows:90-99' }), /rows:90-99/);
  assert.ok(filler(5));
});
