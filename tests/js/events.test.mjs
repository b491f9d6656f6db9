// Events: what they look like, in which order they come, how they travel, and what a listener may do.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { EVENTS, eventFrom, stamper, toDataPart, toSse } from '../../pkg/events.js';
import { reach, rounds, says, session, user } from './session-kit.mjs';

const BRIEFING = '## Objective\nkeep going\n\n## Next Step\nwait\n';

/** A run in which every event occurs that this version emits: what the listener heard, and the answers. */
async function run(onEvent, more = {}) {
  const heard = [];
  let fail = true;
  const host = {
    summarize: () => ({ text: fail ? '' : BRIEFING }),
    extract: () => ['User prefers pnpm'],
    addFact: () => {},
    onEvent: (event) => (heard.push(event), onEvent?.(event, made)),
    ...more,
  };
  const config = { eviction: { keepRecentRounds: 0, clearAtLeast: 100 }, summarize: { background: false }, memoryPromotion: { mode: 'suggest' }, handoffNudge: { enabled: true, atFraction: 0.1 } };
  const made = await session({ host, config });
  const { c } = made;
  const messages = [user('go'), ...rounds(6, 4_000), says('and')];
  const answers = [];
  answers.push(await reach(c, messages, 6_500));
  answers.push(await c.settle({ messages: [], usage: { inputTokens: 5_000 } }));
  answers.push(await c.compact({ messages }));
  fail = false;
  answers.push(await c.compact({ messages }));
  await new Promise((resolve) => setTimeout(resolve, 5));
  return { heard, answers, c };
}

test('events are numbered, versioned and complete, and the answers list the same objects', async () => {
  const { heard, answers } = await run();
  assert.deepEqual(heard.map((e) => e.seq), heard.map((_, i) => i + 1));
  const types = new Set(heard.map((e) => e.type));
  for (const type of ['context.usage', 'context.evicted', 'context.folding', 'context.folded', 'context.declined', 'memory.suggestion']) assert.ok(types.has(type), `no ${type}`);
  for (const event of heard) {
    assert.equal(event.v, 1);
    assert.equal(event.persist, EVENTS[event.type].persist);
    assert.deepEqual(JSON.parse(JSON.stringify(event)), event);
  }
  const listed = answers.flatMap((a) => a.events);
  assert.ok(listed.every((e) => heard.includes(e)));
});

test('a fold says that it begins, what it came to and how long it took', async () => {
  const { heard } = await run();
  const at = heard.findIndex((e) => e.type === 'context.folded');
  const folded = heard[at];
  assert.equal(heard[at - 1].type, 'context.folding');
  assert.ok(folded.before > folded.after && folded.reason === 'asked' && Number.isSafeInteger(folded.covered) && Number.isSafeInteger(folded.ms));
  const declined = heard.find((e) => e.type === 'context.declined');
  assert.deepEqual([declined.stage, declined.reason], ['fold', 'summarizer_empty']);
  assert.equal(heard.findIndex((e) => e.type === 'memory.suggestion') > at, true);
});

test('no text of the conversation is in an event, but for the facts of a suggestion', async () => {
  const { heard } = await run(undefined, { summarize: () => ({ text: `${BRIEFING}\nzebra text` }) });
  assert.ok(!JSON.stringify(heard).includes('zebra'));
});

test('t_37 every event passes structuredClone and postMessage unchanged', async () => {
  const { heard } = await run();
  const { port1, port2 } = new MessageChannel();
  for (const event of heard) {
    assert.deepEqual(structuredClone(event), event);
    const arrived = new Promise((resolve) => port2.once('message', resolve));
    port1.postMessage(event);
    assert.deepEqual(await arrived, event);
  }
  port1.close();
});

test('t_4 a listener may look at and change the session on every event; nothing is lost and nothing fails', async () => {
  const quiet = await run();
  const failures = [];
  let looks = 0;
  const { heard, answers } = await run((_event, { c }) => {
    try {
      assert.ok(c.inspect().breakdown);
      assert.ok(c.state && c.tools && c.suggestions);
      c.set({ config: { recitation: { enabled: false } } });
      looks += 1;
    } catch (error) {
      failures.push(error);
    }
  });
  assert.deepEqual(failures, []);
  assert.deepEqual(heard.map((e) => e.type), quiet.heard.map((e) => e.type));
  assert.deepEqual(answers.map((a) => JSON.stringify(a.view)?.length), quiet.answers.map((a) => JSON.stringify(a.view)?.length));
  assert.ok(looks >= 6);
});

