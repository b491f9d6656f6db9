// Our views and repairs, posted to a provider on this machine that enforces the documented rules by itself.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { plan, repair, validate } from '../../pkg/pure.js';
import { PATHS, startProvider } from '../loopback/server.mjs';
import { damage, damaged, script, written } from './histories.mjs';

const provider = await startProvider();
after(() => provider.close());

const FIELDS = { anthropic: 'messages', 'openai-chat': 'messages', 'openai-responses': 'input', gemini: 'contents' };
const post = (format, list) => fetch(provider.url + PATHS[format], { method: 'POST', body: JSON.stringify({ [FIELDS[format]]: list }) });
/** A request ends with what the user says. */
const asked = (story) => ({ ...story, beats: [...story.beats, { user: true, text: 'go on' }] });

for (const format of Object.keys(FIELDS)) {
  test(`${format}: the provider takes every view we return`, async () => {
    let edited = 0;
    for (const story of fc.sample(script, { seed: 11, numRuns: 150 })) {
      const messages = written(asked(story), format);
      for (const window of [500, 1_500]) {
        let done;
        try {
          done = plan({ messages, format, model: { id: 'm', window, maxOutput: 0 }, config: { eviction: { keepRecentRounds: 1, clearAtLeast: 0, minResultTokens: 20 } } });
        } catch (error) {
          assert.equal(error.code, 'budget_impossible');
          continue;
        }
        edited += done.recipe.some((op) => 'edit' in op) ? 1 : 0;
        const answer = await post(format, done.view);
        assert.equal(answer.status, 200, JSON.stringify(await answer.json()));
      }
    }
    assert.ok(edited > 20, `${edited} views were edited`);
  });

  test(`${format}: what it rejects of broken histories we told before, and what is repaired it takes`, async () => {
    let rejected = 0;
    for (const [story, damages] of fc.sample(fc.tuple(script, damage), { seed: 12, numRuns: 250 })) {
      const messages = damaged(written(asked(story), format), damages);
      const judged = validate(messages, format, { phase: 'request' }).findings.filter((f) => f.level === 'E');
      let answer;
      try {
        answer = await post(format, messages.map((m) => (m?.unreadable ? {} : m)));
      } catch {
        continue; // nothing that JSON can carry
      }
      if (answer.status === 400) {
        rejected += 1;
        assert.ok(judged.length > 0, `rejected, and we said nothing: ${JSON.stringify(await answer.json())}`);
      }
      const fixed = repair(messages, format);
      if (validate(fixed.messages, format, { phase: 'request' }).findings.some((f) => f.level === 'E')) continue;
      const again = await post(format, fixed.messages);
      assert.equal(again.status, 200, JSON.stringify(await again.json()));
    }
    assert.ok(rejected > 20, `${rejected} were rejected`);
  });
}
