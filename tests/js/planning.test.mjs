// A session that is planned on from step to step: what it hands out is what a session opened afresh on the same
// list and state would, whatever the host does to its list, its messages and the arrays it was handed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { open } from '../../pkg/inline.js';

const model = { id: 'm', window: 10_000, maxOutput: 500 };
const config = { estimate: { counter: 'chars4' }, eviction: { keepRecentRounds: 1, clearAtLeast: 200 }, summarize: { keepRecent: 2, keepRounds: 1 } };
const summarize = () => '## Objective\nport it\n\n## Next Step\ngo on';

const user = (/** @type {string} */ text) => ({ role: 'user', content: text });
const say = (/** @type {string} */ text) => ({ role: 'assistant', content: [{ type: 'text', text }] });
const result = (/** @type {string} */ value) => ({ type: 'text', value });
/** A call and its result of `chars` characters. @param {number} n @param {number} chars @returns {any[]} */
const round = (n, chars) => [
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId: `c${n}`, toolName: 'read', input: { path: `src/${n}.rs` } }] },
  { role: 'tool', content: [{ type: 'tool-result', toolCallId: `c${n}`, toolName: 'read', output: result(`${n} `.padEnd(chars, 'r')) }] },
];

/** Numbers that look random and are the same in every run. @param {number} seed */
function numbers(seed) {
  let x = seed;
  return (/** @type {number} */ below) => {
    x = (Math.imul(x, 1103515245) + 12345) & 0x7fffffff;
    return (x >>> 8) % below;
  };
}

test('an agent loop planned on shows at every step what one opened cold on the same list shows', async () => {
  for (let seed = 1; seed <= 12; seed += 1) {
    const below = numbers(seed);
    const long = await open({ transcript: 't', format: 'ai-sdk', model, config, host: { summarize } });
    /** @type {any[]} */
    let list = [user('start')];
    let told = /** @type {any} */ (undefined);
    for (let n = 1; n <= 40; n += 1) {
      const act = below(12);
      if (act < 7) list.push(...round(n, 20 + below(3_000)));
      else if (act === 7) list.push(user(`wish ${n}`), say(`done ${n} `.padEnd(below(600) + 12, 's')));
      // The host writes into a message it handed in before, or hands in a copy, or builds its list anew.
      else if (act === 8) list.at(-1).content = [{ type: 'text', text: `rewritten ${n}` }];
      else if (act === 9) list = JSON.parse(JSON.stringify(list));
      else if (act === 10) list = list.slice(0, Math.max(1, list.length - below(6)));
      else list = list.slice();
      if (list.at(-1).role === 'assistant' && list.at(-1).content[0]?.type === 'tool-call') list.pop();
      const { state } = long;
      const cold = await open({ transcript: 't', format: 'ai-sdk', model, config, host: { summarize }, state });
      const ask = act === 11 && n % 3 === 0 ? 'compact' : 'next';
      const [a, b] = [await long[ask]({ messages: list }), await cold[ask]({ messages: list })];
      assert.deepEqual(a.view, b.view, `seed ${seed}, step ${n}`);
      assert.deepEqual(a.recipe, b.recipe, `seed ${seed}, step ${n}`);
      assert.deepEqual(long.inspect().ledger, cold.inspect().ledger);
      // What no op edits is the host's own object.
      for (const { keep } of a.recipe) for (let i = keep?.[0] ?? 0; i < (keep?.[1] ?? 0); i += 1) assert.ok(a.view.includes(list[i]));
      // An array that was handed out is the host's: writing to it changes nothing later.
      told?.view.reverse();
      told?.recipe.splice(0);
      told = a;
      cold.close();
    }
    long.close();
  }
});

test('a message written into is seen: at once among the newest rows and in compact, in turn among the older ones of a long session', async () => {
  const cascade = await open({ transcript: 't', format: 'ai-sdk', model: { id: 'm', window: 10_000_000 }, config });
  const list = [user('start')];
  for (let n = 1; n <= 1_000; n += 1) list.push(...round(n, 40));
  await cascade.next({ messages: list });
  const tokens = async () => (await cascade.next({ messages: list })).occupancy.tokens;
  const before = await tokens();
  list[1_990].content[0].output = result('n'.repeat(4_040));
  assert.equal((await tokens()) - before, 1_000);
  list[10].content[0].output = result('o'.repeat(4_040));
  // 2,001 rows, 448 of the older ones a call.
  let calls = 1;
  while ((await tokens()) - before < 2_000) assert.ok((calls += 1) <= 5, 'seen within five calls');
  list[20].content[0].output = result('p'.repeat(4_040));
  assert.equal((await cascade.compact({ messages: list })).before - before, 3_000);
  cascade.close();
});

test('nothing of the host is kept alive between calls', async () => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  const cascade = await open({ transcript: 't', format: 'ai-sdk', model, config, host: { summarize } });
  const refs = await (async () => {
    const list = [user('start'), ...round(1, 9_000), ...round(2, 9_000), ...round(3, 9_000), user('go on')];
    await cascade.next({ messages: list });
    await cascade.next({ messages: [...list, say('done')] });
    return list.map((message) => new WeakRef(message));
  })();
  // A WeakRef holds its target to the end of the turn.
  await new Promise((resolve) => setTimeout(resolve, 10));
  gc();
  assert.deepEqual(refs.map((ref) => ref.deref()), refs.map(() => undefined));
  cascade.close();
});
