// The checks that replay runs on every view, against views with exactly one thing wrong; the replay and inspect
// objects on small sessions with hand-worked numbers; and real sessions where they are at hand.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { open } from '../../pkg/inline.js';
import { calibrate, percentile, segmentsWithSteps } from '../../pkg/calibrate.js';
import { inspectSession } from '../../pkg/inspect.js';
import { readSession } from '../../pkg/readers/index.js';
import { replaySession, requestCost } from '../../pkg/replay.js';
import { checkSecondPass, createChecker, origins } from '../../pkg/violations.js';
import { protectedFrom } from '../../pkg/violations/rounds.js';
import { outputText, same } from '../../pkg/violations/texts.js';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const shared = path.join(process.env.GENTLE_SHARED ?? path.join(root, '..', 'shared'), 'data');

const user = (text) => ({ role: 'user', content: text });
const call = (...ids) => ({ role: 'assistant', content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'read', input: {} })) });
const answer = (id, value, type = 'text') => ({ type: 'tool-result', toolCallId: id, toolName: 'read', output: { type, value } });
const result = (...parts) => ({ role: 'tool', content: parts });

/** Five closed rounds, the last of them unread; every result 400 characters. */
function rounds(n = 5) {
  const messages = [user('go')];
  for (let i = 1; i <= n; i += 1) messages.push(call(`c${i}`), result(answer(`c${i}`, String(i % 10).repeat(400))));
  return messages;
}

const stub = (message, text) => ({ ...message, content: [{ ...message.content[0], output: { type: 'text', value: text } }] });
const kept = (messages) => messages.map((_, index) => ({ index, state: 'kept' }));
const whole = (messages) => [{ keep: [0, messages.length] }];

/** The first result (row 2) evicted as it should be; `change` breaks one thing. */
function evicted(change = () => {}) {
  const input = rounds();
  const view = [...input];
  view[2] = stub(input[2], '[context-cleared] read: ok; read_tool_output({ id: "c1" })');
  const ledger = kept(input);
  ledger[2] = { index: 2, state: 'evicted', handle: 'c1' };
  const step = {
    input, view, ledger,
    recipe: [{ keep: [0, 2] }, { edit: 2, set: [{ path: 'x', value: 1 }] }, { keep: [3, 11] }],
    breakdown: { buckets: [{ tokens: 400 }, { tokens: 50, summed: false }], overhead: -20, total: 380 },
    occupancy: { tokens: 380 }, before: 500, after: 380,
  };
  change(step);
  return createChecker().check(step);
}
const broken = (change) => [...new Set(evicted(change).findings.map((finding) => finding.invariant))].sort((a, b) => a - b);

