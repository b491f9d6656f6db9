// One counter in one process: start, then for every corpus three passes over other text of the kind, one over text it
// has never seen (fresh), and more over the same (steady, median). Prints one line of JSON.

import { corpora } from './corpora.mjs';
import { engines } from './engines.mjs';

const [name, size, runs] = process.argv.slice(2);
const engine = engines[name];
globalThis.gc?.();
const before = process.memoryUsage();
const begun = performance.now();
const count = await engine.open();
const hello = count('hello world');
const start = performance.now() - begun;
globalThis.gc?.();
const after = process.memoryUsage();

const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
const runOfA = 'a'.repeat(engine.slow ? 2_000 : 20_000);
const timed = (text) => {
  const from = performance.now();
  const tokens = count(text);
  return { ms: performance.now() - from, tokens };
};
const out = { name, start, hello, memory: { rss: after.rss - before.rss, external: after.external - before.external, heap: after.heapUsed - before.heapUsed }, corpora: {} };
const firstRun = timed(name === 'gentle-cascade' || name === 'hypertok' ? 'a'.repeat(100_000) : runOfA);
out.run = { bytes: name === 'gentle-cascade' || name === 'hypertok' ? 100_000 : runOfA.length, ms: firstRun.ms };
for (const { name: corpus, warm, text } of corpora({ size: engine.slow ? Math.min(Number(size), 100_000) : Number(size), data: process.env.DATA || undefined })) {
  for (let i = 0; i < 3; i += 1) count(warm);
  const bytes = Buffer.byteLength(text);
  const fresh = timed(text);
  const steady = median(Array.from({ length: Number(runs) }, () => timed(text).ms));
  out.corpora[corpus] = { bytes, tokens: fresh.tokens, fresh: bytes / fresh.ms / 1000, steady: bytes / steady / 1000 };
}
console.log(JSON.stringify(out));
