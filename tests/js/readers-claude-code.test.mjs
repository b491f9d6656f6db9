// Claude Code logs: each trap in a small hand-made log; expected numbers are worked by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promptBefore, readSession } from '../../pkg-template/readers/index.js';
import { assertSound, jsonl, kinds, outputs, texts } from './readers-checks.mjs';

const read = (records, options) => readSession(jsonl(records), options);

let serial = 0;
const cc = (type, parentUuid, content, extra = {}) => {
  const uuid = extra.uuid ?? `u${(serial += 1)}`;
  const { id, usage, model = 'claude-x', ...rest } = extra;
  const message = type === 'assistant' ? { role: 'assistant', model, id: id ?? `msg_${uuid}`, content, usage } : { role: 'user', content };
  return { type, parentUuid, isSidechain: false, sessionId: 's', ...rest, uuid, message };
};
const use = (id, name = 'Read') => ({ type: 'tool_use', id, name, input: { id } });
const answer = (id, content = `r ${id}`, extra = {}) => ({ type: 'tool_result', tool_use_id: id, content, ...extra });
const spent = (input_tokens, output_tokens, read = 0, write = 0) => ({ input_tokens, output_tokens, cache_read_input_tokens: read, cache_creation_input_tokens: write });

test('Claude Code: lines of one response are one row; usage is the last line\'s, never a sum', async () => {
  const session = await read([
    cc('user', null, 'go', { uuid: 'a' }),
    cc('assistant', 'a', [{ type: 'thinking', thinking: 'hm', signature: 'sig' }], { uuid: 'b', id: 'm1', usage: spent(10, 8, 100, 50) }),
    cc('assistant', 'b', [{ type: 'text', text: 'reading' }], { uuid: 'c', id: 'm1', usage: spent(10, 8, 100, 50) }),
    cc('assistant', 'c', [use('t1')], { uuid: 'd', id: 'm1', usage: spent(10, 1703, 100, 50) }),
    cc('user', 'd', [answer('t1')], { uuid: 'e', toolUseResult: { stdout: 'not counted' } }),
  ]);
  assertSound(session);
  assert.deepEqual(session.steps, [{ row: 1, usage: { input: 160, cacheRead: 100, cacheWrite: 50, output: 1703 }, model: 'claude-x', provider: 'anthropic' }]);
  assert.deepEqual(session.rows[1].message.content, [
    { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 'sig' } } },
    { type: 'text', text: 'reading' },
    { type: 'tool-call', toolCallId: 't1', toolName: 'Read', input: { id: 't1' } },
  ]);
  assert.deepEqual(session.rows.map((row) => row.position), [1, 2, 5]);
  assert.deepEqual(session.model, { id: 'claude-x', provider: 'anthropic' });
});

test('Claude Code: results written between the lines of one response come after it, on forked parents too', async () => {
  const session = await read([
    cc('user', null, 'go', { uuid: 'a' }),
    cc('assistant', 'a', [use('t1')], { uuid: 'b', id: 'm1', usage: spent(10, 1) }),
    cc('user', 'b', [answer('t1')], { uuid: 'c' }),
    cc('assistant', 'b', [use('t2')], { uuid: 'd', id: 'm1', usage: spent(10, 9) }),
    cc('user', 'd', [answer('t2')], { uuid: 'e' }),
    cc('assistant', 'e', [{ type: 'text', text: 'done' }], { uuid: 'f', id: 'm2', usage: spent(30, 2) }),
  ]);
  assertSound(session);
  assert.deepEqual(texts(session.rows.map((row) => row.message)), ['go', 'Read:t1 Read:t2', 'r t1', 'r t2', 'done']);
  assert.deepEqual(session.rows.map((row) => row.position), [1, 2, 3, 5, 6]);
  assert.deepEqual(session.healed, []);
});

test('Claude Code: a rewound branch and sub-agent lines are left out and reported; their usage never shows', async () => {
  const session = await read([
    { type: 'summary', summary: 's', leafUuid: 'z' },
    cc('user', null, 'start', { uuid: 'a' }),
    cc('assistant', 'a', [{ type: 'text', text: 'ready' }], { uuid: 'b', usage: spent(5, 1) }),
    cc('user', 'b', 'first try', { uuid: 'c' }),
    cc('assistant', 'c', [use('dead')], { uuid: 'd', usage: spent(6, 1) }),
    cc('user', 'b', 'second try', { uuid: 'e' }),
    cc('user', null, 'agent prompt', { uuid: 's1', isSidechain: true }),
    cc('assistant', 's1', [{ type: 'text', text: 'agent' }], { uuid: 's2', isSidechain: true, usage: spent(99999, 1) }),
    cc('assistant', 'e', [{ type: 'text', text: 'good' }], { uuid: 'f', usage: spent(7, 1) }),
    { type: 'brand-new-type', sessionId: 's' },
  ]);
  assert.deepEqual(texts(session.rows.map((row) => row.message)), ['start', 'ready', 'second try', 'good']);
  assert.deepEqual(session.steps.map((step) => step.usage.input), [5, 7]);
  assert.deepEqual(session.healed.map(({ kind, at, count }) => [kind, at, count]), [['dropped_branch', 4, 2], ['sidechain', 7, 2], ['unknown_record', 10, 1]]);
});

