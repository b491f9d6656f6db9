// Properties through the package, per wire format: what we return for a valid history is valid, and nothing makes the
// package throw anything but a typed error. GENTLE_CASES sets how many histories of each kind (default 2,000).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { apply, plan, repair, validate } from '../../pkg/pure.js';
import { mediaIn } from './cases/messages.mjs';
import { FORMATS, damage, damaged, pictured, script, written } from './histories.mjs';

const numRuns = Number(process.env.GENTLE_CASES ?? 2_000);
const errors = (messages, format) => validate(messages, format).findings.filter((f) => f.level === 'E');
const knobs = fc.record({ window: fc.integer({ min: 200, max: 6_000 }), maxChars: fc.integer({ min: 200, max: 3_000 }), keep: fc.nat(3), binding: fc.constantFrom('none', 'turn', 'prefix'), maxImages: fc.option(fc.nat(3), { nil: undefined }) });

for (const format of FORMATS) {
  test(`${format}: what we return for a valid history is valid`, () => {
    let edited = 0;
    fc.assert(fc.property(pictured, knobs, (story, { window, maxChars, keep, binding, maxImages }) => {
      const messages = written(story, format);
      assert.deepEqual(errors(messages, format), []);
      const config = { eviction: { keepRecentRounds: keep, clearAtLeast: 0, minResultTokens: 20 }, toolOutput: { maxChars }, reasoningBinding: binding, limits: maxImages === undefined ? {} : { maxImages }, media: { imageTokens: 30 } };
      let done;
      try {
        done = plan({ messages, format, model: { id: 'm', window, maxOutput: 0 }, config });
      } catch (error) {
        assert.equal(error.code, 'budget_impossible');
        return;
      }
      const { view, recipe, cut } = done;
      assert.deepEqual(errors(view, format), []);
      // A limit holds for what was read, where no reasoning is bound to it.
      if (maxImages !== undefined && binding === 'none') {
        const read = view.slice(0, Math.max(0, view.findLastIndex((m) => m.role === 'assistant' || m.role === 'model' || m.type === 'function_call')));
        assert.ok(mediaIn(read).length <= maxImages, `${mediaIn(read).length} of ${maxImages}`);
      }
      assert.deepEqual(apply(messages, recipe), view);
      assert.ok(cut.legal.every((at) => at > 0 && at < messages.length));
      for (const at of cut.legal) assert.deepEqual(errors([...written({ beats: [], repeat: false }, format), ...messages.slice(at)], format), [], `cut ${at}`);
      edited += recipe.some((op) => 'edit' in op) ? 1 : 0;
    }), { numRuns, seed: 1, endOnFailure: Boolean(process.env.GENTLE_FAST) });
    assert.ok(edited > numRuns / 50, `relief acted in ${edited} of ${numRuns} histories`);
  });

  test(`${format}: a broken history is told, healed or refused, and never thrown over`, () => {
    let healed = 0;
    fc.assert(fc.property(script, damage, (story, damages) => {
      const messages = damaged(written(story, format), damages);
      const { findings } = validate(messages, format);
      assert.ok(findings.every((f) => Number.isInteger(f.at) && f.rule && f.detail));
      const fixed = repair(messages, format);
      const left = validate(fixed.messages, format).findings;
      assert.deepEqual(left.filter((f) => f.repairable), [], 'what can be healed is');
      assert.deepEqual((fixed.refused ?? []).map((f) => f.detail), left.filter((f) => f.level === 'E').map((f) => f.detail), 'what stays is said');
      if (fixed.repaired.length === 0) assert.ok(fixed.messages.length === messages.length && fixed.messages.every((m, i) => m === messages[i]), 'what is fine stays the same object');
      else healed += 1;
      try {
        plan({ messages, format, model: { id: 'm', window: 2_000, maxOutput: 0 } });
      } catch (error) {
        assert.equal(error.name, 'CascadeError', error.stack);
      }
    }), { numRuns, seed: 2, endOnFailure: Boolean(process.env.GENTLE_FAST) });
    assert.ok(healed > numRuns / 20, `${healed} of ${numRuns} were healed`);
  });
}
