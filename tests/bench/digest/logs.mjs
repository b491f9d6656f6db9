// Folds that real agents made, beside ours of the same rows: tokens before and after, and how many of the user's
// instructions are still there, word for word. Ours is made by the package with a briefing by rule in place of a model.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { open } from '../../../pkg/inline.js';
import { readSession } from '../../../pkg/readers/index.js';
import { scriptedSummary } from '../../../pkg/scripted-summary.js';
import { memoryStore } from '../../../pkg/stores/memory.js';
import { partsOf } from '../relief/sessions.mjs';
import { sizeOf } from '../relief/tokens.mjs';

/** The logs that hold a fold; the parts of an export are one log. Cline keeps each compacted view in a file of its own. */
const LOGS = [
  { agent: 'Claude Code, auto', files: ['claude-code-codemie/session-624a4a58-compact.jsonl'] },
  { agent: 'Claude Code, manual', files: ['claude-code-vscode/session-98b76fb9-compact.jsonl'] },
  { agent: 'Codex', files: ['codex-localpush-redacted/rollout-with-compaction.jsonl'] },
  { agent: 'opencode', files: ['opencode-k1lib/session-export.part1.json', 'opencode-k1lib/session-export.part2.json'] },
  { agent: 'Cline, basic', files: ['cline-sdk/session.messages.json'], view: 'cline-sdk/basic.compaction.json' },
  { agent: 'Cline, agentic', files: ['cline-sdk/session.messages.json'], view: 'cline-sdk/agentic.compaction.json' },
];

const textOf = (/** @type {any} */ message) => partsOf(message).map((p) => p.text).join('\n');
const tokensOf = (/** @type {any[]} */ messages) => messages.flatMap(partsOf).reduce((sum, p) => sum + sizeOf(p.text), 0);
/** What the user said, message by message: its texts, without white space at their ends. @param {any[]} messages */
const instructions = (messages) =>
  messages
    .filter((m) => m.role === 'user')
    .map((m) => (typeof m.content === 'string' ? [m.content] : m.content.filter((/** @type {any} */ p) => p.type === 'text').map((/** @type {any} */ p) => p.text)).map((text) => text.trim()).filter(Boolean))
    .filter((texts) => texts.length > 0);

/**
 * @typedef {{ agent: string, row: number, before: number, theirs: number, ours: number, instructions: number, keptByThem: number, keptByUs: number }} Compared
 * @param {string} data folder with the logs @returns {Promise<Compared[]>} nothing of logs that are not there
 */
export async function compareLogs(data) {
  const found = [];
  for (const log of LOGS) {
    if ([...log.files, ...(log.view ? [log.view] : [])].every((file) => existsSync(path.join(data, file)))) found.push(...(await compareLog(data, log)));
  }
  return found;
}

/** @param {string} data @param {typeof LOGS[number]} log */
async function compareLog(data, log) {
  const read = (/** @type {string} */ file) => readSession(readFileSync(path.join(data, file)), { name: file });
  const messages = [];
  /** @type {{ row: number, window: any[] }[]} */
  const folds = [];
  /** The log's own window so far: what the fold is made of. */
  let segment = { start: 0, head: /** @type {any[]} */ ([]) };
  const before = [];
  /** @type {any} */
  let model;
  for (const file of log.files) {
    const session = await read(file);
    const offset = messages.length;
    messages.push(...session.rows.map((r) => r.message));
    model = session.model ?? model;
    for (const { start, head, cause } of session.segments) {
      if (cause !== 'compaction') continue;
      before.push(tokensOf([...segment.head, ...messages.slice(segment.start, offset + start)]));
      folds.push({ row: offset + start, window: head });
      segment = { start: offset + start, head };
    }
  }
  if (log.view) {
    const { rows, segments } = await read(log.view);
    const head = segments.findLast((s) => s.cause === 'compaction')?.head ?? [];
    before.push(tokensOf(messages));
    folds.push({ row: messages.length, window: [...head, ...rows.map((r) => r.message)] });
  }
  const views = await ourFolds(messages, folds.map((f) => f.row), model);
  return folds.map(({ row, window }, i) => {
    const said = instructions(messages.slice(0, row));
    const kept = (/** @type {any[]} */ view) => said.filter((texts) => texts.every((text) => view.some((m) => textOf(m).includes(text)))).length;
    return { agent: log.agent, row, before: before[i], theirs: tokensOf(window), ours: tokensOf(views[i]), instructions: said.length, keptByThem: kept(window), keptByUs: kept(views[i]) };
  });
}

/** Our views after folding at the same rows, one fold upon the other. @param {any[]} messages @param {number[]} rows @param {any} model */
async function ourFolds(messages, rows, model) {
  const cascade = await open({ transcript: 'log', format: 'ai-sdk', model: { id: model?.id ?? 'log', window: model?.window ?? 200_000 }, host: { ...memoryStore(), summarize: scriptedSummary } });
  const views = [];
  for (const row of rows) views.push((await cascade.compact({ messages: messages.slice(0, row) })).view);
  cascade.close();
  return views;
}

/** @param {Compared[]} logs */
export function printLogs(logs) {
  if (logs.length === 0) return;
  const n = (/** @type {number} */ value, width = 8) => String(value).padStart(width);
  console.log('\nFolds in real logs beside ours of the same rows: tokens, and user instructions that survive word for word.\n');
  console.log(`${'agent'.padEnd(22)} row    before    theirs      ours  instructions  theirs  ours`);
  for (const l of logs) console.log(`${l.agent.padEnd(20)} ${n(l.row, 5)}  ${n(l.before)}  ${n(l.theirs)}  ${n(l.ours)}  ${n(l.instructions, 12)}  ${n(l.keptByThem, 6)}  ${n(l.keptByUs, 4)}`);
}