test('Claude Code: a sub-agent\'s own file is read as its conversation', async () => {
  const session = await read([
    cc('user', null, 'find it', { uuid: 'a', isSidechain: true, agentId: 'x' }),
    cc('assistant', 'a', [{ type: 'text', text: 'found' }], { uuid: 'b', isSidechain: true, agentId: 'x', usage: spent(50, 3) }),
  ]);
  assert.deepEqual(session.steps.map((step) => step.usage.input), [50]);
  assert.deepEqual(session.healed, []);
});

test('Claude Code: <synthetic> and API error messages are no model call', async () => {
  const session = await read([
    cc('user', null, 'go', { uuid: 'a' }),
    cc('assistant', 'a', [{ type: 'text', text: 'API Error' }], { uuid: 'b', isApiErrorMessage: true, model: 'claude-x', usage: spent(0, 0) }),
    cc('assistant', 'b', [{ type: 'text', text: 'No response requested.' }], { uuid: 'c', model: '<synthetic>', usage: spent(0, 0) }),
    cc('user', 'c', 'retry', { uuid: 'd' }),
    cc('assistant', 'd', [{ type: 'text', text: 'ok' }], { uuid: 'e', usage: spent(12, 1) }),
  ]);
  assert.deepEqual(texts(session.rows.map((row) => row.message)), ['go', 'retry', 'ok']);
  assert.equal(session.steps.length, 1);
  assert.deepEqual(kinds(session), { synthetic_message: 2 });
});

const boundary = (uuid, logicalParentUuid, compactMetadata = {}) => ({ type: 'system', subtype: 'compact_boundary', uuid, parentUuid: null, logicalParentUuid, isSidechain: false, sessionId: 's', compactMetadata });

test('Claude Code: a compact boundary opens a segment with the summary alone; the summary is not a row', async () => {
  const session = await read([
    cc('user', null, 'old', { uuid: 'a' }),
    cc('assistant', 'a', [{ type: 'text', text: 'old answer' }], { uuid: 'b', usage: spent(900, 1) }),
    boundary('k', 'b', { trigger: 'auto', preTokens: 901 }),
    cc('user', 'k', 'the summary', { uuid: 's', isCompactSummary: true, isVisibleInTranscriptOnly: true }),
    cc('user', 's', 'next', { uuid: 'c' }),
    cc('assistant', 'c', [{ type: 'text', text: 'fresh' }], { uuid: 'd', usage: spent(50, 1) }),
  ]);
  assert.deepEqual(texts(session.rows.map((row) => row.message)), ['old', 'old answer', 'next', 'fresh']);
  assert.deepEqual(session.segments[1], { start: 2, head: [{ role: 'user', content: 'the summary' }], cause: 'compaction', tokensBefore: 901 });
  assert.deepEqual(texts(promptBefore(session, 3)), ['the summary', 'next']);
});

test('Claude Code: preserved records stay behind the summary, whether their lines are written again or new ones hang on the old tail', async () => {
  const preserved = { preservedSegment: { headUuid: 'c', anchorUuid: 's', tailUuid: 'e' }, preservedMessages: { anchorUuid: 's', uuids: ['c', 'd', 'e'] } };
  const before = [
    cc('user', null, 'start', { uuid: 'a' }),
    cc('assistant', 'a', [{ type: 'text', text: 'ready' }], { uuid: 'b', usage: spent(500, 1) }),
    cc('user', 'b', 'keep me', { uuid: 'c' }),
    cc('assistant', 'c', [use('t')], { uuid: 'd', usage: spent(600, 1) }),
  ];
  const tail = cc('user', 'd', [answer('t')], { uuid: 'e' });
  const after = [cc('user', 'e', 'on', { uuid: 'f' }), cc('assistant', 'f', [{ type: 'text', text: 'end' }], { uuid: 'g', usage: spent(60, 1) })];
  const summary = cc('user', 'k', 'sum', { uuid: 's', isCompactSummary: true });

  const hanging = await read([...before, tail, boundary('k', 'e', preserved), summary, ...after]);
  const rewritten = await read([...before, tail, boundary('k', 'e', preserved), summary, { ...tail, parentUuid: 's' }, ...after]);
  for (const session of [hanging, rewritten]) {
    assertSound(session);
    assert.deepEqual(texts(session.rows.map((row) => row.message)), ['start', 'ready', 'keep me', 'Read:t', 'r t', 'on', 'end']);
    assert.equal(session.segments[1].start, 5);
    assert.deepEqual(texts(promptBefore(session, 6)), ['sum', 'keep me', 'Read:t', 'r t', 'on']);
    assert.equal(session.segments[1].head[1], session.rows[2].message);
    assert.deepEqual(session.healed, []);
  }
});

