// Prints the size of every entry with all it loads: as it is, gzip -9, brotli 11. Run by `make size`.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const pkg = path.join(root, 'pkg');

/** What a program downloads that imports this entry and nothing else: one minified module. */
async function bundled(entry, conditions) {
  const { outputFiles } = await build({ entryPoints: [path.join(pkg, entry)], bundle: true, minify: true, format: 'esm', write: false, platform: 'neutral', logLevel: 'error', external: ['*.wasm', '*.wasm?module'], ...(conditions && { conditions }) });
  return Buffer.from(outputFiles[0].contents);
}

const wasm = readFileSync(path.join(pkg, 'core_bg.wasm'));
const counter = readFileSync(path.join(pkg, 'tokens', 'counter_bg.wasm'));
const vocabulary = readFileSync(path.join(pkg, 'vocab', 'o200k.pairs'));
const counting = await bundled('tokens.js', ['workerd']);
const rows = [
  ['core_bg.wasm', wasm],
  ['. (wasm inlined)', await bundled('inline.js')],
  ['./web (without wasm)', await bundled('web.js')],
  ['./slim (without wasm)', await bundled('slim.js')],
  ['workerd (without wasm)', await bundled('workerd.js')],
  ['./pure (wasm inlined)', await bundled('pure.js')],
  ['./panel', await bundled('panel.js')],
  ['./readers', await bundled('readers/index.js')],
  ['tokens/counter_bg.wasm', counter],
  ['./tokens (without wasm)', counting],
  ['./tokens (inlined)', await bundled('tokens.js')],
  ['vocab/o200k.pairs', vocabulary],
];
const line = (name, ...numbers) => console.log(name.padEnd(24) + numbers.map((n) => String(n).padStart(10)).join(''));
line('bytes', 'raw', 'gzip', 'brotli');
const packed = (bytes) => [bytes.length, gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes).length];
for (const [name, bytes] of rows) line(name, ...packed(bytes));
const all = [counter, counting, vocabulary].map(packed);
line('counting with o200k', ...[0, 1, 2].map((k) => all.reduce((sum, sizes) => sum + sizes[k], 0)));
