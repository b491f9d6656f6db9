// The cases about folds: loops, briefings that grow, restarts, what happens meanwhile, failed and lossy summaries.
import assert from 'node:assert/strict';
import { CHECKS, targetOf, valueAt } from './cases/checks.mjs';
import { FOLD_OPS } from './cases/fold-ops.mjs';
import { partsOfOrigin, rowsInView } from './cases/fold-rows.mjs';
import { emptyPlaces, partsOf, textOf } from './cases/messages.mjs';
import { runCheck, testCases } from './cases/register.mjs';

/** The outcome and reason a check looks at: of a step, of an entry, or the last. */
const at = (world, { onStep }) => (onStep === undefined ? world : world.steps[onStep - 1]);
const PIECE = /\[part \d+ of \d+\]\n/g;
/** What all requests tell of the rows, pieces of a split row joined again. */
const told = (world, requests = world.requests) => requests.map((r) => r.covered).join('\n\n').replace(/\n\n(\[part \d+ of \d+\]\n)/g, '$1').replace(PIECE, '');
/** A text as it stands in a frame: nothing of these cases needs an escape. */
const userText = (world, i) => textOf(world.messages[i].content);

const checks = {
  outcome_in: (world, must) => assert.ok(must.values.includes(at(world, must).outcome), `outcome ${at(world, must).outcome}, expected one of ${must.values}`),
  // The two reasons a fold that is not worth it may have, in the words of the cases.
  reason_in(world, must) {
    const { reason } = at(world, must);
    const names = { summarizer_inflated: ['insufficient_gain'], no_progress: ['insufficient_gain', 'cooldown'], summarizer_empty: ['empty_summary'], mirror_mismatch: ['covered_not_before_first_kept'] };
    assert.ok([reason, ...(names[reason] ?? [])].some((name) => must.values.includes(name)), `reason ${reason}, expected one of ${must.values}`);
  },
  value_eq: (world, { path, value }) => assert.equal(valueAt(world, path), value),
  value_le(world, { path, value }) {
    const found = [valueAt(world, path)].flat();
    assert.ok(found.length > 0 && found.every((n) => n <= value), `${path} = ${found}`);
  },
  thresholds_ordered(world, { expr }) {
    assert.equal(expr, '0 < soft <= hard <= usableInput <= window');
    const { soft, hard, usableInput, window } = world.thresholds;
    assert.ok(0 < soft && soft <= hard && hard <= usableInput && usableInput <= window, JSON.stringify(world.thresholds));
  },
  rearms_when: (world) => assert.equal(world.rearmed, 'folded', 'when enough may be folded again, it is'),
  passes_progress: (world) => world.values.passes.forEach((p, n) => assert.ok(p.after < p.before || p.outcome === 'declined', `pass ${n}: ${p.before} to ${p.after}, ${p.outcome}`)),
  no_nested_summary(world) {
    for (const { summary } of world.values.passes) {
      assert.ok(!summary.includes('<context_summary>') && !summary.includes('<previous_briefing>'));
      assert.equal(summary.split('## Decisions & Facts').length - 1, 1, 'one heading, however often it was merged');
    }
  },
  no_silent_noop: (world) => assert.ok(world.outcome === 'folded' || (world.outcome === 'declined' && world.reason), `${world.outcome} ${world.reason}`),
  covers_index: (world, { index }) => assert.ok(index < world.messages.length - world.view.filter((m) => world.messages.includes(m)).length, `message ${index} is not covered`),
  if_folded: (world, { then }) => world.outcome === 'folded' && runCheck(world, then, all),
  if_declined: (world, { then }) => world.outcome === 'declined' && runCheck(world, then, all),

  rows_unchanged(world) {
    assert.ok(world.stored === undefined || world.stored === null || JSON.parse(world.stored.blob).folds === undefined, 'no fold was recorded');
    if (world.before) assert.deepEqual(world.messages, world.before);
  },
  store_calls_exclude: (world, { names }) => names.forEach((name) => assert.equal(world.calls[name] ?? 0, 0, name)),
  rows_appended_only: (world) => assert.ok(world.before.every((m, i) => m === world.messages[i])),
  no_duplicate_rows(world) {
    const shown = rowsInView(world.view, world.messages, world.positions);
    assert.equal(new Set(shown).size, shown.length);
    assert.equal(new Set(world.positions).size, world.positions.length);
  },
  row_count_eq: (world, { value }) => assert.equal(world.messages.length + world.records, value),
  view_rows_eq: (world, { values }) => assert.deepEqual(rowsInView(world.view, world.messages, world.positions ?? world.one.input.rows.map((r) => r.pos ?? null)), values),
  variant_outcome: (world, { index, value }) => assert.equal(world.variants[index], value),
  contains_item: (world, { type }) => assert.ok(world.view.some((item) => item.type === type && world.messages.includes(item))),

  each_outcome_in: (world, must) => world.each.forEach((entry) => checks.outcome_in(entry, must)),
  each_reason_in: (world, must) => world.each.forEach((entry) => checks.reason_in(entry, must)),
  history_unchanged: (world) => world.each.forEach(({ view, boundary }) => assert.ok(boundary === null && view.length === world.messages.length && view.every((m, i) => m === world.messages[i]))),
  no_empty_content: (world, must) => (world.each ? world.each.forEach(({ view }) => assert.deepEqual(emptyPlaces(view), [])) : CHECKS.no_empty_content(world, must)),

  union_covers(world, { indices }) {
    const all = told(world);
    for (const i of indices) {
      const message = world.messages[i];
      if (message.role === 'user') assert.ok(all.includes(userText(world, i)), `the words of message ${i}`);
      for (const part of partsOf(message)) {
        if (part.type === 'tool-call') assert.ok(all.includes(`${part.toolName} ${part.toolCallId}`) && all.includes(part.input.path), `call ${part.toolCallId}`);
        if (part.type === 'tool-result') assert.ok(new RegExp(`\\[tool, row ${i}\\]\\nresult: ${part.output.value.slice(0, 300)}`).test(all), `result of message ${i}`);
      }
    }
  },
  user_text_accounted(world, { indices }) {
    for (const i of indices) {
      const text = userText(world, i);
      assert.ok(world.outcome === 'declined' || textOf(world.view).includes(text) || told(world, world.answered).includes(text), `the words of message ${i} are gone`);
    }
  },
  conservation(world) {
    const answered = told(world, world.answered);
    world.messages.forEach((message, i) => {
      if (world.view.includes(message)) return;
      const text = textOf(partsOf(message).map((p) => p.text ?? ''));
      assert.ok(answered.includes(text.trim()), `message ${i} was never summarised`);
    });
    assert.equal(world.answered.length, world.requests.length, 'no request was too long');
  },
  pinned_identical_across_folds(world) {
    assert.ok(world.rendered.length > 1 && world.rendered[0] !== '');
    for (const text of world.rendered) assert.equal(text, world.rendered[0]);
  },
  order(world, { value }) {
    assert.equal(value, 'oldest first, newest last');
    const rows = [...world.values.pinned.matchAll(/row (\d+)/g)].map((m) => Number(m[1]));
    assert.ok(rows.length > 1 && rows.every((row, i) => i === 0 || row > rows[i - 1]), `rows ${rows}`);
  },
  summary_request_uses(world, { previousSummary }) {
    const [request] = world.requests;
    // Prose without headings is kept under the heading of the facts.
    assert.equal(request.previous.replace(/^## Decisions & Facts\n/, ''), previousSummary);
    assert.ok(!request.covered.includes(previousSummary));
  },
  summary_count: (world, { target, value }) => assert.equal(partsOfOrigin(targetOf(world, target), 'summary').length, value),
  // A message of a person with the words of a summary is a message of that person: it is folded as one, and pinned.
  async synthetic_marked(world) {
    const [summary] = partsOfOrigin(world.view, 'summary');
    const said = { role: 'user', content: summary };
    const says = (text) => ({ role: 'assistant', content: [{ type: 'text', text }] });
    const input = { op: 'fold', config: { force: true }, messages: [said, says('x'.repeat(6_000)), says('done')], summary: 'short' };
    const twin = { ...world, one: { ...world.one, input }, requests: [], values: {} };
    await FOLD_OPS.fold(twin);
    assert.equal(twin.outcome, 'folded');
    assert.ok(twin.requests[0].covered.startsWith('[user, row 0]\n') && twin.requests[0].previous === undefined);
    assert.match(partsOfOrigin(twin.view, 'orders').join(''), /\[row 0\]\n<\\context_summary>/);
  },
};
const all = { ...CHECKS, ...checks };

testCases(['loop', 'decay', 'resume', 'concurrency', 'failed-summary', 'summary-loss'], { ops: FOLD_OPS, checks, should: true });
