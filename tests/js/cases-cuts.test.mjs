// The cases about cuts, pairs, consent, roles and repairs.
import assert from 'node:assert/strict';
import { plan, repair } from '../../pkg/pure.js';
import { CHECKS, targetOf } from './cases/checks.mjs';
import { partsOf, resultsOf, textOf } from './cases/messages.mjs';
import { testCases } from './cases/register.mjs';
import { OPS } from './cases/run.mjs';
import { configOf, modelOf, rowsOf } from './cases/config.mjs';

const ops = {
  /** Plan and apply, without asking whether it pays: the cases are smaller than a head. @param {any} world */
  fold(world) {
    const { messages, positions } = rowsOf(world.one);
    const { cut } = plan({ messages, positions, format: world.one.format, model: modelOf(world.one), config: configOf(world.one) });
    const summary = world.one.input.summary ?? 'what happened';
    const system = messages.filter((message) => message.role === 'system');
    const head = world.one.format === 'gemini' ? { role: 'user', parts: [{ text: summary }] } : { role: 'user', content: summary };
    const folded = cut.safe !== undefined;
    Object.assign(world, { cut: cut.safe ?? 0, outcome: folded ? 'folded' : 'declined', view: folded ? [...system, head, ...messages.slice(cut.safe)] : messages });
  },

  /** The eviction, and what its stubs read back. @param {any} world */
  async evict(world) {
    await OPS.evict(world);
    world.values.spills = world.raw.size;
  },

  /** @param {any} world */
  repair(world) {
    const { messages, repaired, refused } = repair(world.messages, world.one.format);
    Object.assign(world, { view: messages, outcome: 'done', repaired, refused });
    world.inspection = { findings: repaired.map((r) => ({ kind: 'repaired', at: r.at })) };
  },
};

const checks = {
  // A call that the host still runs needs no result yet.
  pairs_complete: (world, must) => CHECKS.pairs_complete(world, { allowPending: world.one.input.inFlight ?? [], ...must }),
  count_eq: (world, { path, value }) => assert.equal(world.values[path], value),
  spill_keys_distinct: (world) => assert.equal(new Set(world.raw.keys()).size, world.raw.size),
  readback_starts_with(world, { placeholderIndex, text }) {
    const stubs = textOf(world.view).match(/read_tool_output\(\{ id: "([^"]+)"/g) ?? [];
    const handle = /id: "([^"]+)"/.exec(stubs[placeholderIndex] ?? '')?.[1];
    assert.ok(world.raw.get(handle)?.startsWith(text), `${handle}`);
  },
  cut_in: (world, { values }) => assert.ok(world.outcome !== 'folded' || values.includes(world.cut), `cut ${world.cut}`),
  cut_not_in: (world, { values }) => assert.ok(!values.includes(world.cut), `cut ${world.cut}`),
  kept_assistants_byte_identical: (world) => assert.ok(world.view.filter((m) => m.role === 'assistant').every((m) => world.messages.includes(m))),
  synthetic_result(world, { toolCallId, outputType }) {
    const found = resultsOf(world.view).find(({ id }) => id === toolCallId);
    assert.equal(found?.part.output.type, outputType);
  },
  report_lists(world, { toolCallIds }) {
    const said = world.repaired.map((r) => r.did).join('\n');
    for (const id of toolCallIds) assert.ok(said.includes(`\`${id}\``), said);
  },
  single_leading_system(world, { target }) {
    const at = targetOf(world, target).flatMap((m, i) => (m.role === 'system' ? [i] : []));
    assert.ok(at.length <= 1 && (at[0] ?? 0) === 0, `system rows at ${at}`);
  },
  only_changed(world) {
    world.view.forEach((message, i) => {
      if (message === world.messages[i]) return;
      const bare = (m) => ({ ...m, content: m.content.map((p) => ({ ...p, output: undefined })) });
      assert.deepEqual(bare(message), bare(world.messages[i]));
    });
  },
  part_counts_match(world, { target }) {
    const list = targetOf(world, target) ?? [];
    const contents = Array.isArray(list) ? list : [];
    contents.forEach((content, i) => {
      const calls = partsOf(content).filter((p) => p.functionCall).length;
      const answers = partsOf(contents[i + 1] ?? {}).filter((p) => p.functionResponse).length;
      if (calls > 0) assert.equal(answers, calls, `content ${i}`);
    });
  },
  absent_result: (world, { target, toolCallIds }) => assert.deepEqual(resultsOf(targetOf(world, target)).filter(({ id }) => toolCallIds.includes(id)), []),
  text_order(world, { target, texts }) {
    const all = textOf(targetOf(world, target));
    const places = texts.map((t) => all.indexOf(t));
    assert.ok(places.every((p, i) => p >= 0 && (i === 0 || p > places[i - 1])), `${places}`);
  },
};

const LATER = 'the runner has no op for stored rows yet';
testCases(['orphan-pair', 'parallel-split', 'approval-pending', 'duplicate-ids', 'thinking-signature', 'role-order', 'repair-honesty'], {
  ops: { ...ops, replay: () => {}, drop_oldest: () => {}, prune_tool_calls: () => {}, fold_async: () => {} },
  checks,
  pending: {
    '003-stored-index-inside-parallel-batch': LATER,
    '005-drop-oldest-splits-flat-items': LATER,
    '006-old-checkpoint-row-between-call-and-result': LATER,
    '007-retained-user-text-carries-tool-result': 'what a head carries is tested with the fold',
    '010-result-rendered-twice-after-midturn-fold': LATER,
    '016-kept-messages-keep-their-order': LATER,
    '018-message-id-without-its-reasoning-item': LATER,
    '094-approval-answer-without-its-request': LATER,
  },
});
