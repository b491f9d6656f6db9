// Log readers: bytes, errors, and pi sessions. Each trap in a small hand-made log; expected numbers are worked by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { promptBefore, readSession } from '../../pkg-template/readers/index.js';
import { assertSound, jsonl, kinds, outputs, texts } from './readers-checks.mjs';

const read = (records, options) => readSession(jsonl(records), options);

const PI = [
  { type: 'session', id: 's1', cwd: '/repo', timestamp: 't' },
  { type: 'message', message: { role: 'user', content: [{ type: 'text', text: 'hello' }] } },
  { type: 'message', message: { role: 'assistant', model: 'm-1', provider: 'anthropic', stopReason: 'stop', content: [{ type: 'text', text: 'hi' }], usage: { input: 7, cacheRead: 100, cacheWrite: 20, output: 5 } } },
];

test('the same log reads alike as string, bytes, ArrayBuffer, gzip and with a byte order mark', async () => {
  const text = jsonl(PI);
  const bytes = new TextEncoder().encode(text);
  const expected = await readSession(text);
  assert.equal(expected.format, 'pi');
  assert.equal(expected.rows.length, 2);
  for (const input of [bytes, bytes.buffer, gzipSync(bytes), `\ufeff${text}`, new Uint8Array([0xef, 0xbb, 0xbf, ...bytes])]) {
    assert.deepEqual(await readSession(input), expected);
  }
});

const bad = async (input, pattern, options) => {
  await assert.rejects(readSession(input, options), (error) => {
    assert.equal(error.name, 'CascadeError');
    assert.equal(error.code, 'bad_input');
    assert.match(error.message, pattern);
    assert.doesNotMatch(error.message, /SECRET/);
    return true;
  });
};

test('a broken file is an error that names the line and never quotes the log', async () => {
  await bad('', /^Line 1: .*empty/);
  await bad('  \n \n', /^Line 1: .*empty/);
  await bad('SECRET plain words', /^Line 1: .*not valid JSON/);
  await bad('{"a":1}\n{"SECRET": broken}\n{"b":2}\n', /^Line 2: .*not valid JSON/);
  await bad('{\n "a": [1, 2,\n "SECRET" "x"]\n}', /^Line 3: /);
  await bad('{\n "a": 1,\n}', /^Line 3: /);
  await bad('{\n "a": [1, 2', /^Line 2: /);
  await bad('{"SECRET":1}\n{"b":2}\n', /^Line 1: .*no known format.*codex/);
  await bad('[1,2,3]', /^Line 1: .*no known format/);
  await bad('null', /^Line 1: .*no known format/);
  await bad(new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 1, 2]), /zstd -d/);
  await bad(new Uint8Array([0x1f, 0x8b, 8, 0, 1]), /gzip/);
  await bad(new Uint8Array([1, 0, 2, 0]), /NUL/);
  await bad(42, /bytes is number.*Uint8Array/);
  await bad(jsonl(PI), /format.*pi/, { format: 'nonsense' });
  await bad(jsonl(PI), /"codex"/, { format: 'codex' });
  await bad('nope', /^my\.log: Line 1/, { name: 'my.log' });
});

test('a last line cut off by a crash is left out and reported, not fatal', async () => {
  const session = await readSession(`${jsonl(PI)}{"type":"mess`);
  assert.equal(session.rows.length, 2);
  assert.deepEqual(session.healed.map(({ kind, at }) => [kind, at]), [['truncated_line', 4]]);
});

test('pi: prompt size is input + cacheRead + cacheWrite; positions are line numbers', async () => {
  const session = await read(PI);
  assert.deepEqual(session.steps, [{ row: 1, usage: { input: 127, cacheRead: 100, cacheWrite: 20, output: 5 }, model: 'm-1', provider: 'anthropic' }]);
  assert.deepEqual(session.rows.map((row) => row.position), [2, 3]);
  assert.deepEqual(session.model, { id: 'm-1', provider: 'anthropic' });
});

const piCall = (id, extra = {}) => ({ type: 'message', message: { role: 'assistant', model: 'm', provider: 'p', stopReason: 'toolUse', usage: { input: 10, output: 1, cacheRead: 0, cacheWrite: 0 },
  content: [].concat(id).map((one) => ({ type: 'toolCall', id: one, name: 'bash', arguments: { command: one } })), ...extra } });
const piResult = (id, text = `out ${id}`, extra = {}) => ({ type: 'message', message: { role: 'toolResult', toolCallId: id, toolName: 'bash', content: [{ type: 'text', text }], isError: false, ...extra } });
const piUser = (text) => ({ type: 'message', message: { role: 'user', content: text } });

test('pi: calls of an aborted response that nobody ran are left out, reported, and carry no usage; the open round stays open', async () => {
  const session = await read([PI[0], piUser('go'), piCall(['a', 'b'], { stopReason: 'aborted' }), piResult('a'), piUser('again'), piCall('c')]);
  assertSound(session);
  const tools = session.rows.filter((row) => row.message.role === 'tool');
  assert.deepEqual(tools.map((row) => row.position), [4]);
  assert.deepEqual(session.rows[1].message.content.map((part) => part.toolCallId), ['a']);
  assert.equal(session.steps[0].usage, undefined);
  assert.equal(session.steps[1].usage.input, 10);
  assert.deepEqual(kinds(session), { broken_off: 1 });
  assert.equal(session.rows.at(-1).message.role, 'assistant');
});

