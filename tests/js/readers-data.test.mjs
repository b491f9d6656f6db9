// Real session logs through every reader: known totals, and soundness of rows and of every step's prompt. The logs are not
// part of this repository; without them these tests say so and pass over.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readSession } from '../../pkg-template/readers/index.js';
import { assertSound, calls, kinds } from './readers-checks.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const data = path.join(process.env.GENTLE_SHARED ?? path.join(root, '..', 'shared'), 'data');
const present = existsSync(data);
if (!present) console.warn('\n*** SKIPPED: no real session logs beside the repository (../shared/data); readers are tested on hand-made logs only. ***\n');

/** file: format, model calls, of these with usage, largest prompt, calls, segments, findings */
const LOGS = [
  ['pi-mono/large-session.jsonl', 'pi', 438, 431, 177604, 373, 1, { broken_off: 18, empty_message: 15 }],
  ['claude-code-codemie/session-624a4a58-compact.jsonl', 'claude-code', 55, 55, 155741, 48, 2, {}],
  ['claude-code-codemie/subagents/main.jsonl', 'claude-code', 11, 11, 51987, 14, 1, {}],
  ['claude-code-codemie/subagents/agent-a485154.jsonl', 'claude-code', 6, 6, 57743, 20, 1, {}],
  ['claude-code-obra/large-conversation.jsonl', 'claude-code', 170, 170, 534859, 152, 1, { moved_result: 2 }],
  ['claude-code-vscode/session-30530d66.jsonl', 'claude-code', 15, 14, 77248, 25, 1, {}],
  ['claude-code-vscode/session-98b76fb9-compact.jsonl', 'claude-code', 3, 3, 24744, 0, 2, { synthetic_message: 1 }],
  ['claude-code-vscode/parallel-subagents/main.jsonl', 'claude-code', 2, 2, 16846, 4, 1, {}],
  ['claude-code-sidechain/sidechains-in-one-file.jsonl', 'claude-code', 9, 9, 21552, 11, 1, { sidechain: 405 }],
  ['claude-code-sidechain/sidechain-ja.jsonl', 'claude-code', 10, 10, 26080, 13, 1, { sidechain: 22 }],
  ['codex-codemie/rollout-2026-05-11T11-26-55.jsonl', 'codex', 66, 66, 131573, 105, 1, {}],
  ['codex-localpush-redacted/rollout-with-compaction.jsonl', 'codex', 286, 286, 209950, 372, 2, {}],
  ['codex-agtrace/codex_session.jsonl', 'codex', 7, 7, 4139, 5, 1, {}],
  ['opencode-k1lib/session-export.part1.json', 'opencode', 405, 405, 177580, 357, 2, {}],
  ['opencode-k1lib/session-export.part2.json', 'opencode', 143, 142, 134890, 132, 1, { missing_tail: 1 }],
  ['opencode-events-kimaki/real-session-task-three-parallel-sleeps.jsonl', 'opencode', 2, 2, 47041, 3, 1, {}],
  ['gemini-cli/session-2025-12-01T21-45.json', 'gemini-cli', 11, 11, 18325, 10, 1, {}],
  ['gemini-cli/agtrace-gemini-session.json', 'gemini-cli', 7, 7, 21501, 5, 1, {}],
  ['cline-sdk/session.messages.json', 'cline', 16, 16, 51852, 11, 1, {}],
  ['cline-sdk/basic.compaction.json', 'cline', 5, 0, 0, 0, 1, { compacted_list: 22 }],
  ['cline-sdk/agentic.compaction.json', 'cline', 1, 1, 12238, 0, 1, {}],
  ['openhands-v0/ponylang__ponyc-4588.json', 'openhands', 49, 49, 27127, 49, 1, {}],
  ['openhands-v0/ponylang__ponyc-4593.json', 'openhands', 33, 33, 19391, 33, 1, {}],
  ['openhands-v1-llm-logs/events.jsonl', 'openhands', 2, 2, 35984, 2, 1, { orphan_result: 1 }],
  ['openhands-v1-llm-logs/fncall-llm-message.json', 'openai-chat', 6, 0, 0, 6, 1, {}],
  ['swe-agent/pydantic__pydantic.acb0f10f.pr_8316.traj', 'swe-agent', 22, 0, 0, 22, 1, {}],
  ['langchain-seed/summarization_seed_messages.json', 'langchain', 3, 3, 13541, 2, 1, {}],
  ['langgraph-deerflow/thread-60-messages.json', 'langchain', 29, 0, 0, 27, 1, {}],
  ['langgraph-deerflow/thread-zh.json', 'langchain', 19, 0, 0, 17, 1, { empty_message: 1 }],
];

