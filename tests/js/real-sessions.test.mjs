// Real sessions of four agents through inspect and replay: every invariant at every step, every handle read back.
// The logs are not part of this repository; without them these tests say so and pass over.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inspectSession } from '../../pkg/inspect.js';
import { readSession } from '../../pkg/readers/index.js';
import { replaySession } from '../../pkg/replay.js';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const data = path.join(process.env.GENTLE_SHARED ?? path.join(root, '..', 'shared'), 'data');
const skip = existsSync(data) ? false : 'no real session logs beside the repository (../shared/data)';
if (skip) console.error(`SKIPPED: ${skip}`);

const FORMATS = ['claude-code', 'codex', 'opencode', 'pi'];
/** The smallest of these parts of the log's largest prompt that its system prompt, tools and newest rows fit into. */
const PARTS = [0.75, 1, 1.25, 2, 4];

async function replayTight(session, file) {
  const largest = Math.max(16_000, ...session.steps.map((s) => s.usage?.input ?? 0));
  for (const part of PARTS) {
    try {
      return await replaySession(session, { window: Math.round(largest * part), file });
    } catch (error) {
      if (error.code !== 'budget_impossible') throw error;
    }
  }
  assert.fail('nothing fits');
}

const files = skip ? [] : readdirSync(data, { recursive: true }).map(String).filter((f) => /\.jsonl?$/.test(f)).sort();
/** Files of other kinds are refused by the reader; only what it takes is replayed. */
const sessions = [];
for (const file of files) {
  const session = await readSession(readFileSync(path.join(data, file)), { name: file }).catch(() => undefined);
  if (session && FORMATS.includes(session.format) && session.steps.length > 0) sessions.push({ file, session });
}

test('real sessions: all four formats are there', { skip }, () => {
  assert.deepEqual([...new Set(sessions.map(({ session }) => session.format))].sort(), FORMATS);
  assert.ok(sessions.length >= 15, `${sessions.length} sessions`);
});

for (const { file, session } of sessions) {
  test(`real session ${file}: replay keeps every invariant`, async () => {
    const report = await replayTight(session, file);
    assert.deepEqual(report.violations, []);
    assert.equal(report.steps.length, session.steps.length);
    assert.equal(report.totals.handles.verified, report.totals.handles.offered);
    assert.ok(report.steps.every((s) => s.after <= s.before || s.evicted + s.clamped + s.folded === 0));
  });

  test(`real session ${file}: inspect adds up`, async () => {
    const report = await inspectSession(session, { file });
    assert.equal(report.steps.length, session.steps.length);
    const { buckets, overhead, total } = report.breakdown;
    assert.equal(buckets.filter((b) => b.summed !== false).reduce((sum, b) => sum + b.tokens, overhead), total);
    const real = session.steps.filter((s) => s.usage?.input > 0);
    assert.deepEqual(report.steps.filter((s) => s.real).map((s) => s.real.input), real.map((s) => s.usage.input));
  });
}

test('the long pi session at 120,000: bounded, and every handle read back byte for byte', { skip }, async () => {
  const { session } = sessions.find(({ file }) => file.endsWith('large-session.jsonl'));
  const { totals, violations } = await replaySession(session, { window: 120_000 });
  assert.deepEqual(violations, []);
  assert.ok(totals.maxAfter < totals.maxBefore);
  assert.ok(totals.handles.offered > 20 && totals.handles.verified === totals.handles.offered);
});

test('the long Codex rollout: 66 steps, real usage up to 131,573', { skip }, async () => {
  const { session } = sessions.find(({ file }) => file.includes('rollout-2026-05-11'));
  const { steps } = await inspectSession(session);
  assert.deepEqual([steps.length, Math.max(...steps.map((s) => s.real?.input ?? 0))], [66, 131_573]);
});
