// The bundled sample keeps what it promises, replays cleanly with relief to see, and its recorder leaves nothing of
// the machine it ran on behind.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readSession } from '../../pkg/readers/index.js';
import { replaySession } from '../../pkg/replay.js';
import { scrubber } from '../../sample/scrub.mjs';
import { story } from '../../sample/story.mjs';
import { tools } from '../../sample/tools.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const file = path.join(root, 'sample', 'session.json');
const bytes = readFileSync(file);
const { format, note, messages } = JSON.parse(bytes.toString('utf8'));
const results = messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
const text = ({ output }) => (typeof output.value === 'string' ? output.value : JSON.stringify(output.value));

describe('the sample', () => {
  test('is AI SDK messages of at least 60 calls and 80k tokens in at most 1 MB', () => {
    assert.equal(format, 'ai-sdk');
    assert.match(note, /no model took part/);
    assert.ok(statSync(file).size <= 1_000_000);
    assert.ok(results.length >= 60, `${results.length} calls`);
    const characters = results.reduce((sum, result) => sum + text(result).length, 0);
    assert.ok(characters / 4 >= 80_000, `${characters} characters of results`);
    const turns = messages.filter((message) => message.role === 'user').length;
    assert.ok(turns >= 8 && turns <= 12, `${turns} turns`);
  });

  test('holds what a real session holds: one huge result, parallel calls, a failure, colours, several languages', () => {
    assert.ok(results.some((result) => text(result).length > 100_000));
    assert.ok(messages.some((message) => message.role === 'tool' && message.content.length >= 3));
    assert.ok(results.some(({ output }) => output.type === 'error-text' && /exit code \d/.test(output.value)));
    assert.ok(results.some((result) => result.output.type === 'text' && text(result).includes('\u001b[')));
    assert.ok(results.some(({ output }) => output.type === 'json'));
    const prose = JSON.stringify(messages.filter((message) => message.role !== 'tool'));
    for (const script of [/[äöüß]/, /\p{Script=Han}/u, /\p{Script=Hiragana}/u]) assert.match(prose, script);
  });

  test('every call has its result right behind it', () => {
    messages.forEach((message, i) => {
      const calls = message.role === 'assistant' ? message.content.filter((part) => part.type === 'tool-call').map((part) => part.toolCallId) : [];
      if (calls.length) assert.deepEqual(messages[i + 1].content.map((part) => part.toolCallId), calls);
    });
    assert.equal(new Set(results.map((result) => result.toolCallId)).size, results.length);
  });

  test('names no path, host or moment of the machine it was recorded on', () => {
    const all = bytes.toString('utf8');
    assert.doesNotMatch(all, /(^|[\s"'(=:])\/(root|work|Users|var\/folders|home\/(?!dev\b)\w+)\//m);
    assert.ok(!all.includes(root));
    assert.doesNotMatch(all, /\bin (?!0\.50s)\d+\.\d\ds\b/);
  });

  test('replayed at 64,000 tokens: relief is seen, no violation, every handle read back', async () => {
    const session = await readSession(bytes);
    assert.equal(session.rows.length, messages.length);
    const report = await replaySession(session, { window: 64_000 });
    assert.deepEqual(report.violations, []);
    assert.ok(report.totals.maxBefore > 80_000);
    assert.ok(report.totals.maxAfter < report.totals.maxBefore / 2);
    assert.ok(report.totals.evictions >= 10);
    assert.ok(report.totals.clamps >= 1);
    assert.ok(report.totals.handles.offered >= 10);
    assert.equal(report.totals.handles.verified, report.totals.handles.offered);
  });
});

describe('the recorder', () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'gentle-cascade-tree-'));
  after(() => rmSync(dir, { recursive: true }));
  mkdirSync(path.join(dir, 'src', 'b'), { recursive: true });
  mkdirSync(path.join(dir, 'node_modules'));
  writeFileSync(path.join(dir, 'src', 'b', 'two.rs'), 'fn two() {}\n');
  writeFileSync(path.join(dir, 'src', 'one.rs'), Array.from({ length: 10 }, (_, i) => `fn f${i}() {} // ${dir}/src`).join('\n'));
  writeFileSync(path.join(dir, 'node_modules', 'x.js'), 'fn no() {}\n');
  const run = tools(dir, scrubber(dir));

  test('replaces paths, hosts, dates and durations, and leaves the rest alone', () => {
    const scrub = scrubber(dir);
    assert.equal(scrub(`${dir}/src/lib.rs:3: at ${os.homedir()}/.cargo/registry/src/index.crates.io-0123456789abcdef/serde`), '/project/src/lib.rs:3: at /home/dev/.cargo/registry/src/index.crates.io/serde');
    assert.equal(scrub('test result: ok. 3 passed; finished in 12.34s'), 'test result: ok. 3 passed; finished in 0.50s');
    assert.equal(scrub('at 2025-11-29T22:51:07.123Z\r\n'), 'at 2026-01-01T00:00:00Z\n');
    assert.equal(scrub('a 12.5 % share in 3 parts'), 'a 12.5 % share in 3 parts');
  });

  test('lists, reads and searches a tree in a fixed order, without what was installed', () => {
    assert.deepEqual(run.list_files({ path: '.' }).value.map((one) => [one.path, one.lines]), [['src/b/two.rs', 1], ['src/one.rs', 9]]);
    assert.equal(run.read_file({ path: 'src/one.rs', offset: 3, limit: 2 }).value, '    3\tfn f2() {} // /project/src\n    4\tfn f3() {} // /project/src\n(6 more lines)');
    assert.deepEqual(run.read_file({ path: 'nowhere' }), { type: 'error-text', value: 'No such file: nowhere' });
    const found = run.search({ pattern: 'fn (two|f9)', path: '.', max: 1 }).value;
    assert.deepEqual([found.total, found.shown, found.matches[0].file], [2, 1, 'src/b/two.rs']);
  });

  test('a command that fails is an error with its exit code, both streams in order', () => {
    assert.deepEqual(run.bash({ command: 'echo out; echo err >&2; exit 3' }), { type: 'error-text', value: 'out\nerr\n\nexit code 3' });
    assert.deepEqual(run.bash({ command: 'pwd' }), { type: 'text', value: '/project\n' });
  });

  test('the story asks for at least 60 calls on any tree of some size, each with a unique place in it', () => {
    const dirs = ['src/core/measure/', 'src/core/relieve/', 'src/core/transcript/', 'pkg-template/stores/', 'pkg-template/readers/', 'pkg-template/cli/'];
    const names = ['clamp', 'evict', 'config', 'thresholds', 'meter', 'rows', 'usage', 'index'];
    const tree = dirs.flatMap((at) => names.map((name, i) => ({ path: `${at}${name}.${at.startsWith('src') ? 'rs' : 'js'}`, lines: 100 + i, bytes: 4000 })));
    let calls = 0;
    let turns = 0;
    story({ user: () => (turns += 1), say() {}, think() {}, step: (_, wanted) => ((calls += wanted.length), wanted.map(() => ({ matches: [] }))) }, tree);
    assert.ok(calls >= 60, `${calls} calls`);
    assert.equal(turns, 10);
  });
});
