// T-8 and durable decisions: Node, workerd, the edge runtime, Chromium and Firefox rank, count and relieve alike, to the byte. Each runs the
// package as its users get it: resolved by its own conditions and bundled.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { scenario } from './scenario.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const found = (/** @type {(string | undefined)[]} */ ...places) => places.find((place) => place && existsSync(place));
const chromium = found(process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome');
const firefox = found(process.env.FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox');

/** @param {string} source @param {import('esbuild').BuildOptions} options */
async function bundled(source, options) {
  const { outputFiles } = await build({ stdin: { contents: source, resolveDir: here }, bundle: true, write: false, format: 'esm', target: 'es2022', minify: true, outdir: here, loader: { '.pairs': 'binary' }, ...options });
  return outputFiles;
}

/** @type {Awaited<ReturnType<typeof scenario>>} */
let expected;
before(async () => {
  expected = await scenario(readFileSync(path.join(here, 'node_modules/gentle-cascade/vocab/r50k.pairs')));
});

test('the session is one worth comparing: results are cleared, rows are folded, something is left', () => {
  const { relieved, folded, tokens } = expected.session;
  assert.ok(relieved.evicted > 0 && folded.folded > 0 && folded.kept > 0, JSON.stringify(expected.session));
  assert.ok(tokens > 1_000 && tokens < 12_000, String(tokens));
  assert.equal(expected.rankings, 1_317_528_011, 'the number the core computes natively');
  assert.equal(expected.exact.counter, 'r50k_base');
});

test('workerd gives the same bytes', async () => {
  const { Miniflare } = await import('miniflare');
  const files = await bundled("import { scenario } from './scenario.mjs'; import vocabulary from 'gentle-cascade/vocab/r50k.pairs'; export default { async fetch() { return Response.json(await scenario(vocabulary)); } };", { conditions: ['workerd', 'worker'], loader: { '.wasm': 'copy', '.pairs': 'binary' }, assetNames: '[name]' });
  const modules = files.map((file) => ({ type: file.path.endsWith('.wasm') ? 'CompiledWasm' : 'ESModule', path: path.basename(file.path), contents: file.contents })).sort((a) => (a.type === 'ESModule' ? -1 : 1));
  const worker = new Miniflare({ modules, compatibilityDate: '2026-04-01' });
  try {
    assert.deepEqual(await (await worker.dispatchFetch('http://worker.test/')).json(), expected);
  } finally {
    await worker.dispose();
  }
});

test('the edge runtime gives the same bytes, without leave to compile any', async () => {
  const { EdgeRuntime } = await import('edge-runtime');
  // Its bundler turns `?module` into a compiled module; here that is a global the plugin names.
  const compiled = { name: 'compiled', setup(/** @type {import('esbuild').PluginBuild} */ b) {
    b.onResolve({ filter: /\.wasm\?module$/ }, ({ path: name }) => ({ path: name, namespace: 'compiled' }));
    b.onLoad({ filter: /.*/, namespace: 'compiled' }, ({ path: name }) => ({ contents: `export default globalThis.WASM['${path.basename(name, '.wasm?module')}']` }));
  } };
  const [script] = await bundled("import { scenario } from './scenario.mjs'; import vocabulary from 'gentle-cascade/vocab/r50k.pairs'; addEventListener('fetch', (event) => event.respondWith(scenario(vocabulary).then((done) => new Response(JSON.stringify(done)))));", { conditions: ['edge-light'], format: 'iife', plugins: [compiled] });
  const compile = (/** @type {string} */ name) => WebAssembly.compile(readFileSync(path.join(here, 'node_modules/gentle-cascade', name)));
  const WASM = { core_bg: await compile('core_bg.wasm'), counter_bg: await compile('tokens/counter_bg.wasm') };
  const runtime = new EdgeRuntime({ initialCode: script.text, extend: (context) => Object.assign(context, { WASM }), codeGeneration: { strings: false, wasm: false } });
  assert.deepEqual(await (await runtime.dispatchFetch('http://edge.test/')).json(), expected);
});

describe('browsers', () => {
  /** @type {import('node:http').Server} */
  let server;
  let address = '';
  before(async () => {
    const [script] = await bundled("import { scenario } from './scenario.mjs'; import vocabulary from 'gentle-cascade/vocab/r50k.pairs'; globalThis.done = scenario(vocabulary);", { conditions: ['browser'] });
    server = createServer((request, response) => {
      const page = request.url !== '/script.js';
      response.writeHead(200, { 'content-type': page ? 'text/html' : 'text/javascript' });
      response.end(page ? '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="module" src="/script.js"></script>' : script.contents);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    address = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`;
  });
  after(() => server.close());

  for (const [browser, executablePath] of /** @type {const} */ ([['chrome', chromium], ['firefox', firefox]])) {
    const skip = executablePath ? false : `NO ${browser.toUpperCase()} HERE: install one, or name it in ${browser === 'chrome' ? 'CHROMIUM' : 'FIREFOX'}`;
    test(`${browser} gives the same bytes`, { skip }, async () => {
      const { default: puppeteer } = await import('puppeteer-core');
      const running = await puppeteer.launch({ browser, executablePath, headless: true, args: browser === 'chrome' ? ['--no-sandbox'] : [] });
      try {
        const page = await running.newPage();
        await page.goto(address);
        await page.waitForFunction(() => 'done' in globalThis);
        assert.deepEqual(await page.evaluate(() => /** @type {any} */ (globalThis).done), expected);
      } finally {
        await running.close();
      }
    });
  }
});
