// The token counter as its users meet it: exact numbers worked out by the reference tokenizers, any text without a throw,
// memory that does not grow with a text, cuts that fit.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const pkg = process.env.PKG ?? path.join(root, 'pkg');
const load = (/** @type {string} */ file) => import(pathToFileURL(path.join(pkg, file)).href);
const { count, countUpTo, counter, encodingFor, hasVocabulary, loadVocabulary, loadVocabularySync, truncateToTokens } = await load('tokens.js');
const { memory } = await load('tokens/boot.js');
const { bytes, url } = await load('vocab/o200k.js');
const cl100k = await load('vocab/cl100k.js');

describe('before a vocabulary is there', () => {
  test('counting says which call is missing, in a typed error', () => {
    assert.equal(hasVocabulary('o200k'), false);
    assert.throws(() => count('hello'), { name: 'CascadeError', code: 'bad_input', message: /loadVocabulary\('o200k', bytes\)/ });
    assert.throws(() => count('hello', { encoding: 'cl100k' }), { code: 'bad_input', message: /`cl100k` is not loaded/ });
  });

  test('bytes that are no vocabulary, or of another one, are refused', async () => {
    await assert.rejects(loadVocabulary('o200k', new Uint8Array(300)), { code: 'bad_input', message: /o200k\.pairs/ });
    await assert.rejects(loadVocabulary('o200k', cl100k.bytes()), { code: 'bad_input', message: /another encoding/ });
    await assert.rejects(loadVocabulary('o200k', /** @type {any} */ ('text')), { code: 'bad_input' });
    await assert.rejects(loadVocabulary(/** @type {any} */ ('nonsense'), bytes()), { code: 'bad_input', message: /o200k_base/ });
  });

  test('loading lets the event loop run in between', async () => {
    const file = await bytes();
    let turns = 0;
    let longest = 0;
    let last = performance.now();
    let over = false;
    const tick = () => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
      turns += 1;
      if (!over) setImmediate(tick);
    };
    setImmediate(tick);
    await loadVocabulary('o200k', file);
    over = true;
    assert.ok(turns >= 3, `the loop ran ${turns} times`);
    assert.ok(longest < 100, `one slice took ${longest.toFixed(1)} ms`);
    assert.equal(hasVocabulary('o200k_base'), true);
  });
});

