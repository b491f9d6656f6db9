// The checks on what a view no longer shows, against views with exactly one thing wrong; and replays where relief
// loses detail, folds again and again, or cannot make a request fit.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { replaySession } from '../../pkg/replay.js';
import { scriptedSummary } from '../../pkg/scripted-summary.js';
import { createChecker } from '../../pkg/violations.js';
import { tailFrom } from '../../pkg/violations/rounds.js';
import { calls, filler, result, rounds, says, user } from './session-kit.mjs';

const head = (text) => ({ role: 'user', content: [{ type: 'text', text }] });

/** Two closed turns and a running one of 12 rounds; rows 1 to 4 dropped behind a line. `change` breaks one thing. */
function step(change = () => {}) {
  const input = [user('first'), ...rounds(3, 400, 'a'), user('second wish'), ...rounds(3, 400, 'b'), user('third'), ...rounds(12, 400, 'c')];
  const line = head('[2 earlier steps left out]');
  const ledger = input.map((_, index) => ({ index, position: index, state: 'kept' }));
  for (let i = 1; i <= 4; i += 1) ledger[i] = { index: i, position: i, state: 'dropped', id: 'rows:1-4', handle: 'rows:1-4' };
  const made = { input, ledger, view: [input[0], line, ...input.slice(5)], recipe: [{ keep: [0, 1] }, { insert: line }, { drop: [1, 5] }, { keep: [5, input.length] }] };
  change(made);
  return made;
}
const wrong = (change, promises) => [...new Set(createChecker(promises).check(step(change)).findings.map((f) => f.invariant))].sort((a, b) => a - b);

/** Hides rows [from, to) as `state`. */
const hide = (from, to, state) => (made) => {
  const stands = head('stands for it');
  made.view = [...made.input.slice(0, from), stands, ...made.input.slice(to)];
  made.recipe = [{ keep: [0, from] }, { insert: stands }, { drop: [from, to] }, { keep: [to, made.input.length] }];
  for (const entry of made.ledger) {
    delete entry.id;
    delete entry.handle;
    entry.state = 'kept';
    if (entry.index >= from && entry.index < to) Object.assign(entry, { state, id: 'x', ...(state === 'folded' ? {} : { loss: 'no_store' }) });
  }
};

describe('checks on what was removed', () => {
  test('a right group line passes', () => assert.deepEqual(wrong(), []));

  test('3: the tail is 8 messages and 2 closed rounds, whichever keeps more, and what is unread', () => {
    const { input } = step();
    assert.equal(tailFrom(input, { keepRecent: 8, keepRounds: 2 }), input.length - 8);
    assert.equal(tailFrom(input, { keepRecent: 0, keepRounds: 2 }), input.length - 4);
    assert.equal(tailFrom(input, { keepRecent: 0, keepRounds: 0 }), input.length - 1, 'the last result is unread');
    assert.equal(tailFrom([...input, calls('open')], { keepRecent: 0, keepRounds: 0 }), input.length);
  });

  test('3: a fold that reaches into the tail, and one of the same size where the tail may be small', () => {
    const { length } = step().input;
    assert.deepEqual(wrong(hide(0, length - 8, 'folded')), []);
    assert.deepEqual(wrong(hide(0, length - 6, 'folded')), [3]);
    assert.deepEqual(wrong(hide(0, length - 6, 'folded'), { keepRecent: 6 }), []);
    assert.deepEqual(wrong(hide(0, length - 6, 'folded'), { tailTokens: 100, tokens: () => 100 }), [], 'a tail above its bound may shrink');
    assert.deepEqual(wrong(hide(0, length - 1, 'folded'), { tailTokens: 100, tokens: () => 100 }), [1, 3], 'to one closed round');
  });

  test('3: steps are dropped from closed turns only, and never a user row', () => {
    assert.deepEqual(wrong(hide(15, 17, 'dropped')), [3]);
    assert.deepEqual(wrong(hide(7, 8, 'dropped')), [3]);
  });

  test('3: the middle of a running turn leaves two rounds in front and three behind', () => {
    assert.deepEqual(wrong(hide(19, 33, 'digested')), []);
    assert.deepEqual(wrong(hide(17, 33, 'digested')), [3]);
    assert.deepEqual(wrong(hide(19, 35, 'digested')), [3]);
  });

  test('4: a row that was gone does not come back', () => {
    const checker = createChecker();
    assert.deepEqual(checker.check(step()).findings, []);
    const whole = step((made) => {
      made.view = made.input;
      made.recipe = [{ keep: [0, made.input.length] }];
      made.ledger = made.input.map((_, index) => ({ index, state: 'kept' }));
    });
    assert.deepEqual([...new Set(checker.check(whole).findings.map((f) => f.invariant))], [4]);
  });

  test('5 and 13: a handle or a loss, a handle that covers the row, a name for what stands there', () => {
    assert.deepEqual(wrong((made) => delete made.ledger[2].handle), [5]);
    assert.deepEqual(wrong((made) => (made.ledger[2].loss = 'no_store')), [5]);
    assert.deepEqual(wrong((made) => (made.ledger[2].handle = 'rows:3-4')), [13]);
    assert.deepEqual(wrong((made) => delete made.ledger[2].id), [13]);
  });

  test('8: the newest hidden words of the user stay, as many as there is room for', () => {
    const promises = { orderTokens: 20, tokens: (row) => (row === 7 ? 15 : 1) };
    const carry = (text) => (made) => {
      hide(0, 14, 'folded')(made);
      made.view[0] = head(text);
    };
    assert.deepEqual(wrong(carry('orders: first, second wish'), promises), []);
    assert.deepEqual(wrong(carry('orders: first'), promises), [8]);
    assert.deepEqual(wrong(carry('orders: second wish'), { ...promises, orderTokens: 15 }), [], 'no room for the older one');
  });
});