describe('checks on a view', () => {
  test('a right eviction passes and is listed with its handle', () => {
    const { findings, edits } = evicted();
    assert.deepEqual(findings, []);
    assert.equal(edits.length, 1);
    assert.deepEqual([edits[0].row, edits[0].handle, edits[0].state], [2, 'c1', 'evicted']);
    assert.equal(outputText(edits[0].original), '1'.repeat(400));
  });

  test('1: a result that is gone, and a result whose call is gone', () => {
    assert.ok(broken((step) => {
      step.view.splice(4, 1);
      step.recipe = [{ keep: [0, 2] }, { edit: 2 }, { keep: [3, 4] }, { drop: [4, 5] }, { keep: [5, 11] }];
      step.ledger[4] = { index: 4, state: 'dropped' };
    }).includes(1));
    assert.ok(broken((step) => {
      step.view.splice(3, 1);
      step.recipe = [{ keep: [0, 2] }, { edit: 2 }, { drop: [3, 4] }, { keep: [4, 11] }];
      step.ledger[3] = { index: 3, state: 'dropped' };
    }).includes(1));
  });

  test('1: the open round at the end and gaps of the input itself are no violations', () => {
    const input = [user('go'), call('a', 'b'), result(answer('a', 'x')), call('c', 'd'), result(answer('c', 'y'))];
    assert.deepEqual(createChecker().check({ input, view: input, recipe: whole(input), ledger: kept(input) }).findings, []);
  });

  test('3: a result among the three newest rounds, a user text, a call', () => {
    const edit = (row, make) => (step) => {
      step.view[2] = step.input[2];
      step.view[row] = make(step.input[row]);
      step.recipe = [{ keep: [0, row] }, { edit: row }, { keep: [row + 1, 11] }];
      step.ledger[2] = { index: 2, state: 'kept' };
    };
    assert.deepEqual(broken((step) => {
      edit(6, (message) => stub(message, '[context-cleared] c3'))(step);
      step.ledger[6] = { index: 6, state: 'evicted', handle: 'c3' };
    }), [3]);
    assert.deepEqual(broken(edit(0, () => user('stop'))), [3]);
    assert.deepEqual(broken(edit(9, (message) => ({ ...message, content: [{ ...message.content[0], input: { changed: true } }] }))), [3]);
  });

  test('3: shortening is for the first send; a shortened result keeps its bytes', () => {
    const input = [user('go'), call('c1'), result(answer('c1', 'a'.repeat(900)))];
    const cut = (text) => ({
      input, view: [input[0], input[1], stub(input[2], text)], recipe: [{ keep: [0, 2] }, { edit: 2 }],
      ledger: [{ index: 0, state: 'kept' }, { index: 1, state: 'kept' }, { index: 2, state: 'clamped', handle: 'c1' }],
    });
    const checker = createChecker();
    assert.deepEqual(checker.check(cut('aaa [… c1 …] aaa')).findings, []);
    assert.deepEqual(checker.check(cut('aaa [… c1 …] aaa')).findings, []);
    assert.deepEqual(checker.check(cut('aa [… c1 …] aa')).findings.map((finding) => finding.invariant), [3]);
    const late = createChecker();
    late.check({ input, view: input, recipe: whole(input), ledger: kept(input) });
    assert.deepEqual(late.check(cut('aaa [… c1 …] aaa')).findings.map((finding) => finding.invariant), [3]);
  });

  test('3: parts may follow the original ones of a user row', () => {
    const input = [{ role: 'user', content: [{ type: 'text', text: 'go' }] }];
    const view = [{ role: 'user', content: [{ type: 'text', text: 'go' }, { type: 'text', text: 'more' }] }];
    assert.deepEqual(createChecker().check({ input, view, recipe: [{ edit: 0, append: [{}] }], ledger: kept(input) }).findings, []);
    const before = [{ role: 'user', content: [{ type: 'text', text: 'more' }, { type: 'text', text: 'go' }] }];
    assert.notDeepEqual(createChecker().check({ input, view: before, recipe: [{ edit: 0 }], ledger: kept(input) }).findings, []);
  });

  test('4: another order, another id, another plan on the second pass', () => {
    assert.ok(broken((step) => {
      step.recipe = [{ keep: [3, 11] }, { keep: [0, 2] }, { edit: 2 }];
      step.view = [...step.view.slice(3), ...step.view.slice(0, 3)];
    }).includes(4));
    assert.deepEqual(broken((step) => {
      step.view[2] = { role: 'tool', content: [{ ...step.view[2].content[0], toolCallId: 'c9' }] };
    }).filter((invariant) => invariant === 4), [4]);
    const view = rounds();
    assert.deepEqual(checkSecondPass({ view, events: [] }, { view: structuredClone(view), events: [] }), []);
    assert.equal(checkSecondPass({ view, events: [] }, { view: view.slice(1), events: [] }).length, 1);
    assert.equal(checkSecondPass({ view, events: [] }, { view, events: [{ type: 'context.evicted' }] }).length, 1);
  });

  test('5: no handle and no loss; a text without the handle; somebody else’s handle; a stated loss is fine', () => {
    assert.deepEqual(broken((step) => delete step.ledger[2].handle), [5]);
    assert.deepEqual(broken((step) => (step.view[2] = stub(step.input[2], '[context-cleared] gone'))), [5]);
    assert.deepEqual(broken((step) => {
      step.view[2] = stub(step.input[2], '[context-cleared] c2');
      step.ledger[2].handle = 'c2';
    }), [5]);
    assert.deepEqual(broken((step) => (step.ledger[2] = { index: 2, state: 'evicted', loss: 'persist_off' })), []);
  });

  test('5: a repeated call id gets its number', () => {
    const input = [user('go'), call('x'), result(answer('x', 'a'.repeat(300))), call('x'), result(answer('x', 'b'.repeat(300))), ...rounds(4).slice(1)];
    const view = [...input];
    view[4] = stub(input[4], '[context-cleared] x~2');
    const ledger = kept(input);
    ledger[4] = { index: 4, state: 'evicted', handle: 'x~2' };
    const step = { input, view, ledger, recipe: [{ keep: [0, 4] }, { edit: 4 }, { keep: [5, input.length] }] };
    assert.deepEqual(createChecker().check(step).findings, []);
    ledger[4].handle = 'x';
    assert.deepEqual(createChecker().check(step).findings.map((finding) => finding.invariant), [5]);
  });

  test('9: the sum, without what is shown apart, and the same total as the gauge', () => {
    assert.deepEqual(broken((step) => (step.breakdown.overhead = -19)), [9]);
    assert.deepEqual(broken((step) => (step.occupancy.tokens = 381)), [9]);
    assert.deepEqual(broken((step) => delete step.breakdown.buckets[1].summed), [9]);
  });

  test('13: a row missing from the ledger, listed twice, called what it is not, or taken up twice', () => {
    assert.deepEqual(broken((step) => step.ledger.pop()), [13]);
    assert.deepEqual(broken((step) => step.ledger.push({ index: 4, state: 'kept' })), [13]);
    assert.deepEqual(broken((step) => (step.ledger[4] = { index: 4, state: 'evicted', handle: 'c2' })), [13]);
    assert.deepEqual(broken((step) => (step.ledger[4] = { index: 4, state: 'vanished' })).includes(13), true);
    assert.equal(origins([{ keep: [0, 2] }, { keep: [1, 3] }], 3).findings[0].invariant, 13);
    assert.deepEqual(origins([{ keep: [0, 1] }, { insert: {}, origin: 'summary' }, { drop: [1, 2] }, { edit: 2 }], 3), { from: [0, -1, 2], findings: [] });
  });

  test('14: a stub longer than the result, a view larger than the list', () => {
    assert.deepEqual(broken((step) => (step.view[2] = stub(step.input[2], `c1${' '.repeat(399)}`))), [14]);
    assert.deepEqual(broken((step) => (step.after = 501)), [14]);
  });

  test('16: half an emoji, half an escape sequence, JSON that no longer parses', () => {
    const cut = (original, text, type) => {
      const input = [user('go'), call('c1'), result(answer('c1', original))];
      const view = [input[0], input[1], stub(input[2], text)];
      if (type) view[2].content[0].output.type = type;
      return createChecker().check({
        input, view, recipe: [{ keep: [0, 2] }, { edit: 2 }],
        ledger: [{ index: 0, state: 'kept' }, { index: 1, state: 'kept' }, { index: 2, state: 'clamped', handle: 'c1' }],
      }).findings.map((finding) => finding.invariant);
    };
    assert.deepEqual(cut('😀'.repeat(99), '😀😀\n[… c1 …]\n😀'), []);
    assert.deepEqual(cut('😀'.repeat(99), '😀\ud83d\n[… c1 …]\n😀'), [16]);
    const red = `${'\u001b[31mred\u001b[0m '.repeat(20)}`;
    assert.deepEqual(cut(red, '\u001b[31mred\u001b[0m\n[… c1 …]\nend'), []);
    assert.deepEqual(cut(red, '\u001b[31mred\u001b[\n[… c1 …]\nend'.replace('\n[', '\n['), undefined).includes(16), true);
    assert.deepEqual(cut(red, '\u001b[31mred\n[… c1 …]\nmred\u001b[0m '), [16]);
    const json = JSON.stringify({ rows: Array(40).fill('x'.repeat(20)) });
    assert.deepEqual(cut(json, '{"rows":["x"],"_omitted":"39 of 40; read_tool_output({ id: \\"c1\\" })"}'), []);
    assert.deepEqual(cut(json, '{"rows":["x","_omitted":"39 of 40; c1"'), [16]);
  });

  test('protected rows: three rounds with results, the open round besides, unread rows always', () => {
    assert.equal(protectedFrom(rounds(5), 3), 5); // rounds 3, 4 and 5
    assert.equal(protectedFrom(rounds(5), 0), 10); // the last result has not been read
    assert.equal(protectedFrom([...rounds(5), call('c6')], 3), 5); // open: kept besides
    assert.equal(protectedFrom([...rounds(5), { role: 'assistant', content: 'text only' }], 1), 9);
    assert.equal(protectedFrom([user('go')], 3), 0);
  });

  test('equality looks inside, and at kinds', () => {
    assert.ok(same({ a: [1, { b: NaN }] }, { a: [1, { b: NaN }] }));
    assert.ok(same(new Uint8Array([1, 2]), new Uint8Array([1, 2])));
    assert.ok(!same(new Uint8Array([1, 2]), new Uint8Array([1, 3])));
    assert.ok(!same({ a: 1 }, { a: 1, b: undefined }));
    assert.ok(!same([], {}));
  });
});