describe('counts', () => {
  before(async () => {
    await loadVocabulary('o200k', bytes());
    loadVocabularySync('cl100k', readFileSync(cl100k.url));
  });

  test('known numbers', () => {
    assert.equal(count(''), 0);
    assert.equal(count('hello world'), 2);
    assert.equal(count('a'.repeat(100_000)), 12_500);
    assert.equal(count('_'.repeat(64)), 1);
    assert.equal(count("don't stop", { encoding: 'cl100k_base' }), 3);
    assert.equal(count('hello world', { model: 'openai/gpt-4' }), 2);
  });

  test('the name of a special token is text unless asked for', () => {
    assert.equal(count('<|endoftext|>'), 7);
    assert.equal(count('<|endoftext|>', { special: 'tokens' }), 1);
    assert.equal(count('a<|endoftext|>b', { special: 'tokens' }), 3);
    // Harmony has names of its own, `o200k_base` has not.
    assert.equal(count('<|start|>', { encoding: 'o200k_harmony', special: 'tokens' }), 1);
    assert.equal(count('<|reserved_200013|>', { encoding: 'o200k_harmony', special: 'tokens' }), 1);
    assert.equal(count('<|start|>', { special: 'tokens' }), count('<|start|>'));
  });

  test('several texts and messages are summed', () => {
    assert.equal(count(['hello world', 'hello']), 3);
    const messages = [
      { role: 'user', content: 'hello world' },
      { role: 'assistant', content: [{ type: 'text', text: 'hello' }, { type: 'tool-call', toolCallId: 'call_1', toolName: 'read', input: { path: 'a' } }] },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'call_1', toolName: 'read', output: { type: 'text', value: 'hello world' } }] },
      { role: 'user', content: [{ type: 'image', image: 'QUJD'.repeat(1000) }] },
    ];
    assert.equal(count(messages), 2 + 1 + count('{"path":"a"}') + 2);
    assert.equal(count(messages, { perMessage: 3 }), count(messages) + 12);
    assert.equal(count([{ role: 'assistant', tool_calls: [{ id: 'x', function: { name: 'f', arguments: '{"path":"a"}' } }] }]), count('{"path":"a"}'));
    assert.throws(() => count(/** @type {any} */ (7)), { code: 'bad_input' });
    assert.throws(() => count(/** @type {any} */ ([null])), { code: 'bad_input', message: /input\[0\]/ });
  });

  test('unpaired surrogates, NUL and broken pairs count and do not throw', () => {
    for (const text of ['\ud83d', '\ude00', 'a\ud83db', '\0', '\0'.repeat(1000), '\ufffe', '\u202e', 'x\ud800'.repeat(50)]) assert.ok(count(text) > 0, JSON.stringify(text));
    assert.equal(count('\ud83d'), count('\ufffd'));
  });

  test('a counter gives the same, however the text is cut', () => {
    const text = 'Größe: 日本語 😀👩‍👩‍👧 don’t, isn\'t camelCaseWords\n\n   x=1234567;\n'.repeat(3);
    const whole = count(text);
    for (const size of [1, 2, 3, 7]) {
      const c = counter();
      let soFar = '';
      for (let i = 0; i < text.length; i += size) {
        c.add(text.slice(i, i + size));
        soFar += text.slice(i, i + size);
        if (i % 5 === 0) assert.equal(c.tokens, count(soFar));
      }
      assert.equal(c.tokens, whole);
      c.free();
    }
  });

  test('a long text counts the same in one piece and through the window', () => {
    const part = 'The patient was stable. 患者は安定していた。 ';
    const long = part.repeat(20_000);
    const c = counter();
    for (let i = 0; i < 20_000; i += 1) c.add(part);
    assert.equal(count(long), c.tokens);
    c.free();
  });

  test('countUpTo stops early and is exact within', () => {
    assert.deepEqual(countUpTo('hello world', 2), { within: true, tokens: 2 });
    assert.equal(countUpTo('hello world', 1).within, false);
    const begun = performance.now();
    const answer = countUpTo('word '.repeat(20_000_000), 1000);
    assert.equal(answer.within, false);
    assert.ok(answer.tokens > 1000 && answer.tokens < 100_000);
    assert.ok(performance.now() - begun < 1000);
    assert.throws(() => countUpTo('x', -1), { code: 'bad_input', message: /`limit`/ });
  });
});

describe('hostile sizes', () => {
  test('T-34 a repeated character costs no more than other text', () => {
    const prose = 'the patient was stable. '.repeat(42_000).slice(0, 1_000_000);
    const time = (/** @type {string} */ text) => {
      const from = performance.now();
      count(text);
      return performance.now() - from;
    };
    time(prose);
    const usual = Math.max(10, time(prose));
    for (const unit of ['a', '_', ' ', '^', '-', '=', '\n', '=-', 'AbCd']) {
      const took = time(unit.repeat(1_000_000 / unit.length));
      assert.ok(took < usual * 60, `${JSON.stringify(unit)} took ${took.toFixed(0)} ms, prose ${usual.toFixed(0)} ms`);
    }
  });

  test('one large text with one emoji leaves the memory as it was', () => {
    count('warm');
    const before = memory().buffer.byteLength;
    count(`😀${'word '.repeat(8_000_000)}`);
    count(' '.repeat(5_000_000));
    assert.ok(memory().buffer.byteLength - before < 1_000_000);
  });

  test('two thousand counters, some never freed, share one vocabulary', async () => {
    const before = memory().buffer.byteLength;
    const seen = new Set();
    for (let i = 0; i < 2000; i += 1) {
      await loadVocabulary('o200k', new Uint8Array(0));
      const c = counter();
      c.add('hello world');
      seen.add(c.tokens);
      if (i % 3) c.free();
    }
    assert.deepEqual([...seen], [2]);
    assert.ok(memory().buffer.byteLength - before <= 16 * 65_536);
  });

  test('memory with one vocabulary stays under 16 MB', () => {
    const script = `const { count, loadVocabularySync } = await import(${JSON.stringify(pathToFileURL(path.join(pkg, 'tokens.js')).href)});
      const { memory } = await import(${JSON.stringify(pathToFileURL(path.join(pkg, 'tokens', 'boot.js')).href)});
      loadVocabularySync('o200k', (await import('node:fs')).readFileSync(new URL(${JSON.stringify(url.href)})));
      count('word '.repeat(1e6));
      console.log(memory().buffer.byteLength);`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    assert.ok(Number(stdout) > 0 && Number(stdout) <= 16e6, `${stdout}${stderr}`);
  });
});

