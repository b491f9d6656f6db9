// The types: they compile where they should, refuse what they should, and name what is there.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import * as inline from '../../pkg/inline.js';
import * as pure from '../../pkg/pure.js';
import * as memory from '../../pkg/stores/memory.js';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const work = path.join(root, 'target', 'types');

function compile(config) {
  try {
    return execFileSync(process.execPath, [path.join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', config], { encoding: 'utf8', cwd: root });
  } catch (error) {
    return error.stdout;
  }
}

test('programs that use the package right compile, by name and through its exports; wrong ones do not', () => {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(path.join(work, 'tests', 'node_modules'), { recursive: true });
  cpSync(path.join(root, 'tests', 'types'), path.join(work, 'tests', 'types'), { recursive: true });
  symlinkSync(path.join(root, 'pkg'), path.join(work, 'tests', 'node_modules', 'gentle-cascade'), 'dir');
  symlinkSync(path.join(root, 'pkg'), path.join(work, 'pkg'), 'dir');
  assert.equal(compile(path.join(work, 'tests', 'types', 'tsconfig.json')), '');
});

test('the package checks under checkJs', () => {
  const found = compile(path.join(root, 'tests', 'types', 'tsconfig.js.json')).split('\n');
  // The glue is generated, and checked by its generator.
  assert.deepEqual(found.filter((line) => line.startsWith('pkg/') && !/^pkg\/(core|tokens\/counter)_bg\.(js|wasm\.inline\.js)/.test(line)), []);
});

/** Names a declaration file exports as values, those it takes over included. */
function values(file) {
  const program = ts.createProgram([path.join(root, 'pkg', file)], { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, target: ts.ScriptTarget.ES2023 });
  const checker = program.getTypeChecker();
  const symbol = checker.getSymbolAtLocation(program.getSourceFile(path.join(root, 'pkg', file)));
  return checker.getExportsOfModule(symbol).filter((s) => (s.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(s) : s).flags & ts.SymbolFlags.Value).map((s) => s.name).sort();
}

for (const [file, module] of [['index.d.ts', inline], ['pure.d.ts', pure], ['stores/memory.d.ts', memory]]) {
  test(`${file} names what is there, and nothing else`, () => assert.deepEqual(values(file), Object.keys(module).sort()));
}

for (const name of ['web', 'slim']) {
  test(`${name}.d.ts names what is there`, async () => assert.deepEqual(values(`${name}.d.ts`), Object.keys(await import(`../../pkg/${name}.js`)).sort()));
}

test('whatever `inspect`, `settle` and `next` hand out is typed, key by key', async () => {
  const c = await inline.open({ transcript: 't', model: { id: 'm', window: 10_000, maxOutput: 1_000 }, config: { summarize: { enabled: false }, prices: {} } });
  const list = [{ role: 'user', content: 'go' }];
  for (let i = 0; i < 8; i += 1) {
    list.push({ role: 'assistant', content: [{ type: 'tool-call', toolCallId: `c${i}`, toolName: 'read', input: { path: `f${i}` } }] });
    list.push({ role: 'tool', content: [{ type: 'tool-result', toolCallId: `c${i}`, toolName: 'read', output: { type: 'text', value: `file ${i} `.repeat(700) } }] });
  }
  const before = c.inspect({ rows: true, scale: true });
  const next = await c.next({ messages: list, frame: { system: 's', tools: [{ name: 'a', source: 'x' }, { name: 'b', source: 'x' }] } });
  const settled = await c.settle({ usage: { inputTokens: 3_000 }, error: { code: 'context_length_exceeded' } });
  const inspection = c.inspect({ rows: true });
  const text = ['index.d.ts', 'types.d.ts'].map((file) => readFileSync(path.join(root, 'pkg', file), 'utf8')).join('\n');
  const fields = (/** @type {string} */ name) => new Set([...(text.match(new RegExp(`interface ${name}\\b[^{]*\\{[^]*?\\n\\}`))?.[0] ?? '').matchAll(/^ {2}(?:readonly )?(\w+)\??:/gm)].map((m) => m[1]));
  const untyped = (/** @type {object} */ value, /** @type {string} */ name) => Object.keys(value).filter((key) => !fields(name).has(key));
  for (const [value, name] of [[before, 'Inspection'], [inspection, 'Inspection'], [before.breakdown, 'Breakdown'], [inspection.breakdown, 'Breakdown'], [inspection.thresholds, 'Thresholds'], [settled, 'Settled'], [settled.occupancy, 'Occupancy'], [next, 'Next'], [next.prefix, 'Prefix'], ...inspection.ledger.map((entry) => [entry, 'LedgerEntry']), ...inspection.rows.map((row) => [row, 'RowWeight']), ...inspection.breakdown.buckets.map((bucket) => [bucket, 'Bucket'])]) {
    assert.deepEqual(untyped(value, name), [], name);
  }
  assert.ok(inspection.ledger.some((entry) => entry.state === 'evicted'), 'something happened');
});

test('every member of a session is typed, and every typed one is there', async () => {
  const c = await inline.open({ transcript: 't', model: 'gpt-5' });
  const typed = [...readFileSync(path.join(root, 'pkg', 'index.d.ts'), 'utf8').matchAll(/^ {2}(?:readonly )?(\w+)(?:<[^>]*>)?(?:\(|: readonly |: State)/gm)].map((m) => m[1]);
  const own = Object.getOwnPropertyNames(Object.getPrototypeOf(c)).filter((n) => n !== 'constructor');
  assert.deepEqual(own.filter((n) => !typed.includes(n)), []);
  for (const name of ['next', 'settle', 'result', 'compact', 'tools', 'inspect', 'set', 'rewind', 'unfold', 'state', 'close']) assert.ok(typed.includes(name) && name in c, name);
  c.close();
});

test('every knob is typed with its default, and every typed knob is one', async () => {
  const c = await inline.open({ transcript: 't', model: 'gpt-5' });
  const settings = readFileSync(path.join(root, 'pkg', 'types.d.ts'), 'utf8').split('interface Settings {')[1].split('\n}\n')[0];
  const typed = [...settings.matchAll(/^ {2}(\w+):/gm)].map((m) => m[1]);
  for (const key of typed) c.set({ config: { [key]: null } });
  assert.throws(() => c.set({ config: { nothing: null } }), { code: 'bad_config' });
  c.close();
});
