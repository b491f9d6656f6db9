// What survives of folded rows in real sessions, without a model and beside the folds of other agents. The logs are not
// part of this repository; without them this says so and passes over.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const data = path.join(process.env.GENTLE_SHARED ?? path.join(root, '..', 'shared'), 'data');
const skip = existsSync(data) ? false : 'no real session logs beside the repository (../shared/data)';
if (skip) console.error(`SKIPPED: ${skip}`);

const { folds, logs } = skip ? { folds: [], logs: [] } : JSON.parse(execFileSync(process.execPath, ['tests/bench/digest/run.mjs', data, '--json'], { cwd: root, encoding: 'utf8', maxBuffer: 1e8 }));
/** Of all names used after the folds, the share that a way kept. */
const share = (way) => folds.reduce((sum, f) => sum + f.kept[way] * f.names, 0) / folds.reduce((sum, f) => sum + f.names, 0);

test('digests of real sessions keep more than twice the names that are used afterwards, at equal size', { skip }, () => {
  assert.ok(folds.length >= 25, `${folds.length} folds`);
  for (const way of ['drop-oldest', 'head-tail']) {
    assert.ok(share('ours') > 2 * share(way), `ours ${share('ours')}, ${way} ${share(way)}`);
    assert.ok(folds.every((f) => f.kept.ours >= f.kept[way]), `${way} keeps more in some fold`);
  }
});

test('beside the folds in real logs: ours keeps every instruction of the user word for word', { skip }, () => {
  assert.deepEqual(logs.map((l) => l.agent), ['Claude Code, auto', 'Claude Code, manual', 'Codex', 'opencode', 'opencode', 'Cline, basic', 'Cline, agentic']);
  for (const log of logs) {
    assert.equal(log.keptByUs, log.instructions, `${log.agent} at row ${log.row}`);
    assert.ok(log.instructions > 0 && log.ours <= log.before, JSON.stringify(log));
  }
  assert.ok(logs.every((l) => l.keptByThem <= l.keptByUs) && logs.filter((l) => l.keptByThem < l.keptByUs).length >= 5);
});
