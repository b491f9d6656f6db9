// The cases about cuts, pairs, consent, roles and repairs.
import assert from 'node:assert/strict';
import { open } from '../../pkg/inline.js';
import { repair, validate } from '../../pkg/pure.js';
import { CHECKS, targetOf } from './cases/checks.mjs';
import { partsOf, resultsOf, textOf } from './cases/messages.mjs';
import { testCases } from './cases/register.mjs';
import { OPS } from './cases/run.mjs';
import { STORED_CHECKS, STORED_OPS } from './cases/stored.mjs';

const ops = {
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
  never_edits_provider_options(world) {
    const given = new Set(world.messages.flatMap(partsOf).map((p) => p.providerOptions));
    for (const part of world.view.flatMap(partsOf)) assert.ok(given.has(part.providerOptions), 'provider options that are not the host\'s');
  },
  async repair_is_opt_in(world) {
    const cascade = await open({ transcript: 't', format: 'ai-sdk', model: { id: 'm', window: 200_000 } });
    const { view } = await cascade.next({ messages: world.messages });
    assert.ok(view.length === world.messages.length && view.every((m, i) => m === world.messages[i]));
    assert.ok(validate(world.messages, 'ai-sdk').findings.some((f) => f.at === 1 && f.repairable), 'the call is told');
    cascade.close();
  },
  // A text of one letter stands inside others: each is looked for behind the one before.
  text_order(world, { target, texts }) {
    const all = textOf(targetOf(world, target));
    let from = 0;
    for (const text of texts) {
      const at = all.indexOf(text, from);
      assert.ok(at >= 0, `${text} is not behind ${from}`);
      from = at + text.length;
    }
  },
};

testCases(['orphan-pair', 'parallel-split', 'approval-pending', 'duplicate-ids', 'thinking-signature', 'role-order', 'repair-honesty'], {
  ops: { ...STORED_OPS, ...ops },
  checks: { ...STORED_CHECKS, ...checks },
  should: [
    '001-sliding-window-starts-on-result',
    '003-stored-index-inside-parallel-batch',
    '015-model-variant-switch-keeps-metadata',
    '019-fold-inside-one-long-thinking-turn',
    '096-synthetic-result-claims-success',
  ],
});