const session = (messages, more = {}) => {
  const rows = messages.map((message, i) => ({ message, position: i + 1 }));
  const steps = messages.flatMap((message, row) => (message.role === 'assistant' ? [{ row }] : []));
  return { format: 'ai-sdk', rows, steps, segments: [{ start: 0, head: [], cause: 'start' }], healed: [], ...more };
};

/** Twenty rounds of 4,000 varied characters each, then a last answer: about 20,000 tokens. */
function longSession() {
  const messages = [user('Please read the files one after another.')];
  for (let i = 1; i <= 20; i += 1) {
    const text = Array.from({ length: 80 }, (_, k) => `line ${k} of file ${i}: ${'abcdefghij'.repeat(3)}`).join('\n').slice(0, 4000);
    messages.push(call(`c${i}`), result(answer(`c${i}`, text)));
  }
  messages.push({ role: 'assistant', content: [{ type: 'text', text: 'Done.' }] });
  return session(messages);
}

describe('replay', () => {
  test('costs 0.1 per shared and 1.25 per other token', () => {
    assert.equal(requestCost(0, 1000), 1250);
    assert.equal(requestCost(1000, 1000), 100);
    assert.equal(requestCost(900, 1001), 216.25);
  });

  // Weighed by chars4: the question is 1 token, each call 1, each result 1,000. Window 20,000: evict from 10,000 down
  // to 5,000. Before call k the list holds 1 + 1,001·k. At k = 10 that is 10,011: six stubs of s tokens bring it to
  // 4,011 + 6·s (5 would leave 5,011 + 5·s); six rounds later it is over 10,000 again, and six more are due.
  test('numbers worked by hand', async () => {
    const messages = [user('go!!')];
    for (let i = 1; i <= 20; i += 1) messages.push(call(`c${i}`), result(answer(`c${i}`, String.fromCharCode(96 + i).repeat(4000))));
    const input = session(messages);
    const { steps, totals, violations } = await replaySession(input, { window: 20_000, maxOutput: 1000, config: { estimate: { counter: 'chars4' } } });
    assert.deepEqual(violations, []);
    assert.deepEqual(steps.map((step) => step.before), Array.from({ length: 20 }, (_, k) => 1 + 1001 * k));
    assert.deepEqual(steps.map((step) => step.evicted), Array.from({ length: 20 }, (_, k) => (k === 10 || k === 16 ? 6 : 0)));
    assert.deepEqual([steps[9].after, steps[9].prefix, steps[9].cost], [9010, 8009, 2052.15]); // 800.9 + 1,251.25
    const stub = (steps[10].after - 4011) / 6;
    assert.ok(Number.isInteger(stub) && stub > 5 && stub < 60, `a stub of ${stub} tokens`);
    assert.equal(steps[10].prefix, 2, 'the question and the first call; the first result is a stub now');
    assert.equal(totals.reclaimed, 6 * (1000 - stub) + (steps[15].after + 1001 - steps[16].after));
    assert.deepEqual([totals.evictions, totals.cacheBreaks, totals.maxBefore, totals.over], [12, 2, 19_020, 0]);
    assert.deepEqual(totals.handles, { offered: 12, verified: 12 });
    // 1.25 for the first token; then each step reads what was there and writes 1,001: 1,251.25 + 0.1·(1 + 1,001·(k-1))
    assert.equal(totals.costFull, 1.25 + 19 * 1251.25 + 0.1 * (19 + 1001 * 171));
  });

  test('a long session at a small window: relief is seen, counted and nothing is lost', async () => {
    const input = longSession();
    const report = await replaySession(input, { window: 20_000, file: 'long.json' });
    assert.deepEqual(Object.keys(report), ['file', 'format', 'window', 'config', 'steps', 'totals', 'violations']);
    assert.deepEqual(Object.keys(report.steps[0]), ['index', 'row', 'before', 'after', 'evicted', 'clamped', 'dropped', 'digested', 'folded', 'prefix', 'cost']);
    assert.deepEqual(report.violations, []);
    assert.deepEqual([report.file, report.format, report.window], ['long.json', 'ai-sdk', 20_000]);
    assert.deepEqual(report.steps.map((step) => step.row), input.steps.map((step) => step.row));

    const { steps, totals } = report;
    assert.ok(totals.evictions > 0);
    const first = steps.findIndex((step) => step.evicted > 0);
    assert.ok(steps.slice(0, first).every((step) => step.before === step.after && step.before < 10_000));
    assert.ok(steps[first].before >= 10_000 && steps[first].after <= 5_000 + 4_000, 'down to a quarter of the window, but for three protected rounds');
    steps.forEach((step, i) => {
      assert.equal(step.cost, requestCost(step.prefix, step.after));
      assert.ok(step.after <= step.before && step.prefix <= step.after);
      if (i > 0) assert.ok(step.before > steps[i - 1].before);
    });
    assert.equal(totals.maxBefore, steps.at(-1).before);
    assert.equal(totals.maxAfter, Math.max(...steps.map((step) => step.after)));
    assert.equal(totals.evictions, steps.reduce((sum, step) => sum + step.evicted, 0));
    assert.equal(totals.cacheBreaks, steps.filter((step) => step.evicted > 0).length, 'each pass breaks the cache once, nothing else does');
    const full = steps.reduce((sum, step, i) => sum + requestCost(i ? steps[i - 1].before : 0, step.before), 0);
    assert.ok(Math.abs(totals.costFull - full) < 0.01);
    assert.ok(totals.cost < totals.costFull);
    assert.deepEqual(totals.handles, { offered: totals.evictions, verified: totals.evictions });
    assert.equal(totals.over, 0);
    assert.deepEqual(await replaySession(input, { window: 20_000, file: 'long.json' }), report, 'the same input gives the same report');
  });

  test('at a large window nothing happens', async () => {
    const { totals, steps } = await replaySession(longSession(), { window: 1_000_000 });
    assert.deepEqual([totals.evictions, totals.clamps, totals.cacheBreaks, totals.handles.offered], [0, 0, 0, 0]);
    assert.equal(totals.cost, totals.costFull);
    assert.ok(steps.every((step) => step.before === step.after));
  });

  test('a config reaches the core: eviction off, and a cap of 2,000 characters clamps each result', async () => {
    const off = await replaySession(longSession(), { window: 20_000, config: { eviction: { enabled: false } } });
    assert.equal(off.totals.evictions, 0);
    assert.equal(off.totals.over > 0, off.totals.maxAfter > 20_000 - 4_096);
    const clamped = await replaySession(longSession(), { window: 1_000_000, config: { toolOutput: { maxChars: 2000 } } });
    assert.deepEqual([clamped.totals.clamps, clamped.totals.handles.verified], [20, 20]);
    assert.deepEqual(clamped.violations, []);
    await assert.rejects(replaySession(longSession(), { window: 20_000, config: { eviction: { atFractoin: 1 } } }), { code: 'bad_config' });
  });

  test('a core that loses a row, and a store that loses bytes, are found out', async () => {
    const faulty = (spoil) => async (options) => {
      const cascade = await open(options);
      return { next: async (input) => spoil(await cascade.next(input), options.host), inspect: () => cascade.inspect(), close: () => cascade.close() };
    };
    const dropped = await replaySession(longSession(), {
      window: 20_000,
      open: faulty((next) => (next.view.length > 6 ? { ...next, view: next.view.filter((_, i) => i !== 2) } : next)),
    });
    assert.ok(dropped.violations.some(({ invariant }) => invariant === 1));
    const lossy = await replaySession(longSession(), {
      window: 20_000,
      open: faulty((next, host) => {
        const { get } = host.raw;
        host.raw.get = async (key, ...rest) => (key === 'c2' ? 'nonsense' : get.call(host.raw, key, ...rest));
        return next;
      }),
    });
    assert.deepEqual(lossy.violations.map(({ invariant }) => invariant), [5]);
    assert.equal(lossy.totals.handles.verified, lossy.totals.handles.offered - 1);
    const rejected = await replaySession(longSession(), {
      window: 20_000,
      open: faulty((next) => ({ ...next, view: [...next.view.slice(0, -1), { role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }] }, next.view.at(-1)], recipe: [...next.recipe, { insert: 'nothing' }] })),
    });
    assert.ok(rejected.violations.some(({ invariant, detail }) => invariant === 2 && detail.startsWith('AM-11')));
  });

  test('2: what a log lacks is repaired first and said; the rows a host has beyond repair are its own', async () => {
    const text = (role, words) => ({ message: { role, content: words } });
    const logged = {
      format: 'claude-code',
      model: { window: 50_000 },
      rows: [text('user', 'go'), { message: { role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }] } }, text('user', 'well?'), text('assistant', 'yes'), text('system', 'be brief'), text('user', 'on'), text('assistant', 'done')],
      steps: [{ row: 1 }, { row: 3 }, { row: 6 }],
    };
    const { repaired, steps, violations } = await replaySession(logged);
    assert.deepEqual(repaired.map(({ rule, at }) => [rule, at]), [['AM-11', 1]]);
    assert.deepEqual(steps.map(({ row }) => row), [1, 2, 5]);
    assert.deepEqual(violations, []);
  });

  test('stops between steps when asked to, and says what a missing window is', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    await assert.rejects(replaySession(longSession(), { window: 20_000, signal: stop.signal, onStep: (_, { index }) => index === 3 && stop.abort(reason) }), reason);
    await assert.rejects(replaySession(longSession()), { name: 'CascadeError', code: 'bad_input' });
    await assert.rejects(replaySession(longSession(), { window: 1.5 }), { code: 'bad_input' });
  });
});

