// Instructions that loading and counting take natively, from callgrind: they do not depend on who else is busy, so a
// regression shows without noise. Builds the example program of the crate the way the wasm is built.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { corpora, root } from './corpora.mjs';

/** @returns {Promise<{ load: number, perByte: Record<string, number> } | undefined>} */
export async function instructions() {
  const vocabulary = path.join(process.env.PKG ?? path.join(root, 'pkg'), 'vocab', 'o200k.pairs');
  if (!available() || !existsSync(vocabulary)) return undefined;
  execFileSync('cargo', ['build', '--quiet', '--profile', 'tokens', '--example', 'count_tokens'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const program = path.join(process.env.CARGO_TARGET_DIR ?? path.join(root, 'target'), 'tokens', 'examples', 'count_tokens');
  const folder = mkdtempSync(path.join(tmpdir(), 'tokens-'));
  try {
    const run = (...args) => {
      const out = path.join(folder, 'callgrind.out');
      execFileSync('valgrind', ['--tool=callgrind', `--callgrind-out-file=${out}`, program, vocabulary, ...args], { stdio: 'ignore' });
      return Number(/^(?:summary|totals): (\d+)/m.exec(readFileSync(out, 'utf8'))[1]);
    };
    const load = run();
    const perByte = {};
    for (const { name, text } of corpora({ size: 200_000, data: process.env.DATA || undefined })) {
      const file = path.join(folder, name);
      writeFileSync(file, text);
      perByte[name] = (run(file) - load) / Buffer.byteLength(text);
    }
    return { load, perByte };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function available() {
  try {
    execFileSync('valgrind', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