test('Claude Code: a preserved assistant that exists only behind the boundary keeps its place and loses its old usage', async () => {
  const session = await read([
    cc('user', null, 'start', { uuid: 'a' }),
    cc('assistant', 'a', [{ type: 'text', text: 'ready' }], { uuid: 'b', usage: spent(500, 1) }),
    cc('user', 'b', 'keep going', { uuid: 'c' }),
    boundary('k', 'd', { preservedMessages: { uuids: ['b', 'c', 'd'] } }),
    cc('user', 'k', 'sum', { uuid: 's', isCompactSummary: true }),
    cc('assistant', 's', [{ type: 'text', text: 'kept going' }], { uuid: 'd', usage: spent(700, 1) }),
    cc('user', 'd', 'more', { uuid: 'e' }),
    cc('assistant', 'e', [{ type: 'text', text: 'final' }], { uuid: 'f', usage: spent(80, 1) }),
  ]);
  assert.deepEqual(texts(session.rows.map((row) => row.message)), ['start', 'ready', 'keep going', 'kept going', 'more', 'final']);
  assert.deepEqual(texts(promptBefore(session, 5)), ['sum', 'ready', 'keep going', 'kept going', 'more']);
  assert.deepEqual(session.steps.map((step) => step.usage?.input), [500, undefined, 80]);
});

test('Claude Code: pictures and documents stay media, text beside results becomes its own user row', async () => {
  const session = await read([
    cc('user', null, [{ type: 'text', text: 'see' }, { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'QUJD' } }, { type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: 'UERG' } }], { uuid: 'a' }),
    cc('assistant', 'a', [use('t')], { uuid: 'b' }),
    cc('user', 'b', [answer('t', [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'SU1H' } }]), { type: 'text', text: 'and this' }], { uuid: 'c' }),
    cc('assistant', 'c', [use('t2')], { uuid: 'd' }),
    cc('user', 'd', [answer('t2', 'no such file', { is_error: true })], { uuid: 'e' }),
  ]);
  assertSound(session);
  assert.deepEqual(session.rows[0].message.content.slice(1), [{ type: 'image', image: 'QUJD', mediaType: 'image/jpeg' }, { type: 'file', data: 'UERG', mediaType: 'application/pdf', filename: 'a.pdf' }]);
  assert.deepEqual(outputs(session), [{ type: 'content', value: [{ type: 'image-data', data: 'SU1H', mediaType: 'image/png' }] }, { type: 'error-text', value: 'no such file' }]);
  assert.deepEqual(session.rows.map((row) => row.message.role), ['user', 'assistant', 'tool', 'user', 'assistant', 'tool']);
});

test('Claude Code: a parent that was never written does not cut the history', async () => {
  const session = await read([
    cc('user', null, 'one', { uuid: 'a' }),
    cc('assistant', 'a', [{ type: 'text', text: 'two' }], { uuid: 'b' }),
    cc('user', 'missing-progress-record', 'three', { uuid: 'c' }),
  ]);
  assert.deepEqual(texts(session.rows.map((row) => row.message)), ['one', 'two', 'three']);
});

test('Claude Code: usage with iterations is the last message iteration, not the compaction\'s', async () => {
  const usage = { input_tokens: 220, output_tokens: 9, iterations: [{ type: 'compaction', input_tokens: 55196, output_tokens: 400 }, { type: 'message', input_tokens: 220, output_tokens: 9 }] };
  const session = await read([cc('user', null, 'x', { uuid: 'a' }), cc('assistant', 'a', [{ type: 'text', text: 'y' }], { uuid: 'b', usage })]);
  assert.equal(session.steps[0].usage.input, 220);
});