describe('truncateToTokens', () => {
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(50);

  test('head, tail and both fit and are as long as they can be', () => {
    assert.equal(truncateToTokens(text, 5), 'The quick brown fox jumps');
    assert.equal(truncateToTokens('hello world', 2), 'hello world');
    assert.equal(truncateToTokens(text, 0), '');
    const tail = truncateToTokens(text, 5, { from: 'tail' });
    assert.ok(text.endsWith(tail) && tail.endsWith('lazy dog. '), tail);
    for (const n of [1, 2, 3, 10, 77, 400]) {
      for (const from of /** @type {const} */ (['head', 'tail', 'both'])) {
        const cut = truncateToTokens(text, n, { from });
        assert.ok(count(cut) <= n, `${from} ${n}: ${count(cut)}`);
      }
      assert.ok(count(truncateToTokens(text, n)) >= n - 1);
    }
    const both = truncateToTokens(text, 40, { from: 'both', share: 0.5, marker: ' [cut] ' });
    assert.match(both, /^The quick.* \[cut\] .*dog\. $/s);
    assert.ok(count(both) >= 36);
  });

  test('a pair is never cut in half', () => {
    const emoji = '😀'.repeat(100);
    for (let n = 1; n < 30; n += 1) {
      for (const from of /** @type {const} */ (['head', 'tail', 'both'])) {
        const cut = truncateToTokens(emoji, n, { from, marker: '…' });
        assert.ok(!/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(cut));
        assert.ok(count(cut) <= n);
      }
    }
  });

  test('a huge text is cut without being counted', () => {
    const huge = 'word '.repeat(20_000_000);
    const begun = performance.now();
    assert.ok(count(truncateToTokens(huge, 1000, { from: 'tail' })) >= 999);
    assert.ok(count(truncateToTokens(huge, 1000)) >= 999);
    assert.ok(performance.now() - begun < 1500);
    assert.throws(() => truncateToTokens('x', 1.5), { code: 'bad_input' });
    assert.throws(() => truncateToTokens(text, 5, { from: /** @type {any} */ ('middle') }), { code: 'bad_input' });
  });
});

test('encodingFor knows OpenAI’s models and no others', () => {
  assert.equal(encodingFor('gpt-5'), 'o200k_base');
  assert.equal(encodingFor('openai/gpt-4o-2024-05-13'), 'o200k_base');
  assert.equal(encodingFor('gpt-oss-20b'), 'o200k_harmony');
  assert.equal(encodingFor('gpt-4-turbo'), 'cl100k_base');
  assert.equal(encodingFor('claude-opus-4'), undefined);
  assert.throws(() => count('x', { model: 'claude-opus-4' }), { code: 'bad_input' });
});