describe('inspect', () => {
  const step = (row, input, more) => ({ row, usage: { input, ...more }, model: 'm' });

  test('overhead and ratio from real counts: real = 500 + 1.2 × measured', () => {
    const messages = rounds(4);
    const measured = messages.map(() => 100);
    const at = (row) => 500 + 1.2 * row * 100;
    const input = session(messages, { steps: [1, 3, 5, 7].map((row) => step(row, at(row))) });
    assert.deepEqual(calibrate(input, measured), { overhead: 500, ratio: 1.2, samples: 4 });
    const nameless = session(messages, { steps: input.steps.map(({ row, usage }) => ({ row, usage })) });
    assert.deepEqual(calibrate(nameless, measured), { overhead: 500, ratio: 1.2, samples: 4 });
    assert.deepEqual(calibrate(session(messages), measured), { overhead: 0, ratio: 1, samples: 0 });
  });

  test('percentiles by nearest rank; steps fall into the segment that holds their row', () => {
    assert.deepEqual([percentile([5, 1, 3], 0.5), percentile([1, 2, 3, 4], 0.95), percentile([], 0.5)], [3, 4, 0]);
    const input = session(rounds(4), { segments: [{ start: 0, head: [], cause: 'start' }, { start: 5, head: [user('summary')], cause: 'compaction' }] });
    assert.deepEqual(segmentsWithSteps(input).map((segment) => segment.steps), [[0, 1], [2, 3]]);
  });

  test('the gauge before each count is anchored on the one before', async () => {
    const input = longSession();
    const bare = await inspectSession(input);
    assert.equal(bare.estimate.medianAbsError, null);
    assert.ok(bare.steps.every((one) => !('real' in one) && !('error' in one)));
    assert.equal(bare.window, 128_000);
    assert.equal(bare.windowSource, 'assumed');

    // The provider counts exactly 7,000 tokens more than the measure: from the second step on the gauge knows.
    input.steps = input.steps.map((one, i) => step(one.row, bare.steps[i].estimate + 7000, { output: 0, cacheRead: 3 }));
    const report = await inspectSession(input, { file: 'x' });
    assert.deepEqual(Object.keys(report.steps[1]), ['index', 'row', 'estimate', 'real', 'error'].sort((a, b) => Object.keys(report.steps[1]).indexOf(a) - Object.keys(report.steps[1]).indexOf(b)));
    assert.equal(report.steps[0].error, undefined);
    assert.ok(report.estimate.maxAbsError < 0.01, `largest error ${report.estimate.maxAbsError}`);
    assert.deepEqual(report.steps[3].real, { input: bare.steps[3].estimate + 7000, cacheRead: 3, cacheWrite: 0, output: 0 });
    assert.deepEqual([report.rows, report.rounds, report.turns], [42, 21, 1]);
    const { buckets, overhead, total, provenance } = report.breakdown;
    assert.equal(total, input.steps.at(-1).usage.input);
    assert.equal(provenance, 'exact');
    assert.equal(buckets.reduce((sum, bucket) => sum + (bucket.summed === false ? 0 : bucket.tokens), 0) + overhead, total);
    assert.ok(Math.abs(overhead - 7000) < 50);
  });
});