describe('replay with loss', () => {
  const session = (messages) => ({ format: 'ai-sdk', model: {}, rows: messages.map((message) => ({ message })), segments: [], steps: messages.flatMap((message, row) => (message.role === 'assistant' && row > 0 ? [{ row }] : [])) });
  const long = () => session([...Array.from({ length: 12 }, (_, t) => [user(`wish ${t}: make src/part${t}.rs better`), ...rounds(10, 1_600, `t${t}-`), says(`did ${t}`)]).flat()]);
  const config = { estimate: { counter: 'chars4' } };

  test('without a summarizer the cascade keeps every request small, and every row is accounted for', async () => {
    const { totals, violations } = await replaySession(long(), { window: 10_000, maxOutput: 1_000, config });
    assert.deepEqual(violations, []);
    assert.ok(totals.maxBefore > 40_000 && totals.maxAfter < 8_100 && totals.drops > 0 && totals.folds === 0);
    assert.equal(totals.over, 0);
  });

  test('with one it folds again and again, the same every time', async () => {
    const run = () => replaySession(long(), { window: 10_000, maxOutput: 1_000, config: { ...config, eviction: { enabled: false } }, summarize: true });
    const report = await run();
    assert.deepEqual(report.violations, []);
    assert.ok(report.totals.folds >= 3, `${report.totals.folds} folds`);
    assert.deepEqual(await run(), report);
  });

  test('what cannot fit is counted, and the replay goes on', async () => {
    const messages = [user('go'), calls('x'), result('x', filler(40)), says('now this'), user('y'.repeat(60_000)), says('too much'), user('and'), says('on')];
    const { steps, totals } = await replaySession(session(messages), { window: 10_000, maxOutput: 1_000, config: { ...config, orders: { enabled: false } }, summarize: true });
    assert.equal(steps.length, 4);
    assert.ok(totals.over >= 1 && steps[2].after > 15_000 && steps[2].before === steps[2].after, JSON.stringify(steps));
    assert.ok(steps[0].after < 100);
  });

  test('the scripted briefing merges with the one before and stays bounded', () => {
    const covered = (n) => `[user, row ${n}]\nfix src/a${n}.rs please\n\n[assistant, row ${n + 1}]\nfixed src/b${n}.rs`;
    let { text } = scriptedSummary({ covered: covered(0) });
    assert.ok(text.includes('fix src/a0.rs please') && text.includes('- src/b0.rs'));
    for (let n = 1; n < 200; n += 1) ({ text } = scriptedSummary({ previous: text, covered: covered(n) }));
    assert.ok(text.includes('fix src/a0.rs please') && text.includes('src/b199.rs') && !text.includes('src/b100.rs') && text.length < 4_000);
  });
});
