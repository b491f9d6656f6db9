// Every real session through repeated folds with a briefing by rule: no invariant is broken at any step, no row gets
// lost between two folds, and what was folded had been told to the summarizer. Without the logs this passes over.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import '../../pkg/inline.js';
import { readSession } from '../../pkg/readers/index.js';
import { healedSession } from '../../pkg/replay-heal.js';
import { replaySession } from '../../pkg/replay.js';
import { scriptedSummary } from '../../pkg/scripted-summary.js';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const data = path.join(process.env.GENTLE_SHARED ?? path.join(root, '..', 'shared'), 'data');
const skip = existsSync(data) ? false : 'no real session logs beside the repository (../shared/data)';
if (skip) console.error(`SKIPPED: ${skip}`);

/** Parts of what the session would weigh whole; the smallest into which its newest rows fit makes most folds. */
const PARTS = [0.2, 0.35, 0.5, 0.75, 1, 2, 4];
/** Only the rows count, so that all of the window is there for them; nothing is evicted, so that folds are what relieves. */
const CONFIG = { eviction: { enabled: false }, estimate: { overhead: 0, ratio: 1 } };

const files = skip ? [] : readdirSync(data, { recursive: true }).map(String).filter((f) => /\.(jsonl?|traj)$/.test(f)).sort();
const sessions = [];
for (const file of files) {
  const session = await readSession(readFileSync(path.join(data, file)), { name: file }).catch(() => undefined);
  if (session?.steps.length > 1) sessions.push({ file, session: healedSession(session).session });
}

/** A replay in the smallest window, with what the ledger said and what the summarizer was told. */
async function folded(session) {
  const chars = session.rows.reduce((n, { message }) => n + JSON.stringify(message.content).length, 0);
  const whole = Math.max(16_000, Math.round(chars / 4));
  for (const part of PARTS) {
    const told = new Set();
    const ledgers = [];
    const summarize = (request) => {
      for (const [, row] of request.covered.matchAll(/^\[(?:user|assistant|tool|system), row (\d+)\]$/gm)) told.add(Number(row));
      return scriptedSummary(request);
    };
    const onStep = (_step, { inspection }) => ledgers.push(inspection.ledger);
    const report = await replaySession(session, { window: Math.round(whole * part), summarize, config: CONFIG, onStep }).catch((error) => {
      if (error.code !== 'budget_impossible') throw error;
    });
    if (report?.totals.over === 0) return { report, told, ledgers };
  }
  return undefined;
}

let folds = 0;
for (const { file, session } of sessions) {
  test(`real session ${file}: through all its folds every row is in the ledger once`, async (t) => {
    const done = await folded(session);
    if (!done) return t.skip('one of its steps fits into no window that makes folds');
    const { report, told, ledgers } = done;
    assert.deepEqual(report.violations, []);
    folds += report.totals.folds;
    if (session.steps.length >= 20) assert.ok(report.totals.folds >= 2, `${report.totals.folds} folds in ${session.steps.length} steps`);
    /** Rows that a fold took, and the fold. */
    const gone = new Map();
    for (const [step, ledger] of ledgers.entries()) {
      assert.deepEqual(ledger.map((l) => l.index), ledger.map((_, i) => i), `step ${step}`);
      assert.equal(ledger.length, session.steps[step].row, `step ${step}`);
      for (const { index, state, id } of ledger) {
        if (state === 'folded') {
          assert.ok(id, `row ${index} at step ${step} is folded, but no fold is named`);
          gone.set(index, id);
        } else assert.ok(!gone.has(index), `row ${index} was folded and is ${state} at step ${step}`);
      }
    }
    for (const index of gone.keys()) {
      const { message } = session.rows[index];
      const blank = Array.isArray(message.content) && message.content.every((p) => ['text', 'reasoning'].includes(p.type) && !p.text?.trim());
      assert.ok(told.has(index) || blank, `row ${index} is folded, and no summarizer was told of it`);
    }
  });
}

test('real sessions: there were folds upon folds', { skip }, () => {
  assert.ok(sessions.length >= 35 && folds >= 80, `${folds} folds in ${sessions.length} sessions`);
});
