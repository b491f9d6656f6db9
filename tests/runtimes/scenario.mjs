// What every runtime is asked to do: rank a thousand queries, count texts, and run a session that clamps, evicts, folds
// and recalls. The answer is a few numbers and hashes; equal hashes mean equal bytes.

import { open } from 'gentle-cascade';
import { count, lexicalIndex } from 'gentle-cascade/pure';
import { memoryStore } from 'gentle-cascade/stores/memory';
import * as tokens from 'gentle-cascade/tokens';

/** FNV-1a over code units. @param {string} text @param {number} [from] */
export function hashed(text, from = 0x811c9dc5) {
  let hash = from;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}

/** A stream of made-up words, the same everywhere. @param {number} seed */
function words(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const n = (state >>> 8) % 900;
    return ['ka', 'lo', 'mi', 'ne', 'ru'][n % 5] + ['ba', 'Du', 'fi', 'go'][n % 4] + (n % 45);
  };
}

/** The same corpus, queries and hash as in the core's own test of its index. */
function rankings() {
  const word = words(7);
  const index = lexicalIndex();
  Array.from({ length: 500 }, (_, i) => index.add(i, Array.from({ length: 12 + (i % 7) }, word).join(' ')));
  let hash = 0x811c9dc5;
  for (let q = 0; q < 1_000; q += 1) {
    for (const { position, score } of index.search([word(), word(), word()].join(' '), 10)) hash = hashed(`${position}:${Math.round(score * 1e6)};`, hash);
  }
  index.free();
  return hash;
}

/** Forty rounds at a small window: the hash of every view, and what became of the rows. */
async function session() {
  const word = words(11);
  const text = (/** @type {number} */ n) => Array.from({ length: n }, word).join(' ');
  /** @type {any[]} */
  const messages = [{ role: 'user', content: 'Read all forty files, then name the one with the odd retry budget 🙂.' }];
  const store = memoryStore();
  const host = { ...store, rows: (/** @type {any} */ { from, to }) => messages.slice(from, to + 1).map((message, i) => ({ position: from + i, message })), summarize: () => ({ text: '## Objective\nFind the odd retry budget.\n\n## Completed Work\nFiles were read in order.\n' }) };
  const cascade = await open({ transcript: 'everywhere', format: 'ai-sdk', model: { id: 'm', window: 12_000, maxOutput: 500 }, host, config: { summarize: { background: false }, retrieval: { enabled: true, mode: 'lexical' }, toolOutput: { maxChars: 6_000 } } });
  let views = 0x811c9dc5;
  let tokens = 0;
  for (let i = 0; i < 40; i += 1) {
    const toolCallId = `c${i}`;
    const { output } = await cascade.result({ callId: toolCallId, tool: 'read', output: { type: 'text', value: `src/file${i}.js\n${text(i % 9 === 4 ? 2_500 : 250)}\nretry budget ${i === 17 ? 'seven' : 'five'}` } });
    messages.push({ role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName: 'read', input: { path: `src/file${i}.js` } }] });
    messages.push({ role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: 'read', output }] });
    if (i % 10 === 9) messages.push({ role: 'assistant', content: [{ type: 'text', text: `Ten more read, ${i + 1} in all.` }] }, { role: 'user', content: `Go on. Which retry budget did src/file${i - 5}.js have?` });
    const next = await cascade.next({ messages, positions: messages.map((_, at) => at) });
    views = hashed(JSON.stringify(next.view), views);
    tokens = next.occupancy.tokens;
    await next.background?.run();
  }
  const relieved = statesOf(cascade);
  const { view, occupancy } = await cascade.compact({ messages, positions: messages.map((_, at) => at) });
  views = hashed(JSON.stringify(view), views);
  tokens = occupancy.tokens;
  const folded = statesOf(cascade);
  cascade.close();
  return { views, tokens, relieved, folded };
}

/** How many rows are in which state. @param {any} cascade @returns {Record<string, number>} */
function statesOf(cascade) {
  /** @type {Record<string, number>} */
  const states = {};
  for (const { state } of cascade.inspect().ledger) states[state] = (states[state] ?? 0) + 1;
  return states;
}

const odd = ['', 'naïve café', '统一码 🙂', '\ud800 half', 'x'.repeat(1_000)];

/** Texts by the counter itself, and a session that counts through it. @param {Uint8Array} vocabulary the bytes of r50k */
async function exact(vocabulary) {
  await tokens.loadVocabulary('r50k', vocabulary);
  const counts = odd.map((one) => tokens.count(one, { encoding: 'r50k' }));
  const cascade = await open({ transcript: 'exact', format: 'ai-sdk', model: { id: 'davinci', window: 8_000, maxOutput: 500 }, host: {} });
  await cascade.next({ messages: odd.map((text, i) => ({ role: i % 2 ? 'assistant' : 'user', content: text || 'hello world' })) });
  const { estimate, breakdown } = cascade.inspect();
  cascade.close();
  return { counts, counter: estimate.counter, buckets: breakdown.buckets };
}

/** Everything, as plain data. @param {Uint8Array} vocabulary the bytes of r50k */
export async function scenario(vocabulary) {
  return { rankings: rankings(), counts: odd.map((one) => count(one).tokens), session: await session(), exact: await exact(vocabulary) };
}
