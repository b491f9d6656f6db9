// The package as it is installed: packed, installed without a network, imported, required, bundled, run as a command.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const pkg = path.join(root, 'pkg');
const manifest = JSON.parse(readFileSync(path.join(pkg, 'package.json'), 'utf8'));
const work = mkdtempSync(path.join(os.tmpdir(), 'gentle-cascade-install-'));
after(() => rmSync(work, { recursive: true, force: true }));

const npm = (args, cwd) => execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, npm_config_update_notifier: 'false', npm_config_audit: 'false', npm_config_fund: 'false' } });
const node = (args) => execFileSync(process.execPath, args, { cwd: work, encoding: 'utf8' });

/** @type {string[]} */
let packed;
before(() => {
  const [{ filename, files }] = JSON.parse(npm(['pack', '--json', '--pack-destination', work], pkg));
  packed = files.map((f) => f.path);
  writeFileSync(path.join(work, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  npm(['install', `./${filename}`, '--offline', '--no-package-lock'], work);
});

const USE = `const c = await open({ transcript: 't', model: { id: 'm', window: 10_000 } });
const { view } = await c.next({ messages: [{ role: 'user', content: 'hi' }] });
console.log(view[0].content, c.inspect().window.tokens, version());`;

test('it has no dependencies, and its version is that of the crate', () => {
  assert.equal(manifest.dependencies, undefined);
  const crate = /^version = "(.+)"$/m.exec(readFileSync(path.join(root, 'Cargo.toml'), 'utf8'))[1];
  assert.equal(manifest.version, crate);
  for (const name of ['README.md', 'LICENSE', 'CHANGELOG.md']) assert.ok(packed.includes(name), name);
  assert.deepEqual(packed.filter((f) => /(^|\/)(build\.mjs|.*\.test\..*)$/.test(f)), []);
});

test('every entry of `exports` is in the package, its types too', () => {
  const targets = (entry) => (typeof entry === 'string' ? [entry] : Object.values(entry).flatMap(targets));
  const all = Object.values(manifest.exports).flatMap(targets).concat(Object.values(manifest.imports).flatMap(targets), manifest.main, manifest.types, Object.values(manifest.bin), manifest.sideEffects);
  const there = (f) => (f.includes('*') ? packed.some((p) => p.startsWith(f.slice(2, f.indexOf('*'))) && p.endsWith(f.slice(f.indexOf('*') + 1))) : packed.includes(f.replace(/^\.\//, '')));
  assert.deepEqual(all.filter((f) => !there(f)), []);
});

test('`import` and `require` work, and give one and the same module where the runtime can', () => {
  writeFileSync(path.join(work, 'a.mjs'), `import { open, version } from 'gentle-cascade';\n${USE}`);
  assert.equal(node(['a.mjs']), `hi 10000 ${manifest.version}\n`);
  writeFileSync(path.join(work, 'b.cjs'), `const { open, version } = require('gentle-cascade');\n(async () => { ${USE} })();`);
  assert.equal(node(['--no-warnings', 'b.cjs']), `hi 10000 ${manifest.version}\n`);
  writeFileSync(path.join(work, 'c.cjs'), `const { open, version } = require('gentle-cascade/../inline.cjs');\n`.replace('gentle-cascade/../inline.cjs', './node_modules/gentle-cascade/inline.cjs') + `(async () => { ${USE} })();`);
  assert.equal(node(['c.cjs']), `hi 10000 ${manifest.version}\n`);
});

test('sub-paths import by name', () => {
  const names = ['pure', 'web', 'slim', 'stores/memory', 'panel', 'readers', 'replay', 'inspect', 'tokens'];
  writeFileSync(path.join(work, 'd.mjs'), `for (const n of ${JSON.stringify(names)}) if (!Object.keys(await import('gentle-cascade/' + n)).length) throw new Error(n);
import { plan } from 'gentle-cascade/pure';
console.log(plan({ messages: [{ role: 'user', content: 'x' }], model: { window: 1000 } }).view.length);`);
  assert.equal(node(['d.mjs']), '1\n');
});

test('`slim` takes the wasm that comes along, and says so when it is missing', () => {
  writeFileSync(path.join(work, 'e.mjs'), `import { readFileSync } from 'node:fs';
import { open, version, init, initSync } from 'gentle-cascade/slim';
let told; try { version(); } catch (e) { told = e.message; }
if (!/call \`await init\\(\\)\` before/.test(told)) throw new Error(told);
const bytes = readFileSync(new URL(import.meta.resolve('gentle-cascade/core.wasm')));
await init(new WebAssembly.Module(bytes)); initSync(bytes); await init(bytes);
${USE}`);
  assert.equal(node(['e.mjs']), `hi 10000 ${manifest.version}\n`);
});

test('the command runs', () => {
  const bin = path.join(work, 'node_modules', '.bin', 'gentle-cascade');
  assert.ok(existsSync(bin));
  assert.equal(node([path.join(work, 'node_modules', 'gentle-cascade', 'cli.js'), '--version']), `${manifest.version}\n`);
});

async function bundle(name, source, options) {
  const entry = path.join(work, `${name}.src.mjs`);
  writeFileSync(entry, source);
  const outfile = path.join(work, `${name}.out.mjs`);
  await build({ entryPoints: [entry], bundle: true, format: 'esm', outfile, logLevel: 'silent', absWorkingDir: work, ...options });
  return outfile;
}

test('a bundler keeps the loading of the wasm, and leaves the rest out of what does not need it', async () => {
  const out = await bundle('app', `import { open, version } from 'gentle-cascade';\n${USE}`, { platform: 'neutral', minify: true });
  rmSync(path.join(work, 'alone'), { recursive: true, force: true });
  assert.equal(node([out]), `hi 10000 ${manifest.version}\n`);
  const panel = await bundle('panel', `import * as panel from 'gentle-cascade/panel';\nconsole.log(Object.keys(panel).length > 0);`, { platform: 'browser', minify: true });
  assert.ok(statSync(panel).size < 60_000, `${statSync(panel).size} bytes`);
  assert.equal(readFileSync(panel, 'utf8').includes('WebAssembly'), false, 'the panel needs no wasm');
});

for (const [condition, suffix] of [['workerd', ''], ['edge-light', '?module']]) {
  test(`the ${condition} entry imports the wasm as a module and compiles nothing`, async () => {
    // What such a runtime does, in a few words: an import of the file is a compiled module, compiling bytes is forbidden.
    const plugin = {
      name: 'module',
      setup(b) {
        b.onResolve({ filter: /\.wasm(\?module)?$/ }, (a) => {
          assert.ok(a.path.endsWith(`.wasm${suffix}`));
          return { path: path.join(a.resolveDir, a.path.replace('?module', '')), namespace: 'wasm' };
        });
        b.onLoad({ filter: /.*/, namespace: 'wasm' }, (a) => ({ contents: `export default globalThis.compiled(${JSON.stringify(a.path)})`, loader: 'js' }));
      },
    };
    const source = `import { open, version } from 'gentle-cascade';\nimport { plan } from 'gentle-cascade/pure';\n${USE}\nplan({ messages: [], model: 'm' });`;
    const out = await bundle(condition, source, { platform: 'neutral', conditions: [condition], plugins: [plugin] });
    writeFileSync(path.join(work, `${condition}.run.mjs`), `import { readFileSync } from 'node:fs';
const Module = WebAssembly.Module;
globalThis.compiled = (file) => new Module(readFileSync(file));
WebAssembly.compile = WebAssembly.instantiate = () => { throw new Error('Wasm code generation disallowed by embedder'); };
await import(${JSON.stringify(pathToFileURL(out).href)});`);
    assert.equal(node([`${condition}.run.mjs`]), `hi 10000 ${manifest.version}\n`);
    assert.ok(statSync(out).size < statSync(path.join(pkg, 'core_bg.wasm')).size, 'nothing is inlined');
  });
}

test('no path of the building machine is in the package', () => {
  const home = os.homedir();
  const cargo = process.env.CARGO_HOME ?? path.join(home, '.cargo');
  const registries = existsSync(path.join(cargo, 'registry', 'src')) ? readdirSync(path.join(cargo, 'registry', 'src')) : [];
  const forbidden = [root, cargo, ...registries, ...(home === '/' ? [] : [`${home}/`]), 'rustup/toolchains'];
  for (const file of readdirSync(pkg, { recursive: true }).map(String)) {
    const at = path.join(pkg, file);
    if (!statSync(at).isFile()) continue;
    const text = readFileSync(at, 'latin1');
    for (const word of forbidden) assert.ok(!text.includes(word), `${file} names ${word}`);
  }
});