const has = (...files) => present && files.every((file) => existsSync(path.join(data, file)));
const read = (file, options) => readSession(readFileSync(path.join(data, file)), options);

for (const [file, format, steps, withUsage, largest, toolCalls, segments, findings] of LOGS) {
  test(`real log ${file}`, { skip: !has(file) }, async () => {
    const session = await read(file);
    assertSound(session);
    const inputs = session.steps.flatMap((step) => (step.usage ? [step.usage.input] : []));
    assert.deepEqual({ format: session.format, steps: session.steps.length, withUsage: inputs.length, largest: Math.max(0, ...inputs), calls: calls(session).length, segments: session.segments.length, findings: kinds(session) },
      { format, steps, withUsage, largest, calls: toolCalls, segments, findings });
  });
}

const COMPACTED = ['claude-code-codemie/session-624a4a58-compact.jsonl', 'codex-localpush-redacted/rollout-with-compaction.jsonl', 'opencode-k1lib/session-export.part1.json'];
test('real logs: what a compaction leaves', { skip: !has(...COMPACTED) }, async () => {
  const [claude, codex, opencode] = await Promise.all(COMPACTED.map((file) => read(file)));
  assert.deepEqual([claude.segments[1].head.length, claude.segments[1].tokensBefore], [1, 155979]);
  assert.equal(codex.segments[1].head.length, 40);
  assert.equal(codex.model.window, 258400);
  const kept = opencode.segments[1].head.slice(1);
  const first = opencode.rows.findIndex((row) => row.message === kept[0]);
  assert.deepEqual([opencode.rows[first].position, kept[0].role, opencode.segments[1].tokensBefore], [258, 'assistant', 106516], 'the tail starts at an assistant message');
  assert.deepEqual(kept, opencode.rows.slice(first, opencode.segments[1].start).map((row) => row.message));
});

test('real logs: the reported curves come out step for step', { skip: !has('usage-curves') }, async () => {
  const curves = { 'cc-codemie-624a': 'claude-code-codemie/session-624a4a58-compact.jsonl', 'cc-subagent': 'claude-code-codemie/subagents/agent-a485154.jsonl', 'cc-vscode': 'claude-code-vscode/session-30530d66.jsonl',
    cline: 'cline-sdk/session.messages.json', 'codex-agtrace': 'codex-agtrace/codex_session.jsonl', 'codex-codemie': 'codex-codemie/rollout-2026-05-11T11-26-55.jsonl', 'gemini-a': 'gemini-cli/session-2025-12-01T21-45.json',
    'oh-ponylang__ponyc-4588': 'openhands-v0/ponylang__ponyc-4588.json', 'oh-ponylang__ponyc-4593': 'openhands-v0/ponylang__ponyc-4593.json', 'pi-large': 'pi-mono/large-session.jsonl' };
  for (const [curve, file] of Object.entries(curves).filter(([name, log]) => has(`usage-curves/${name}.csv`, log))) {
    const [head, ...lines] = readFileSync(path.join(data, 'usage-curves', `${curve}.csv`), 'utf8').trim().split('\n').map((line) => line.split(','));
    const column = (name) => lines.map((line) => Number(line[head.indexOf(name)]));
    const usage = (await read(file)).steps.flatMap((step) => (step.usage ? [step.usage] : []));
    assert.deepEqual(usage.map(({ input }) => input), column('input_tokens'), curve);
    assert.deepEqual(usage.map(({ cacheRead = 0 }) => cacheRead), column('cache_read'), curve);
    assert.deepEqual(usage.map(({ output }) => output), column('output_tokens'), curve);
  }
});

test('real logs: every run of a benchmark file, and files with many record types', { skip: !has('tau-bench', 'schema-drift') }, async () => {
  for (let conversation = 1; conversation <= 24; conversation += 1) {
    const session = await read('tau-bench/gpt-4o-airline-24-longest.json', { conversation });
    assertSound(session);
    assert.equal(session.format, 'openai-chat');
    assert.ok(session.system.length > 1000 && session.rows.length > 10);
  }
  for (const [file, format] of [['claude-many-record-types.jsonl', 'claude-code'], ['codex-many-record-types.jsonl', 'codex'], ['gemini.json', 'gemini-cli'], ['pi.jsonl', 'pi']]) {
    const session = await read(`schema-drift/${file}`);
    assertSound(session);
    assert.equal(session.format, format);
  }
  for (const file of ['copilot-cli.jsonl', 'kimi-cli.jsonl', 'qwen-code.jsonl']) await assert.rejects(read(`schema-drift/${file}`), { code: 'bad_input' });
});