test('pi: calls without a result of a response that ended well are answered with an error', async () => {
  const session = await read([PI[0], piUser('go'), piCall(['a', 'b']), piResult('a'), piUser('again')]);
  const tools = session.rows.filter((row) => row.message.role === 'tool');
  assert.deepEqual(tools[1].message.content[0], { type: 'tool-result', toolCallId: 'b', toolName: 'bash', output: { type: 'error-text', value: 'The tool call was interrupted; no result was recorded.' } });
  assert.deepEqual(kinds(session), { unanswered_call: 1 });
});

test('pi: a user message after the last calls closes the round', async () => {
  const session = await read([PI[0], piUser('go'), piCall('a'), piUser('stop')]);
  assert.deepEqual(session.rows.map((row) => row.message.role), ['user', 'assistant', 'tool', 'user']);
});

test('pi: orphan and duplicate results, empty aborted messages, images and errors', async () => {
  const session = await read([PI[0], piUser('go'), piResult('ghost'), piCall('a'), piResult('a', 'first'), piResult('a', 'second'),
    { type: 'message', message: { role: 'assistant', content: [], stopReason: 'aborted', usage: { input: 0 } } }, piUser('look'), piCall(['img', 'err']),
    piResult('img', '', { content: [{ type: 'text', text: 'shot' }, { type: 'image', data: 'QUJD', mimeType: 'image/png' }] }), piResult('err', 'boom', { isError: true }), piUser('ok')]);
  assertSound(session);
  assert.deepEqual(kinds(session), { orphan_result: 1, duplicate_result: 1, empty_message: 1 });
  assert.deepEqual(outputs(session), [
    { type: 'text', value: 'second' },
    { type: 'content', value: [{ type: 'text', text: 'shot' }, { type: 'image-data', data: 'QUJD', mediaType: 'image/png' }] },
    { type: 'error-text', value: 'boom' },
  ]);
  assert.equal(session.steps.length, 2);
});

test('pi: ids used again pair with the call that waits', async () => {
  const session = await read([PI[0], piUser('go'), piCall('x'), piResult('x', 'one'), piCall('x'), piResult('x', 'two'), piUser('end')]);
  assert.deepEqual(outputs(session).map((output) => output.value), ['one', 'two']);
  assert.deepEqual(session.healed, []);
});

test('pi: a v1 compaction opens a segment with its summary and the kept rows themselves', async () => {
  const session = await read([PI[0], piUser('old'), piCall('a'), piResult('a'), piUser('kept'), piCall('b'), piResult('b'),
    { type: 'compaction', summary: 'what happened', tokensBefore: 900, firstKeptEntryIndex: 4 }, piUser('new'), piCall('c'), piResult('c'), piUser('end')]);
  assertSound(session);
  assert.equal(session.rows.length, 10, 'history ignores the compaction');
  const [first, second] = session.segments;
  assert.deepEqual([first.start, first.head, first.cause], [0, [], 'start']);
  assert.deepEqual([second.start, second.cause, second.tokensBefore], [6, 'compaction', 900]);
  assert.deepEqual(second.head[0], { role: 'user', content: 'what happened' });
  assert.equal(second.head.length, 4);
  assert.equal(second.head[1], session.rows[3].message, 'the same objects');
  assert.deepEqual(texts(promptBefore(session, 7)), ['what happened', 'kept', 'bash:b', 'out b', 'new']);
});

test('pi: v3 is a tree; a left branch is dropped, a branch summary stays, a hidden shell run does not', async () => {
  const node = (id, parentId, record) => ({ id, parentId, ...record });
  const session = await read([
    { type: 'session', version: 3, id: 'x', cwd: '/r' },
    node('a', null, piUser('root')), node('b', 'a', piUser('wrong way')), node('c', 'b', piCall('dead')),
    node('d', 'a', { type: 'branch_summary', summary: 'tried the wrong way', fromId: 'c' }),
    node('e', 'd', { type: 'message', message: { role: 'bashExecution', command: 'ls', output: 'x', excludeFromContext: true } }),
    node('f', 'e', { type: 'custom_message', content: 'note' }),
    node('g', 'f', { type: 'compaction', summary: 'S', firstKeptEntryId: 'd', tokensBefore: 5 }),
    node('h', 'g', piUser('last')),
  ]);
  assert.deepEqual(texts(session.rows.map((row) => row.message)), ['root', 'tried the wrong way', 'note', 'last']);
  assert.deepEqual(session.healed.map(({ kind, at, count }) => [kind, at, count]), [['dropped_branch', 3, 2]]);
  assert.deepEqual(texts(promptBefore(session, 4)), ['S', 'tried the wrong way', 'note', 'last']);
});
