// Prints how often the right older message comes back, and what a search by words costs.

import { lexicalIndex } from '../../pkg/pure.js';
import { askAll, hitRate } from './ask.mjs';
import { minilm } from './minilm.mjs';

const percent = (rate) => `${Math.round(rate * 100)} %`;
const first = (answers) => answers.filter((a) => a.found[0] === a.at).length / answers.length;
const line = (name, answers) => console.log(`  ${name.padEnd(10)} ${percent(hitRate(answers)).padStart(6)}  among three   ${percent(first(answers)).padStart(6)}  in first place`);

console.log('Recall: 50 questions in other words, over a folded conversation');
line('lexical', await askAll({ mode: 'lexical' }));
const model = await minilm();
if ('missing' in model) {
  console.log(`  semantic and hybrid: NOT MEASURED, ${model.missing}`);
} else {
  line('semantic', await askAll({ minScore: 0.25 }, model));
  line('hybrid', await askAll({ mode: 'auto', minScore: 0.25 }, model));
}

/** Rows like those of an agent session: prose, paths and names over a vocabulary with few frequent and many rare words. */
function corpus(rows) {
  let seed = 11;
  const next = () => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  const syllables = ['ka', 'lo', 'mi', 'ne', 'ru', 'ta', 'vo', 'shi', 'per', 'dal', 'gor', 'ent'];
  const word = (n) => syllables[n % 12] + syllables[Math.floor(n / 12) % 12] + syllables[Math.floor(n / 144) % 12] + (n > 1_727 ? String(n) : '');
  const some = () => word(Math.floor(next() ** 3 * 20_000));
  const name = () => `src/${some()}/${some()}${some().replace(/^./, (c) => c.toUpperCase())}.ts`;
  return Array.from({ length: rows }, () => Array.from({ length: 20 + Math.floor(next() * 60) }, () => (next() < 0.05 ? name() : some())).join(' '));
}

const rows = corpus(10_000);
const index = lexicalIndex();
let from = performance.now();
for (const [position, text] of rows.entries()) index.add(position, text);
const built = performance.now() - from;
const queries = rows.filter((_, i) => i % 50 === 0).map((text) => text.split(' ').slice(3, 13).join(' '));
for (const query of queries.slice(0, 50)) index.search(query, 32);
/** The quickest of five: what the search costs, not what else the machine was doing. */
const quickest = (query) => Math.min(...Array.from({ length: 5 }, () => {
  const start = performance.now();
  index.search(query, 32);
  return performance.now() - start;
}));
const times = queries.map(quickest).sort((a, b) => a - b);
const at = (p) => times[Math.floor(p * (times.length - 1))].toFixed(2);
console.log(`\nA query of ten words over 10,000 rows: median ${at(0.5)} ms, 95th percentile ${at(0.95)} ms (${queries.length} queries)`);
console.log(`Indexing: ${(built / rows.length * 1_000).toFixed(0)} µs a row of ${Math.round(rows.reduce((n, r) => n + r.length, 0) / rows.length)} characters`);
index.free();
