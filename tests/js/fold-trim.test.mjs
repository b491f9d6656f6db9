// After a fold a host may go on passing the whole list or only the rows behind the boundary; both give the same.

import assert from 'node:assert/strict';
import test from 'node:test';
import { calls, filler, outcome, result, rounds, says, session, texts, user } from './session-kit.mjs';

const BRIEFING = '## Objective\nport the parser\n\n## Open Tasks\n- fix parser\n\n## Next Step\nRun cargo test\n'.padEnd(600, '.');
const config = { eviction: { enabled: false }, summarize: { keepRounds: 2 } };
const numbered = (messages, from = 0) => ({ messages: messages.slice(from), positions: messages.map((_, i) => i + 100).slice(from) });

/** A folded conversation: 6 rounds, the last 2 kept. */
async function folded(options = {}) {
  const made = await session({ host: { summarize: () => ({ text: BRIEFING }) }, config, ...options });
  const messages = [user('go'), ...rounds(6, 2_000), says('so far')];
  const n = await made.c.compact(numbered(messages));
  assert.equal(outcome(n, 'fold').outcome, 'done');
  const from = made.c.state.boundary + 1 - 100;
  return { ...made, messages, n, from };
}

test('only the kept rows from now on: same bytes, same objects, an unbroken prefix, a live anchor', async () => {
  const { c, messages, n, from } = await folded();
  await c.settle({ usage: { inputTokens: 4_000 } });
  const grown = [...messages, ...rounds(1, 400, 'later-')];
  const other = await folded();
  await other.c.settle({ usage: { inputTokens: 4_000 } });
  const whole = await other.c.next(numbered([...other.messages, ...grown.slice(messages.length)]));

  const trimmed = await c.next(numbered(grown, from));
  assert.equal(trimmed.prefix.brokenBy, undefined);
  assert.deepEqual([trimmed.occupancy, trimmed.prefix], [whole.occupancy, whole.prefix]);
  assert.equal(trimmed.occupancy.provenance, 'anchored');
  assert.equal(trimmed.occupancy.tokens, 4_000 + 1 + 100);
  assert.equal(JSON.stringify(trimmed.view.slice(0, n.view.length)), JSON.stringify(n.view));
  assert.equal(trimmed.view[1], messages[from]);
  assert.deepEqual(c.inspect().ledger.map((l) => l.position), grown.map((_, i) => i + 100).slice(from));
});

test('nothing is measured anew when the list gets shorter in front', async () => {
  let read = 0;
  const watch = (message) => new Proxy(message, { get: (t, k) => (k === 'content' && (read += 1), Reflect.get(t, k)) });
  const { c } = await session({ host: { summarize: () => ({ text: BRIEFING }) }, config });
  const messages = [user('go'), ...rounds(6, 2_000), says('so far')].map(watch);
  await c.compact(numbered(messages));
  const from = c.state.boundary + 1 - 100;
  await c.next(numbered(messages));
  read = 0;
  await c.next(numbered(messages));
  const again = read;
  read = 0;
  await c.next(numbered(messages, from));
  assert.ok(read <= again, `${read} reads, ${again} for the whole list`);
});

test('the next fold after trimming covers what it should, and nothing vanishes', async () => {
  const { c, messages, from } = await folded();
  const grown = [...messages, user('go on'), ...rounds(4, 2_000, 'x'), says('more')];
  const n = await c.compact(numbered(grown, from));
  assert.equal(outcome(n, 'fold').outcome, 'done');
  assert.equal(c.state.folds.length, 2);
  assert.equal(c.state.folds[1].from, from + 100);
  assert.ok(c.inspect().ledger.every((l) => (l.position <= c.state.boundary ? l.state === 'folded' : l.state === 'kept')));
  const fresh = await session({ state: c.state, config });
  const late = c.state.boundary + 1 - 100;
  assert.equal(JSON.stringify((await fresh.c.next(numbered(grown, late))).view), JSON.stringify(n.view));
});

test('a system row in front stays, whether the host passes it or its list begins behind it', async () => {
  const { c } = await session({ host: { summarize: () => ({ text: BRIEFING }) }, config });
  const messages = [{ role: 'system', content: 'be brief' }, user('go'), ...rounds(6, 2_000), says('so far')];
  const n = await c.compact(numbered(messages));
  assert.deepEqual(n.view.map((m) => m.role).slice(0, 2), ['system', 'user']);
  const from = c.state.boundary + 1 - 100;
  const kept = { messages: [messages[0], ...messages.slice(from)], positions: [100, ...numbered(messages, from).positions] };
  const trimmed = await c.next(kept);
  assert.equal(trimmed.prefix.brokenBy, undefined);
  assert.equal(JSON.stringify(trimmed.view), JSON.stringify(n.view));
});

test('ids that repeat go on being counted: no stored output is handed out for another call', async () => {
  // A server that numbers its calls from 0 in every round.
  const step = (text) => [calls('call_0'), result('call_0', text)];
  const big = (n) => filler(3_000) + n;
  const { c, store } = await session({ host: { summarize: () => ({ text: BRIEFING }) }, config: { ...config, summarize: { keepRounds: 1 } } });
  const outputs = Array.from({ length: 6 }, (_, i) => big(i));
  const messages = [user('go'), ...outputs.slice(0, 4).flatMap(step), says('so far')];
  await c.compact(numbered(messages));
  const from = c.state.boundary + 1 - 100;
  assert.ok(from > 4, 'rounds are covered');
  const evicting = { eviction: { enabled: true, keepRecentRounds: 0, clearAtLeast: 0, atFraction: 0.1, toFraction: 0 } };
  c.set({ config: evicting });
  const grown = [...messages, user('on'), ...outputs.slice(4).flatMap(step), says('end'), user('x')];
  const n = await c.next(numbered(grown, from));
  const stubs = n.view.filter((m) => m.role === 'tool');
  assert.equal(stubs.length, 2);
  for (const [i, row] of stubs.entries()) {
    const handle = /id: "([^"]+)"/.exec(row.content[0].output.value)[1];
    assert.equal(handle, `call_0~${5 + i}`);
    assert.equal(await store.raw.get(handle, { transcript: 't' }), outputs[4 + i]);
  }
  // A new process that loads only the kept rows names them the same.
  const fresh = await session({ state: c.state, store, config: { ...config, ...evicting } });
  assert.equal(JSON.stringify((await fresh.c.next(numbered(grown, from))).view), JSON.stringify(n.view));
});

test('a list without positions that lost its beginning is refused, not misread', async () => {
  const { c } = await session({ host: { summarize: () => ({ text: BRIEFING }) }, config });
  const messages = [user('go'), ...rounds(6, 2_000), says('so far')];
  await c.next({ messages });
  await assert.rejects(c.next({ messages: messages.slice(3) }), (e) => e.code === 'bad_input' && /positions/.test(e.message));
  assert.equal((await c.next({ messages })).view.length, messages.length);
});

test('what was not folded may not be left out in front', async () => {
  const { c, messages, from } = await folded();
  const n = await c.next(numbered(messages, from + 1));
  assert.equal(n.prefix.brokenBy?.cause, 'rewritten');
  assert.ok(texts(n.view).join('').includes('port the parser'));
});
