// The command as a person or a script meets it: what goes to which stream, the exit codes, one line of JSON, and a
// report that fits the terminal. The drawing of bars and sparklines is checked value by value.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import stringWidth from 'string-width';
import { readArgs, tokens } from '../../pkg-template/cli/args.js';
import { terminal } from '../../pkg-template/cli/terminal.js';
import { bar, columns, fitted, joined, marks, sparkline, table, wrapped } from '../../pkg-template/cli/draw.js';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const cli = path.join(root, 'pkg', 'cli.js');
const dir = mkdtempSync(path.join(os.tmpdir(), 'gentle-cascade-'));
after(() => rmSync(dir, { recursive: true }));

const file = (name, content) => {
  const at = path.join(dir, name);
  writeFileSync(at, content);
  return at;
};

function run(args, { env = {}, preload } = {}) {
  const options = preload ? ['--import', pathToFileURL(preload).href] : [];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...options, cli, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
    maxBuffer: 1e8,
  });
  return { status, stdout, stderr };
}

/** Twenty rounds of 4,000 characters: over half of a 16,000 token window well before the end. */
const messages = [{ role: 'user', content: 'Bitte lies die Dateien. 请读文件。' }];
for (let i = 1; i <= 20; i += 1) {
  messages.push(
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: `c${i}`, toolName: 'read', input: { path: `src/${i}.rs` } }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: `c${i}`, toolName: 'read', output: { type: 'text', value: `file ${i}: word `.repeat(300).slice(0, 4000) } }] },
  );
}
const session = file('session.json', JSON.stringify({ format: 'ai-sdk', messages }));

describe('streams and exit codes', () => {
  test('--help and --version go to stdout, exit 0; the version is the package’s', () => {
    const help = run(['--help']);
    assert.equal(help.status, 0);
    for (const word of ['inspect', 'replay', 'validate', 'count', '--window', '--json', '--config']) assert.ok(help.stdout.includes(word), word);
    assert.equal(run([]).stdout, help.stdout);
    const { version } = JSON.parse(readFileSync(path.join(root, 'pkg', 'package.json'), 'utf8'));
    assert.equal(run(['--version']).stdout, `${version}\n`);
  });

  const bad = [
    ['no such command', ['inspekt', session], /unknown command "inspekt"/],
    ['no file named', ['inspect'], /expected a FILE/],
    ['two files', ['inspect', session, session], /one FILE, got 2/],
    ['an unknown option', ['replay', session, '--windo', '5'], /--windo/],
    ['a missing value', ['replay', session, '--window'], /--window/],
    ['a window that is no number', ['replay', session, '--window', 'big'], /--window: expected a number of tokens above 0/],
    ['a window of nothing', ['replay', session, '--window', '0'], /--window/],
    ['no window anywhere', ['replay', session], /window/],
    ['a conversation that is none', ['replay', session, '--conversation', 'x'], /--conversation: expected a whole number/],
    ['a file that is not there', ['inspect', path.join(dir, 'nowhere.jsonl')], /nowhere\.jsonl: no such file/],
    ['a directory', ['inspect', dir], /directory/],
    ['a broken file', ['inspect', file('broken.json', '{"format":"ai-sdk","messages":[')], /broken\.json/],
    ['an unknown format', ['inspect', file('other.json', '{"hello":1}')], /other\.json.*expected/is],
    ['an empty file', ['inspect', file('empty.jsonl', '')], /empty\.jsonl/],
    ['a config that is no JSON', ['replay', session, '--window', '16k', '--config', file('c1.json', '{a:1}')], /c1\.json: not JSON/],
    ['a config with a typo', ['replay', session, '--window', '16k', '--config', file('c2.json', '{"eviction":{"atFractoin":0.5}}')], /atFraction/],
    ['a config that is a list', ['replay', session, '--window', '16k', '--config', file('c3.json', '[]')], /JSON object/],
  ];
  for (const [name, args, message] of bad) {
    test(`${name}: exit 2, the reason on stderr, nothing on stdout`, () => {
      for (const more of [[], ['--json']]) {
        const { status, stdout, stderr } = run([...args, ...more]);
        if (name === 'a missing value' && more.length) return; // --json is taken for the value
        assert.deepEqual([status, stdout], [2, ''], stderr);
        assert.match(stderr, message);
        assert.doesNotMatch(stderr, /\n\s+at /, 'no stack trace');
      }
    });
  }

  test('violations: exit 1, listed in the report and in the JSON', () => {
    // The core makes none on purpose, so a replay that found one stands in for it.
    const found = { file: 'f', format: 'ai-sdk', window: 9, config: {}, steps: [], totals: { maxBefore: 0, maxAfter: 0, evictions: 0, clamps: 0, folds: 0, reclaimed: 0, cacheBreaks: 0, cost: 0, costFull: 0, over: 0, handles: { offered: 0, verified: 0 } }, violations: [{ step: 7, invariant: 13, detail: 'row 4 is missing from the ledger' }] };
    const stand = file('stand-in.mjs', `export const replaySession = async () => (${JSON.stringify(found)});`);
    const hooks = `export const resolve = (name, context, next) => name === './replay.js' ? { url: ${JSON.stringify(pathToFileURL(stand).href)}, shortCircuit: true } : next(name, context);`;
    const preload = file('preload.mjs', `import { register } from 'node:module'; register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hooks)}));`);
    const human = run(['replay', session, '--window', '16k'], { preload });
    assert.equal(human.status, 1, human.stderr);
    assert.match(human.stdout, /1 violation\n\s+step 7, invariant 13: row 4 is missing from the ledger/);
    const json = run(['replay', session, '--window', '16k', '--json'], { preload });
    assert.equal(json.status, 1);
    assert.deepEqual(JSON.parse(json.stdout), found);
  });
});