test('t_4 calls made from inside a listener queue up and settle', async () => {
  const pending = [];
  let armed = true;
  await run((event, { c }) => {
    if (!armed) return;
    if (event.type === 'memory.suggestion') armed = false;
    pending.push(c.settle({ usage: { inputTokens: 4_000 } }), c.reject({ id: 'none' }).catch((e) => e.code), c.result({ callId: 'n', tool: 't', output: 'x' }));
  }).catch(() => {});
  const settled = await Promise.race([Promise.allSettled(pending), new Promise((resolve) => setTimeout(() => resolve('stuck'), 5_000))]);
  assert.notEqual(settled, 'stuck');
  assert.ok(settled.length > 3 && settled.every((s) => s.status === 'fulfilled'));
});

test('a listener that throws or rejects loses no event for itself and stops nobody', async () => {
  const warn = console.warn;
  const warned = [];
  console.warn = (...args) => warned.push(args);
  try {
    const quiet = await run();
    const throwing = await run(() => {
      throw new Error('mine');
    });
    const rejecting = await run(() => Promise.reject(new Error('mine')));
    for (const one of [throwing, rejecting]) assert.deepEqual(one.heard.map((e) => e.type), quiet.heard.map((e) => e.type));
    assert.ok(warned.length >= 2 && warned.length <= 4);
  } finally {
    console.warn = warn;
  }
});

test('as data parts: what is not to be kept is transient, and the client gets the event back', async () => {
  const { heard } = await run();
  for (const event of heard) {
    const part = toDataPart(event);
    assert.match(part.type, /^data-[a-z-]+$/);
    assert.equal(part.transient === true, !event.persist);
    assert.deepEqual(eventFrom(JSON.parse(JSON.stringify(part))), event);
  }
  const usage = heard.find((e) => e.type === 'context.usage');
  assert.deepEqual([toDataPart(usage).type, toDataPart(usage).id], ['data-context-usage', 'context.usage']);
});

test('as server-sent events: one frame each, and the client gets the event back', async () => {
  const { heard } = await run();
  const stream = heard.map(toSse).join('');
  // Read the way a browser does: blocks between empty lines, fields before the first colon.
  const read = stream.split('\n\n').slice(0, -1).map((block) => Object.fromEntries(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])));
  assert.deepEqual(read.map((f) => f.event), heard.map((e) => e.type));
  assert.deepEqual(read.map((f) => Number(f.id)), heard.map((e) => e.seq));
  assert.deepEqual(read.map(eventFrom), heard);
  assert.equal(toSse({ type: 'memory.suggestion', seq: 1, facts: ['a\n\ndata: b'] }).split('\n\n').length, 2);
});

test('what is no event is none', () => {
  for (const other of [null, undefined, 7, 'text', '{', '{"type":"x"}', { type: 'data-weather', data: {} }, { type: 'context.usage' }, { data: 'x' }]) assert.equal(eventFrom(other), null);
});

test('the types, the table and the core name the same events', () => {
  const types = [...readFileSync(new URL('../../pkg/events.d.ts', import.meta.url), 'utf8').matchAll(/type: '([a-z_.]+)'/g)].map((m) => m[1]);
  assert.deepEqual(types.sort(), Object.keys(EVENTS).sort());
  const core = [...readFileSync(new URL('../../src/core/event.rs', import.meta.url), 'utf8').matchAll(/rename = "([a-z_.]+)"/g)].map((m) => m[1]);
  assert.deepEqual(core.sort(), Object.keys(EVENTS).sort());
});

test('a stamp counts from one and measures folds by the clock it is given', () => {
  let clock = 100;
  const stamp = stamper(() => clock);
  assert.deepEqual(stamp({ type: 'context.folding' }), { type: 'context.folding', v: 1, seq: 1, persist: false });
  clock = 142.4;
  assert.deepEqual(stamp({ type: 'context.folded' }), { type: 'context.folded', ms: 42, v: 1, seq: 2, persist: false });
  assert.equal('ms' in stamp({ type: 'context.declined' }), false);
});
