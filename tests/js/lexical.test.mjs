// The search by words on its own: what is found, and that every runtime ranks alike.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lexicalIndex } from '../../pkg/pure.js';

const over = (rows) => {
  const index = lexicalIndex();
  for (const [position, text] of rows.entries()) index.add(position, text);
  return index;
};

test('rows are found by words, by parts of names and by other forms of a word', () => {
  const index = over(['The gateway listens on 8443', 'see src/core/parseConfigFile.ts', 'Die Übersetzungen liegen in locales', '设定在数据库里', 'unrelated bread recipe']);
  const first = (query) => index.search(query, 1)[0]?.position;
  assert.deepEqual(['which port does the gateway use', 'config parsing', 'eine Übersetzung', '数据库', 'PARSECONFIGFILE'].map(first), [0, 1, 2, 3, 1]);
  assert.deepEqual(index.search('kubernetes', 3), []);
  index.add(0, 'moved away');
  index.remove(1);
  assert.deepEqual([first('gateway'), first('config'), index.size], [undefined, undefined, 4]);
  index.free();
});

test('a quote is one line of at most 240 characters around what was asked', () => {
  const index = over(['x', 'y']);
  const quote = index.snippet(`${'filler words '.repeat(90)}\nThe retry budget is five.\n${'more '.repeat(200)}`, 'what is the retry budget');
  assert.ok(quote.includes('The retry budget is five.') && quote.length <= 240 && !quote.includes('\n'));
  index.free();
});

test('bad input is named', () => {
  const index = lexicalIndex();
  assert.throws(() => index.add(-1, 'x'), { code: 'bad_input', message: /position/ });
  assert.throws(() => index.add(1, 7), { code: 'bad_input', message: /text/ });
  index.free();
});

/** The same corpus, queries and hash are in the core's own test of the index. */
test('t_8 a thousand rankings hash to the same number as natively', () => {
  let seed = 7;
  const word = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    const n = (seed >>> 8) % 900;
    return ['ka', 'lo', 'mi', 'ne', 'ru'][n % 5] + ['ba', 'Du', 'fi', 'go'][n % 4] + (n % 45);
  };
  const index = over(Array.from({ length: 500 }, (_, i) => Array.from({ length: 12 + (i % 7) }, word).join(' ')));
  let hash = 0x811c9dc5;
  for (let q = 0; q < 1_000; q += 1) {
    for (const { position, score } of index.search([word(), word(), word()].join(' '), 10)) {
      for (const c of `${position}:${Math.round(score * 1e6)};`) hash = Math.imul(hash ^ c.charCodeAt(0), 0x01000193) >>> 0;
    }
  }
  assert.equal(hash, 1_317_528_011);
  index.free();
});