describe('reports', () => {
  test('--json is one line, and the same object whatever the terminal', () => {
    const plain = run(['replay', session, '--window', '16k', '--json']);
    assert.deepEqual([plain.status, plain.stderr], [0, '']);
    assert.equal(plain.stdout.indexOf('\n'), plain.stdout.length - 1);
    const report = JSON.parse(plain.stdout);
    assert.equal(report.window, 16_000);
    assert.equal(report.file, session);
    assert.equal(report.steps.length, 20);
    assert.ok(report.totals.evictions > 0);
    const other = run(['replay', session, '--window', '16_000', '--json'], { env: { TZ: 'Asia/Tokyo', LANG: 'de_DE.UTF-8', COLUMNS: '40', FORCE_COLOR: '1' } });
    assert.equal(other.stdout, plain.stdout);

    const inspected = JSON.parse(run(['inspect', session, '--json']).stdout);
    assert.deepEqual(
      ['file', 'format', 'rows', 'rounds', 'turns', 'window', 'steps', 'estimate', 'breakdown', 'healed'].filter((key) => !(key in inspected)), [],
    );
    assert.deepEqual([inspected.rows, inspected.rounds, inspected.turns], [41, 20, 1]);
  });

  test('a gzipped file is read as well', () => {
    const zipped = file('session.json.gz', gzipSync(readFileSync(session)));
    const { rows } = JSON.parse(run(['inspect', zipped, '--json']).stdout);
    assert.equal(rows, 41);
  });

  test('--conversation picks one of several', () => {
    const several = file('runs.json', JSON.stringify([1, 2].map((n) => ({ traj: [{ role: 'user', content: 'hi' }, ...Array(n).fill({ role: 'assistant', content: 'ho' })] }))));
    const { status, stderr } = run(['inspect', several, '--format', 'openai-chat']);
    assert.equal(status, 2);
    assert.match(stderr, /2 conversations/);
    assert.equal(JSON.parse(run(['inspect', several, '--json', '--format', 'openai-chat', '--conversation', '2']).stdout).rounds, 2);
  });

  test('a config file and --max-output reach the core', () => {
    const config = file('off.json', '{"eviction":{"enabled":false}}');
    const report = JSON.parse(run(['replay', session, '--window', '16k', '--json', '--config', config]).stdout);
    assert.deepEqual([report.totals.evictions, report.config], [0, { eviction: { enabled: false } }]);
    const tight = JSON.parse(run(['replay', session, '--window', '16k', '--json', '--config', config, '--max-output', '8k']).stdout);
    assert.ok(tight.totals.maxAfter < report.totals.maxAfter, 'less room for the request means a smaller one');
  });

  test('--summarize folds with a briefing made by rule, and says how often', () => {
    const plain = JSON.parse(run(['replay', session, '--window', '16k', '--json']).stdout);
    const { status, stdout } = run(['replay', session, '--window', '16k', '--json', '--summarize', '--config', file('fold.json', '{"eviction":{"enabled":false}}')]);
    const { totals, violations } = JSON.parse(stdout);
    assert.deepEqual([status, plain.totals.folds, violations], [0, 0, []]);
    assert.ok(totals.folds > 0 && totals.maxAfter < totals.maxBefore);
    assert.match(run(['replay', session, '--window', '16k', '--summarize', '--config', file('fold.json', '{"eviction":{"enabled":false}}')]).stdout, new RegExp(`Folded +${totals.folds} time`));
  });

  test('the replay report shows the numbers of the JSON, and a clean run says so', () => {
    const { status, stdout } = run(['replay', session, '--window', '16k']);
    const { totals, steps } = JSON.parse(run(['replay', session, '--window', '16k', '--json']).stdout);
    const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
    assert.equal(status, 0);
    assert.ok(stdout.includes(`${grouped(totals.maxBefore)} → ${grouped(totals.maxAfter)}`));
    assert.ok(stdout.includes(`${totals.evictions} results`));
    assert.ok(stdout.includes(`${totals.handles.verified} read back byte for byte`));
    assert.ok(stdout.includes('✓ no violations'));
    const [, drawn] = /^ {2}with {5}(.*)$/m.exec(stdout);
    assert.equal(drawn, sparkline(steps.map((step) => step.after), totals.maxBefore, 69));
    const [, acted] = /^ {11}([ ▴·◆]*▴)$/m.exec(stdout);
    assert.deepEqual([...acted].flatMap((sign, i) => (sign === '▴' ? [i] : [])), steps.flatMap((step) => (step.evicted ? [step.index] : [])));
  });

  test('the inspect report marks an assumed window and names every bucket that holds something', () => {
    const { stdout } = run(['inspect', session]);
    const { breakdown } = JSON.parse(run(['inspect', session, '--json']).stdout);
    assert.match(stdout, /window 128,000 \(assumed\)/);
    for (const bucket of breakdown.buckets.filter(({ tokens: held }) => held > 0)) assert.ok(stdout.includes(bucket.label), bucket.label);
    assert.match(stdout, /no usage to compare/);
  });

  test('no colour in a pipe or under NO_COLOR, colour when forced; no progress bar in a pipe', () => {
    const plain = run(['replay', session, '--window', '16k']);
    assert.doesNotMatch(plain.stdout + plain.stderr, /\u001b/);
    assert.equal(plain.stderr, '');
    const forced = run(['replay', session, '--window', '16k'], { env: { FORCE_COLOR: '1' } });
    assert.match(forced.stdout, /\u001b\[/);
    assert.equal(forced.stdout.replace(/\u001b\[[0-9;]*m/g, ''), plain.stdout, 'colour changes nothing but colour');
    assert.doesNotMatch(run(['replay', session, '--window', '16k'], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } }).stdout, /\u001b/);
    assert.doesNotMatch(run(['replay', session, '--window', '16k', '--no-color'], { env: { FORCE_COLOR: '1' } }).stdout, /\u001b/);
  });

  for (const width of [40, 60, 80, 100]) {
    test(`no line is wider than a terminal of ${width} columns`, () => {
      for (const args of [['inspect', session], ['replay', session, '--window', '16k']]) {
        for (const line of run(args, { env: { COLUMNS: String(width) } }).stdout.split('\n')) {
          assert.ok(stringWidth(line) <= width, `${stringWidth(line)} columns: ${line}`);
        }
      }
    });
  }
});

