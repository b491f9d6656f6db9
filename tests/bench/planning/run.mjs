// What a step costs to plan: `next` and `settle` of a session that grows by a round per step, by length.
//
// Prints median and 95th percentile per step and what stands around it: the first `next` after `open`, a list
// whose objects are fresh copies, and `validate`. Sizes take turns step by step, so that a busy machine
// slows all of them alike. --json prints the numbers and nothing else.

import { open } from '../../../pkg/inline.js';
import { formatByName } from '../../../pkg/formats/index.js';
import { pushHistory } from '../../../pkg/judge/push.js';
import { validate } from '../../../pkg/pure.js';
import { scriptedSummary } from '../../../pkg/scripted-summary.js';
import { memoryStore } from '../../../pkg/stores/memory.js';
import { FORMATS, session } from './sessions.mjs';

const asked = process.argv.find((a) => a.startsWith('--sizes='))?.slice('--sizes='.length);
const SIZES = asked ? asked.split(',').map(Number) : [1_000, 3_000, 10_000, 30_000];
/** Of the other formats, enough to see whether they differ. */
const FEWER = asked ? SIZES : [1_000, 10_000];
const only = process.argv.find((a) => a.startsWith('--only='))?.slice('--only='.length);
const STEPS = 200;
const WARM = 20;
const COPIES = 8;

/** @param {number[]} times @param {number} share */
const at = (times, share) => times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))];
const ms = (/** @type {number} */ n) => Math.round(n * 1000) / 1000;

/** Nothing is ever relieved. */
const growing = () => ({ model: { id: 'bench', window: 1_000_000_000 }, config: {} });
/** Half of the results are stubs and a quarter of the rows is folded; passes go on as the session grows. @param {number} tokens what the session weighs */
const relieved = (tokens) => ({
  model: { id: 'bench', window: Math.floor(tokens * 1.5) },
  config: { eviction: { atFraction: 0.45, toFraction: 0.4 }, summarize: { softFraction: 0.98, hardFraction: 0.99, keepRecent: 8 } },
});

/** A warm session of this size. @param {string} format @param {number} size @param {'growth' | 'relief'} regime */
async function warm(format, size, regime) {
  const { list, grow } = session(format, size);
  const host = { ...memoryStore(), summarize: scriptedSummary };
  let setup = growing();
  if (regime === 'relief') {
    const probe = await open({ transcript: 'probe', format, ...growing() });
    setup = relieved((await probe.next({ messages: list })).occupancy.tokens);
    probe.close();
  }
  const started = performance.now();
  const cascade = await open({ transcript: `bench-${format}-${size}-${regime}`, format, host, ...setup });
  if (regime === 'relief') await cascade.compact({ messages: list.slice(0, Math.floor(size / 4)) });
  const first = await cascade.next({ messages: list });
  const cold = performance.now() - started;
  await cascade.settle({ usage: { inputTokens: first.occupancy.tokens } });
  return { cascade, list, grow, cold, next: [], settle: [], first };
}

/** @param {any} run @param {boolean} counts */
async function step(run, counts) {
  run.grow();
  const start = performance.now();
  const next = await run.cascade.next({ messages: run.list });
  const planned = performance.now();
  await run.cascade.settle({ usage: { inputTokens: next.occupancy.tokens, outputTokens: 200 } });
  const settled = performance.now();
  if (!counts) return;
  run.next.push(planned - start);
  run.settle.push(settled - planned);
}

/** @param {string} format @param {'growth' | 'relief'} regime */
async function measure(format, regime) {
  const runs = [];
  for (const size of format === 'ai-sdk' ? SIZES : FEWER) runs.push({ size, ...(await warm(format, size, regime)) });
  for (let i = 0; i < WARM + STEPS; i += 1) for (const run of runs) await step(run, i >= WARM);
  const rows = [];
  for (const run of runs) {
    const { recipe } = await run.cascade.next({ messages: run.list });
    const copies = [];
    for (let i = 0; i < (regime === 'growth' ? COPIES : 0); i += 1) {
      run.grow();
      const messages = JSON.parse(JSON.stringify(run.list));
      const start = performance.now();
      await run.cascade.next({ messages });
      copies.push(performance.now() - start);
    }
    rows.push({
      format,
      regime,
      messages: run.size,
      edits: recipe.filter((op) => op.edit !== undefined).length,
      nextMedian: ms(at(run.next, 0.5)),
      nextP95: ms(at(run.next, 0.95)),
      settleMedian: ms(at(run.settle, 0.5)),
      settleP95: ms(at(run.settle, 0.95)),
      first: ms(run.cold),
      ...(copies.length > 0 && { copies: ms(at(copies, 0.5)) }),
    });
    run.cascade.close();
  }
  return rows;
}

/** Milliseconds to validate a list, and to read it alone. @param {string} format @param {number} size */
function validating(format, size) {
  const { list } = session(format, size);
  const form = formatByName(format);
  // Everything up to the core: a reader that hands the rows on to nobody.
  const nobody = { row() {}, part() {}, named() {}, caller() {} };
  /** @type {number[][]} */
  const [whole, reading] = [[], []];
  for (let i = -10; i < 40; i += 1) {
    const start = performance.now();
    validate(list, format);
    const validated = performance.now();
    pushHistory(nobody, list, form);
    if (i < 0) continue;
    whole.push(validated - start);
    reading.push(performance.now() - validated);
  }
  return { format, messages: size, validate: ms(at(whole, 0.5)), reading: ms(at(reading, 0.5)) };
}

const json = process.argv.includes('--json');
const rows = [];
const print = (/** @type {any[]} */ cells) => json || console.log(cells.map((c, i) => (i < 2 ? String(c).padEnd(12) : String(c).padStart(11))).join(''));
print(['format', 'regime', 'messages', 'stubs', 'next p50', 'next p95', 'settle p50', 'settle p95', 'first', 'copies']);
for (const format of Object.keys(FORMATS)) {
  for (const regime of /** @type {const} */ (['growth', 'relief'])) {
    if (only && only !== `${format}:${regime}`) continue;
    for (const row of await measure(format, regime)) {
      rows.push(row);
      print([row.format, row.regime, row.messages, row.edits, row.nextMedian, row.nextP95, row.settleMedian, row.settleP95, row.first, row.copies ?? '']);
    }
  }
}
const validated = only ? [] : Object.keys(FORMATS).map((format) => validating(format, 10_000));
for (const v of validated) print(['validate', v.format, v.messages, `${v.validate} ms, ${v.reading} of them to read the messages`]);
if (json) console.log(JSON.stringify([...rows, ...validated]));
else console.log('\nMilliseconds. `first`: open and the first next (with a fold in the second regime); `copies`: a next over fresh copies of all messages.');
