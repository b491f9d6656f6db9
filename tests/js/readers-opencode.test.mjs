// opencode exports and events: each trap in a small hand-made log; expected numbers are worked by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promptBefore, readSession } from '../../pkg-template/readers/index.js';
import { assertSound, jsonl, kinds, outputs, texts } from './readers-checks.mjs';

const read = (records, options) => readSession(jsonl(records), options);

let serial = 0;
const oc = (role, parts, info = {}) => ({ info: { id: info.id ?? `m${(serial += 1)}`, role, ...(role === 'assistant' ? { modelID: 'mx', providerID: 'pv', tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } } } : {}), ...info }, parts });
const tool = (callID, state) => ({ type: 'tool', tool: 'bash', callID, state: { input: { c: callID }, ...state } });
const counts = (input, output, reasoning = 0, read = 0, write = 0) => ({ input, output, reasoning, cache: { read, write } });
const exported = (messages) => JSON.stringify({ info: { id: 'ses' }, messages }, null, 1);

test('opencode: one message is an assistant row and one tool row; usage adds the cache; cleared results keep their output', async () => {
  const text = `Exporting session: ses_1\n${exported([
    oc('user', [{ type: 'text', text: 'go' }, { type: 'text', text: 'hidden', ignored: true }, { type: 'file', mime: 'image/png', url: 'data:image/png;base64,QUJD' }, { type: 'file', mime: 'text/plain', url: 'file:///x' }], { summary: { diffs: [] } }),
    oc('assistant', [{ type: 'step-start' }, { type: 'reasoning', text: 'hm' }, tool('a', { status: 'completed', output: 'full output', time: { start: 1, end: 2, compacted: 3 } }), tool('b', { status: 'error', error: 'bad' }), { type: 'step-finish', tokens: counts(10, 3, 2, 100, 20) }], { tokens: counts(10, 3, 2, 100, 20) }),
    oc('assistant', [{ type: 'step-start' }, tool('c', { status: 'running' })]),
    oc('user', [{ type: 'text', text: 'stop' }]),
  ])}`;
  const session = await readSession(text);
  assertSound(session);
  assert.deepEqual(session.rows.map((row) => [row.message.role, row.position]), [['user', 1], ['assistant', 2], ['tool', 2], ['assistant', 3], ['tool', null], ['user', 4]]);
  assert.deepEqual(session.rows[0].message.content, [{ type: 'text', text: 'go' }, { type: 'image', image: 'QUJD', mediaType: 'image/png' }]);
  assert.deepEqual(session.steps[0].usage, { input: 130, cacheRead: 100, cacheWrite: 20, output: 5, reasoning: 2 });
  assert.equal(session.steps[1].usage, undefined);
  assert.deepEqual(outputs(session).slice(0, 2), [{ type: 'text', value: 'full output' }, { type: 'error-text', value: 'bad' }]);
  assert.deepEqual(kinds(session), { unanswered_call: 1 });
  assert.deepEqual(session.model, { id: 'mx', provider: 'pv' });
});

test('opencode: a compaction is a user part and a summary message; its tail follows the summary', async () => {
  const session = await readSession(exported([
    oc('user', [{ type: 'text', text: 'old' }]),
    oc('assistant', [tool('a', { status: 'completed', output: 'ra' })], { tokens: counts(500, 1) }),
    oc('assistant', [tool('b', { status: 'completed', output: 'rb' })], { id: 'tail', tokens: counts(600, 1) }),
    oc('user', [{ type: 'compaction', auto: true, tail_start_id: 'tail' }], { id: 'ask' }),
    oc('assistant', [{ type: 'reasoning', text: 'let me' }, { type: 'text', text: 'Goal: x' }], { summary: true, parentID: 'ask', tokens: counts(700, 50) }),
    oc('user', [{ type: 'text', text: 'Continue', synthetic: true }]),
    oc('assistant', [{ type: 'text', text: 'on' }], { tokens: counts(60, 1) }),
  ]));
  assertSound(session);
  assert.deepEqual(texts(session.rows.map((row) => row.message)), ['old', 'bash:a', 'ra', 'bash:b', 'rb', 'Continue', 'on']);
  assert.deepEqual(session.steps.map((step) => step.usage.input), [500, 600, 60]);
  assert.equal(session.segments[1].tokensBefore, 700);
  assert.deepEqual(texts(promptBefore(session, 6)), ['Goal: x', 'bash:b', 'rb', 'Continue']);
  assert.equal(session.segments[1].head[1], session.rows[3].message);
});

test('opencode: server events fold to the same messages; another session is reported', async () => {
  const fired = (type, properties) => ({ timestamp: 1, event: { type, properties } });
  const session = await read([
    fired('session.created', { info: { id: 'S' } }),
    fired('message.updated', { info: { id: 'm1', sessionID: 'S', role: 'user' } }),
    fired('message.part.updated', { part: { id: 'p1', messageID: 'm1', type: 'text', text: 'go' } }),
    fired('session.created', { info: { id: 'child', parentID: 'S' } }),
    fired('message.updated', { info: { id: 'x1', sessionID: 'child', role: 'user' } }),
    fired('message.updated', { info: { id: 'm2', sessionID: 'S', role: 'assistant', modelID: 'mx', tokens: counts(0, 0) } }),
    fired('message.part.updated', { part: { id: 'p2', messageID: 'm2', type: 'text', text: 'he' } }),
    fired('message.part.delta', { sessionID: 'S', messageID: 'm2', partID: 'p2', field: 'text', delta: 'llo' }),
    fired('message.updated', { info: { id: 'm2', sessionID: 'S', role: 'assistant', modelID: 'mx', tokens: counts(40, 2) } }),
  ]);
  assert.deepEqual(texts(session.rows.map((row) => row.message)), ['go', 'hello']);
  assert.deepEqual(session.steps.map((step) => step.usage.input), [40]);
  assert.deepEqual(session.healed.map(({ kind, at }) => [kind, at]), [['sidechain', 5]]);
});