describe('the command', () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'gentle-cascade-count-'));
  after(() => rmSync(dir, { recursive: true }));
  const run = (/** @type {string[]} */ args, /** @type {any} */ input = undefined) => {
    return spawnSync(process.execPath, [path.join(pkg, 'cli.js'), 'count', ...args], { encoding: 'utf8', input, maxBuffer: 1e8 });
  };

  test('counts a file, a gzip file and standard input, and names the vocabulary', () => {
    const plain = path.join(dir, 'a.txt');
    writeFileSync(plain, 'hello world');
    writeFileSync(`${plain}.gz`, gzipSync('hello world'));
    assert.equal(run([plain]).stdout, '2 tokens, 11 bytes (o200k_base)\n');
    assert.deepEqual(JSON.parse(run([`${plain}.gz`, '--json']).stdout), { file: `${plain}.gz`, encoding: 'o200k_base', exact: true, tokens: 2, bytes: 11 });
    assert.equal(JSON.parse(run(['-', '--json'], 'hello world '.repeat(100_000)).stdout).tokens, count('hello world '.repeat(100_000)));
    assert.match(run([plain, '--model', 'claude-opus-4']).stdout, /^~2 tokens.*estimate/);
    assert.equal(JSON.parse(run([plain, '--model', 'gpt-4', '--json']).stdout).encoding, 'cl100k_base');
  });

  test('a file that is not there is bad input', () => {
    const { status, stderr } = run([path.join(dir, 'none.txt')]);
    assert.equal(status, 2);
    assert.match(stderr, /no such file/);
  });
});

test('a vocabulary that comes late counts exactly what a session estimated before, and its real count stays', async () => {
  const text = 'const answer = () => 42; // the quick brown fox 你好 '.repeat(50);
  const script = `
    import { open } from ${JSON.stringify(pathToFileURL(path.join(pkg, 'inline.js')).href)};
    import { loadVocabulary, count } from ${JSON.stringify(pathToFileURL(path.join(pkg, 'tokens.js')).href)};
    import { bytes } from ${JSON.stringify(pathToFileURL(path.join(pkg, 'vocab/o200k.js')).href)};
    const text = ${JSON.stringify(text)};
    const c = await open({ transcript: 't', format: 'ai-sdk', model: { id: 'gpt-5', window: 100000 }, host: {} });
    const messages = [{ role: 'user', content: text }];
    await c.next({ messages });
    await c.settle({ usage: { inputTokens: 1200, outputTokens: 5 } });
    messages.push({ role: 'assistant', content: 'ok' }, { role: 'user', content: text });
    const before = (await c.next({ messages })).occupancy;
    const counter = c.inspect().estimate.counter;
    await loadVocabulary('o200k', await bytes());
    const after = (await c.next({ messages })).occupancy;
    console.log(JSON.stringify({ before, after, counter, now: c.inspect().estimate.counter, text: count(text) }));`;
  const { before, after, counter, now, text: exact } = JSON.parse(spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stdout);
  assert.deepEqual([counter, now], ['classes', 'o200k_base']);
  assert.deepEqual([before.provenance, after.provenance], ['anchored', 'anchored']);
  // 1,200 counted, 5 answered, the new text exactly, and a few tokens around the messages.
  assert.ok(after.tokens >= 1_205 + exact && after.tokens <= 1_205 + exact + 15, `${after.tokens} with a text of ${exact}`);
  assert.notEqual(before.tokens, after.tokens);
});

test('what the core writes itself is counted exactly, too', async () => {
  const { open } = await load('inline.js');
  const brief = '## Objective\nport the parser, keep naïve café 统一码 texts\n\n## Next Step\ngo on with src/lexer/numbers.rs\n';
  const c = await open({ transcript: 't', format: 'ai-sdk', model: { id: 'gpt-4o', window: 20_000, maxOutput: 1_000 }, host: { summarize: () => ({ text: brief }) }, config: { eviction: { enabled: false }, summarize: { keepRecent: 0, keepRounds: 1 } } });
  const output = { type: 'text', value: 'a line of text '.repeat(300) };
  const messages = [{ role: 'user', content: 'go' }, ...Array.from({ length: 6 }, (_, i) => [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: `c${i}`, toolName: 'read', input: {} }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: `c${i}`, toolName: 'read', output }] },
  ]).flat()];
  const { view } = await c.compact({ messages, positions: messages.map((_, i) => i) });
  const own = view[0].content.map((/** @type {{ text: string }} */ part) => part.text);
  assert.ok(own.length === 2 && own[0].includes('统一码') && own[1].startsWith('<standing_orders>'), JSON.stringify(own));
  const items = c.inspect().breakdown.buckets.find((/** @type {{ id: string }} */ b) => b.id === 'messages').items;
  assert.equal(items.find((/** @type {{ label: string }} */ item) => item.label === 'Briefing and notes').tokens, count(own));
  c.close();
});