describe('progress', () => {
  const stream = (isTTY) => {
    const written = [];
    return { isTTY, columns: 80, written, write: (text) => written.push(text), on() {}, once() {}, removeListener() {} };
  };

  test('a bar for people on long work, none in a pipe, none for what is over at once', async () => {
    for (const [isTTY, wait, shown] of [[true, 400, true], [true, 0, false], [false, 400, false]]) {
      const stderr = stream(isTTY);
      const progress = terminal({ stdout: stream(isTTY), stderr, env: {} }).progress('replay');
      await new Promise((resolve) => setTimeout(resolve, wait));
      progress.at(5, 10);
      progress.end();
      assert.equal(stderr.written.join('').includes('5/10 steps'), shown, `tty ${isTTY}, after ${wait} ms`);
    }
  });
});

describe('arguments', () => {
  test('tokens as people write them', () => {
    assert.deepEqual(['64000', '64_000', '64k', '1m', '2K'].map((text) => tokens(text, '--window')), [64_000, 64_000, 64_000, 1_000_000, 2000]);
    for (const text of ['', '0', '-5', '1.5', '64kb', 'k', '9007199254740993']) assert.throws(() => tokens(text, '--window'), /--window/, text);
  });

  test('options before and after the file', () => {
    assert.deepEqual(readArgs(['--json', 'replay', '--window=5k', 'f']).window, 5000);
    assert.equal(readArgs(['replay', 'f', '--json']).json, true);
    assert.equal(readArgs(['count', '-']).file, '-');
  });
});

