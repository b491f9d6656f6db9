// The events of a whole recorded session, as lines of JSON.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { EVENTS, eventFrom } from '../../pkg/events.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const cli = (...args) => execFileSync(process.execPath, [`${root}pkg/cli.js`, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

test('replay --events prints every event of the bundled session, folds included, the same each time but for durations', () => {
  const lines = cli('replay', `${root}sample/session.json`, '--window', '32000', '--events').trim().split('\n');
  const events = lines.map((line) => JSON.parse(line));
  assert.deepEqual(events.map((e) => e.seq), events.map((_, i) => i + 1));
  assert.ok(events.every((e) => e.type in EVENTS && eventFrom(JSON.stringify(e)) !== null));
  const count = (type) => events.filter((e) => e.type === type).length;
  assert.ok(count('context.usage') > 10 && count('context.evicted') > 0 && count('context.folded') > 0);
  assert.equal(count('context.folding'), count('context.folded') + count('context.declined'));
  for (const e of events.filter((e) => e.type === 'context.folded')) assert.ok(e.after < e.before);
  const again = cli('replay', `${root}sample/session.json`, '--window', '32000', '--events').trim().split('\n').map((line) => JSON.parse(line));
  const timeless = (list) => list.map(({ ms: _ms, ...event }) => event);
  assert.deepEqual(timeless(again), timeless(events));
});

test('--events without a window that is known, or elsewhere than at replay, is explained', () => {
  assert.throws(() => cli('replay', `${root}sample/session.json`, '--events'), (e) => e.status === 2 && /window/.test(e.stderr));
  assert.throws(() => cli('count', `${root}sample/session.json`, '--events'), (e) => e.status === 2 && /--events belongs to replay/.test(e.stderr));
});