test('a program that requires the package counts through the counter it imports', () => {
  const script = `const { open } = require(${JSON.stringify(path.join(pkg, 'inline.cjs'))});
    (async () => {
      const { loadVocabulary } = await import(${JSON.stringify(pathToFileURL(path.join(pkg, 'tokens.js')).href)});
      await loadVocabulary('r50k', require('node:fs').readFileSync(${JSON.stringify(path.join(pkg, 'vocab', 'r50k.pairs'))}));
      const c = await open({ transcript: 't', format: 'ai-sdk', model: { id: 'davinci', window: 10000 }, host: {} });
      await c.next({ messages: [{ role: 'user', content: 'hello world' }] });
      const { estimate, breakdown } = c.inspect();
      console.log(estimate.counter, breakdown.buckets.find((b) => b.id === 'messages').items[0].tokens);
    })();`;
  assert.equal(spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).stdout, 'r50k_base 2\n');
});

test('the counter alone, without the core, is what a program downloads: 760 kB with the largest vocabulary', async () => {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({ entryPoints: [path.join(pkg, 'tokens.js')], bundle: true, minify: true, format: 'esm', write: false, metafile: true, conditions: ['workerd'], external: ['*.wasm'] });
  assert.deepEqual(Object.keys(metafile.inputs).filter((file) => file.includes('core_bg')), []);
  const files = [outputFiles[0].contents, readFileSync(path.join(pkg, 'tokens', 'counter_bg.wasm')), readFileSync(new URL(url))];
  const bytes = files.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0);
  assert.ok(bytes > 100_000 && bytes <= 760_000, String(bytes));
});

test('a result is shortened to so many tokens, counted exactly where the vocabulary is there', async () => {
  const { open } = await load('inline.js');
  const { memoryStore } = await load('stores/memory.js');
  const texts = { english: 'The quick brown fox jumps over the lazy dog.\n'.repeat(400), chinese: '统一码是一种字符编码标准。\n'.repeat(400), hex: '9f3a6b1c0d7e'.repeat(600), json: JSON.stringify(Array.from({ length: 400 }, (_, i) => ({ id: i, name: `row ${i}` }))) };
  const c = await open({ transcript: 'dense', format: 'ai-sdk', model: { id: 'gpt-4o', window: 100_000 }, host: memoryStore(), config: { toolOutput: { maxTokens: 800 } } });
  for (const [callId, text] of Object.entries(texts)) {
    assert.ok(count(text) > 1_600, callId);
    const { output, clamped, handle } = await c.result({ callId, tool: 'read', output: text });
    assert.ok(clamped && handle === callId && count(output) <= 800 && count(output) > 550, `${callId}: ${count(output)}`);
    assert.ok(output.includes('read_tool_output'), callId);
    const read = c.tools.find((/** @type {{ name: string }} */ t) => t.name === 'read_tool_output');
    assert.ok((await read.execute({ id: callId, offset: 0, limit: 100 })).startsWith(text.slice(0, 100)), 'the rest is there');
  }
  const small = 'few words';
  assert.equal((await c.result({ callId: 'small', tool: 'read', output: small })).output, small);
  // One that is in the list already is shortened there, and stays as it is in the next view.
  const messages = [{ role: 'user', content: 'go' }, { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'late', toolName: 'read', input: {} }] }, { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'late', toolName: 'read', output: { type: 'text', value: texts.chinese } }] }];
  const [first, second] = [(await c.next({ messages })).view, (await c.next({ messages })).view];
  assert.ok(count(first[2].content[0].output.value) <= 800);
  assert.deepEqual(first, second);
  c.close();
});
