// `make bench-tokens [DATA=folder] [JSON=1] [ROUNDS=5] [ENGINES=a,b] [SIZE=bytes]`: every counter in a process of its own,
// interleaved round by round, so that a busy neighbour hits all alike; the ratios are medians of the ratios within a round.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { root } from './corpora.mjs';
import { engines } from './engines.mjs';
import { instructions } from './instructions.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const { ROUNDS = '5', SIZE = '600000', RUNS = '5', JSON: asJson, ENGINES } = process.env;
const OURS = 'gentle-cascade';
const names = ENGINES ? [...new Set([OURS, ...ENGINES.split(',')])] : Object.keys(engines);
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/** @type {Record<string, any>[]} */
const rounds = [];
for (let round = 0; round < Number(ROUNDS); round += 1) {
  const results = {};
  for (const name of names) {
    process.stderr.write(`\rround ${round + 1} of ${ROUNDS}: ${name}            `);
    results[name] = JSON.parse(execFileSync(process.execPath, ['--expose-gc', path.join(here, 'worker.mjs'), name, SIZE, RUNS], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));
  }
  rounds.push(results);
}
process.stderr.write('\r                                        \r');

const kinds = Object.keys(rounds[0][OURS].corpora);
const report = { rounds: rounds.length, bytes: Number(SIZE), speed: {}, start: {}, run: {}, memory: {}, tokens: {}, size: sizes(), instructions: await instructions() };
for (const name of names) {
  report.speed[name] = {};
  for (const kind of kinds) {
    const of = (key) => rounds.map((r) => r[name].corpora[kind][key]);
    const ratio = (key) => median(rounds.map((r) => r[OURS].corpora[kind][key] / r[name].corpora[kind][key]));
    report.speed[name][kind] = { fresh: median(of('fresh')), steady: median(of('steady')), timesFresh: ratio('fresh'), timesSteady: ratio('steady') };
  }
  report.start[name] = { ms: median(rounds.map((r) => r[name].start)), times: median(rounds.map((r) => r[name].start / r[OURS].start)) };
  report.run[name] = { bytes: rounds[0][name].run.bytes, ms: median(rounds.map((r) => r[name].run.ms)) };
  report.memory[name] = { rss: median(rounds.map((r) => r[name].memory.rss)), external: median(rounds.map((r) => r[name].memory.external)), heap: median(rounds.map((r) => r[name].memory.heap)) };
  report.tokens[name] = Object.fromEntries(kinds.map((kind) => [kind, rounds[0][name].corpora[kind].tokens]));
}
if (asJson) console.log(JSON.stringify(report));
else print(report);

/** What must be downloaded to count with o200k, gzip -9. */
function sizes() {
  const pkg = process.env.PKG ?? path.join(root, 'pkg');
  const gz = (file) => (existsSync(file) ? gzipSync(readFileSync(file), { level: 9 }).length : undefined);
  return { vocabulary: gz(path.join(pkg, 'vocab', 'o200k.pairs')), wasm: gz(path.join(pkg, 'tokens', 'counter_bg.wasm')) };
}

function print(r) {
  const columns = (cells) => console.log(cells.map((c, i) => (i ? String(c).padStart(15) : String(c).padEnd(16))).join(''));
  const fixed = (x, n = 1) => x.toFixed(n);
  console.log(`\no200k_base, MB/s, medians of ${r.rounds} interleaved rounds over ${r.bytes} bytes a corpus (in brackets: how many times as fast ours is)`);
  for (const key of ['fresh', 'steady']) {
    console.log(`\n${key === 'fresh' ? 'fresh: text never seen before' : 'steady: the same text again'}`);
    columns(['', ...kinds]);
    for (const name of names) {
      columns([name, ...kinds.map((k) => {
        const s = r.speed[name][k];
        const times = key === 'fresh' ? s.timesFresh : s.timesSteady;
        return `${fixed(s[key])}${name === OURS ? '' : ` (${fixed(times, times < 10 ? 2 : 1)})`}`;
      })]);
    }
  }
  console.log('\nstart: import to first count · one run of a character · memory held then (JavaScript heap, wasm and buffers) · growth of the process');
  for (const name of names) {
    columns([name, `${fixed(r.start[name].ms)} ms`, `${fixed(r.run[name].ms)} ms/${r.run[name].bytes / 1000}k`, `${fixed((r.memory[name].heap + r.memory[name].external) / 1e6)} MB`, `${fixed(r.memory[name].rss / 1e6)} MB`]);
  }
  const differing = names.filter((n) => kinds.some((k) => !engines[n].slow && r.tokens[n][k] !== r.tokens[OURS][k]));
  console.log(differing.length ? `\ncounts differ: ${differing.join(', ')}` : '\nall counts are equal');
  console.log(`download, gzip: vocabulary ${r.size.vocabulary} bytes, wasm ${r.size.wasm} bytes (with the JavaScript: make size)`);
  if (r.instructions) {
    console.log(`instructions (callgrind): loading o200k ${fixed(r.instructions.load / 1e6)} M; per byte ${Object.entries(r.instructions.perByte).map(([k, v]) => `${k} ${fixed(v)}`).join(', ')}`);
  } else console.log('instructions: valgrind is not installed, left out');
}