const real = (name, body) => {
  const file = path.join(shared, name);
  const skip = existsSync(file) ? false : `NOT RUN: ${path.relative(root, file)} is not on this machine`;
  test(name, { skip }, async () => body(await readSession(readFileSync(file))));
};

describe('real sessions', () => {
  real('pi-mono/large-session.jsonl', async (input) => {
    const report = await replaySession(input, { window: 120_000 });
    assert.deepEqual(report.violations, []);
    const free = await replaySession(input, { window: 120_000, config: { eviction: { enabled: false }, cascade: { enabled: false } } });
    assert.ok(report.totals.maxAfter < free.totals.maxAfter);
    assert.ok(report.totals.handles.offered > 0);
    assert.equal(report.totals.handles.verified, report.totals.handles.offered);
  });
  real('codex-codemie/rollout-2026-05-11T11-26-55.jsonl', async (input) => {
    const report = await inspectSession(input);
    assert.equal(report.steps.length, 66);
    assert.equal(Math.max(...report.steps.map((one) => one.real.input)), 131_573);
    assert.equal(report.breakdown.total, 131_573);
    assert.ok(report.estimate.medianAbsError < 0.002, `median ${report.estimate.medianAbsError}`);
    assert.ok(report.estimate.p95AbsError < 0.03, `p95 ${report.estimate.p95AbsError}`);
  });
});
