// Prints the size of every entry with all it loads: as it is, gzip -9, brotli 11. Run by `make size`.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const pkg = path.join(root, 'pkg');

/** What a program downloads that imports this entry and nothing else: one minified module. */
async function bundled(entry) {
  const { outputFiles } = await build({ entryPoints: [path.join(pkg, entry)], bundle: true, minify: true, format: 'esm', write: false, platform: 'neutral', logLevel: 'error', external: ['*.wasm', '*.wasm?module'] });
  return Buffer.from(outputFiles[0].contents);
}

const wasm = readFileSync(path.join(pkg, 'core_bg.wasm'));
const rows = [
  ['core_bg.wasm', wasm],
  ['. (wasm inlined)', await bundled('inline.js')],
  ['./web (without wasm)', await bundled('web.js')],
  ['./slim (without wasm)', await bundled('slim.js')],
  ['workerd (without wasm)', await bundled('workerd.js')],
  ['./pure (wasm inlined)', await bundled('pure.js')],
  ['./panel', await bundled('panel.js')],
  ['./readers', await bundled('readers/index.js')],
];
const line = (name, ...numbers) => console.log(name.padEnd(24) + numbers.map((n) => String(n).padStart(10)).join(''));
line('bytes', 'raw', 'gzip', 'brotli');
for (const [name, bytes] of rows) line(name, bytes.length, gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes).length);