describe('drawing', () => {
  test('bars grow in eighths, never past their width, and show a sliver of what is above zero', () => {
    assert.equal(bar(8, 8, 4), '████');
    assert.equal(bar(4, 8, 4), '██');
    assert.equal(bar(3, 8, 1), '▍');
    assert.equal(bar(1, 1_000_000, 10), '▏');
    assert.deepEqual([bar(0, 8, 4), bar(-5, 8, 4), bar(5, 0, 4), bar(20, 8, 4)], ['', '', '', '████']);
  });

  test('sparklines: eight levels, the largest value of a column, nothing lost at the ends', () => {
    assert.equal(sparkline([0, 1, 2, 3, 4, 5, 6, 7, 8], 8, 20), '▁▁▂▃▄▅▆▇█');
    assert.deepEqual(columns([1, 9, 2, 3, 8, 1], 3), [9, 3, 8]);
    assert.deepEqual(columns([1, 2, 3, 4, 5], 2), [2, 5]);
    assert.deepEqual([sparkline([], 8, 20), sparkline([0, 0], 0, 20)], ['', '▁▁']);
    assert.equal(marks([0, 0, 1, 0, 2, 0, 0, 0], ['', '·', '▴'], 4), ' ·▴');
  });

  test('tables line up by what is seen, wide characters and colours included', () => {
    const lines = table([['消息', '1,000', 'x'], ['Messages', '5', '\u001b[31mred\u001b[0m']], ['left', 'right', 'left']);
    assert.deepEqual(lines.map((line) => line.replace(/\u001b\[\d+m/g, '')), ['  消息      1,000  x', '  Messages      5  red']);
    assert.deepEqual(table([], ['left']), []);
  });

  test('a long line breaks between its pieces, a long path keeps its end', () => {
    assert.deepEqual(joined(['one', 'two', '', 'three'], 14), ['  one  ·  two', '  three']);
    assert.equal(fitted('/a/very/long/path/session.jsonl', 16), '…h/session.jsonl');
    assert.equal(fitted('short', 16), 'short');
    assert.deepEqual(wrapped('one two three four', 10), ['  one two', '    three', '    four']);
  });
});
