// @ts-check
// Claude Code session logs (JSONL, one record per line, a tree by parentUuid). Decides what a record means: lines of one
// response are one assistant row, usage is the last line's, compaction records open segments. Sub-agents and rewound
// branches are left out and reported. Refuses to guess reminders the log only hints at.

import { assemble, Findings } from './assemble.js';
import { anthropicUsage, assistantParts, userEntries, userParts } from './anthropic-blocks.js';
import { isBoundary, isConversation, liveRecords, preservedUuids, reportBranches } from './claude-chain.js';
import { list, object, text, tokens, usageOf } from './parts.js';

/**
 * @typedef {import('./json-text.js').Line} Line
 * @typedef {import('./assemble.js').Entry} Entry
 */

/** Records that keep the app's own books; they were never part of a prompt. */
const BOOKKEEPING = new Set(['summary', 'file-history-snapshot', 'queue-operation', 'ai-title', 'custom-title', 'agent-name', 'agent-setting',
  'last-prompt', 'permission-mode', 'mode', 'pr-link', 'bridge-session', 'worktree-state', 'progress', 'system', 'tag', 'started', 'result', 'relocated', 'frame-link']);

/** @param {any} value one record */
export function isClaudeCode(value) {
  const record = object(value);
  if (typeof record.uuid === 'string' && 'parentUuid' in record && 'isSidechain' in record) return true;
  return isConversation(record) && typeof record.sessionId === 'string' && object(record.message).role === record.type;
}

/**
 * @param {Line[]} lines
 * @param {Findings} findings
 * @returns {import('./index.js').Session}
 */
export function readClaudeCode(lines, findings = new Findings()) {
  const all = lines.filter(({ value }) => typeof object(value).uuid === 'string');
  // A sub-agent's own file holds nothing but sidechain records: there it is the conversation.
  const sideways = !all.some(({ value }) => isConversation(value) && value.isSidechain !== true);
  const main = all.filter(({ value }) => sideways || value.isSidechain !== true);
  const live = liveRecords(main);
  reportBranches(main, live, findings);
  if (!sideways) reportSidechains(all, findings);
  reportUnknown(lines, findings);

  const entries = toEntries(foldsAndRecords(main, live), findings);
  const built = assemble(entries, findings);
  const model = built.steps.map((step) => step.model).filter(Boolean).at(-1);
  return { format: 'claude-code', ...(model ? { model: { id: model, provider: 'anthropic' } } : {}), ...built };
}

/**
 * Live records in file order. A boundary whose preserved tail is live belongs to the conversation even when new messages
 * hang on that tail and the walk never passed it.
 * @param {Line[]} main @param {Set<Line>} live
 */
function foldsAndRecords(main, live) {
  const liveIds = new Set([...live].map(({ value }) => value.uuid));
  const boundaries = new Set(main.filter(({ value }) => isBoundary(value)
    && (liveIds.has(value.uuid) || preservedUuids(value).some((uuid) => liveIds.has(uuid)))).map(({ value }) => value.uuid));
  return main.filter((line) => live.has(line) || boundaries.has(line.value.uuid)
    || (line.value.isCompactSummary === true && boundaries.has(line.value.parentUuid)));
}

/** @param {Line[]} records @param {Findings} findings @returns {Entry[]} */
function toEntries(records, findings) {
  /** @type {Entry[]} */
  const entries = [];
  /** @type {Map<string, any>} the assistant entry of each response */
  const responses = new Map();
  /** @type {Map<string, Entry[]>} */
  const entriesOf = new Map();
  /** @type {any} */
  let fold;
  /** @type {Set<string>} preserved records written again behind the boundary: their usage is of the window before it */
  const stale = new Set();
  for (const { line, value } of records) {
    if (isBoundary(value)) {
      const kept = keptBetween(value, entriesOf);
      for (const uuid of preservedUuids(value)) if (!entriesOf.has(uuid)) stale.add(uuid);
      fold = { kind: 'fold', at: line, cause: 'compaction', head: kept, tokensBefore: tokens(object(value.compactMetadata).preTokens) };
      entries.push(fold);
    } else if (value.isCompactSummary === true) {
      // Older versions start over with the summary and write no boundary.
      if (!fold) {
        fold = { kind: /** @type {const} */ ('fold'), at: line, cause: 'compaction', head: [] };
        entries.push(fold);
      }
      const parts = userParts(object(value.message).content, () => {});
      fold.head.splice(summaryCount(fold), 0, { role: 'user', content: stringIfPlain(object(value.message).content, parts) });
    } else if (value.type === 'assistant') {
      fold = undefined;
      const entry = addAssistant(value, line, responses, entries, stale.has(value.uuid), findings);
      if (entry) entriesOf.set(value.uuid, [entry]);
    } else if (value.type === 'user') {
      if (value.isVisibleInTranscriptOnly === true) continue;
      fold = undefined;
      const made = userEntries(object(value.message).content, line, (type) => findings.once('unknown_record', line, `user blocks of type ${quoted(type)} are left out`));
      entries.push(...made);
      entriesOf.set(value.uuid, made);
    }
  }
  return entries;
}

/** Summary messages come before the kept ones, in the order written. @param {any} fold */
function summaryCount(fold) {
  return fold.head.filter((/** @type {any} */ item) => 'role' in item).length;
}

/** Entries a boundary keeps: those named, or everything between the ends of its segment. @param {any} boundary @param {Map<string, Entry[]>} entriesOf */
function keptBetween(boundary, entriesOf) {
  const named = preservedUuids(boundary);
  const order = [...entriesOf.keys()];
  const bySegment = list(object(object(boundary.compactMetadata).preservedMessages).uuids).length === 0 && named.length === 2;
  const uuids = bySegment && order.includes(named[0]) ? order.slice(order.indexOf(named[0]), (order.indexOf(named[1]) + 1 || order.length + 1)) : named;
  return [...new Set(uuids.flatMap((uuid) => entriesOf.get(uuid) ?? []))];
}

/**
 * @param {any} value @param {number} line @param {Map<string, any>} responses @param {Entry[]} entries
 * @param {boolean} stale @param {Findings} findings
 */
function addAssistant(value, line, responses, entries, stale, findings) {
  const message = object(value.message);
  if (value.isApiErrorMessage === true || message.model === '<synthetic>') {
    findings.once('synthetic_message', line, 'messages the app wrote itself (no model call happened) are left out');
    return undefined;
  }
  const id = text(message.id) || value.uuid;
  let entry = responses.get(id);
  if (!entry) {
    entry = { kind: 'assistant', at: line, content: [], step: { model: text(message.model) || undefined, provider: 'anthropic' } };
    responses.set(id, entry);
    entries.push(entry);
  }
  const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : list(message.content);
  entry.content.push(...assistantParts(blocks, (type) => findings.once('unknown_record', line, `assistant blocks of type ${quoted(type)} are left out`)));
  const usage = stale ? undefined : claudeUsage(object(message.usage));
  if (usage) entry.step.usage = usage;
  return entry;
}

/** @param {Record<string, any>} usage */
function claudeUsage(usage) {
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = anthropicUsage(usage);
  const cacheRead = tokens(cache_read_input_tokens);
  const cacheWrite = tokens(cache_creation_input_tokens);
  return usageOf({ input: tokens(input_tokens) + cacheRead + cacheWrite, cacheRead, cacheWrite, output: tokens(output_tokens) });
}

/** @param {unknown} content @param {any[]} parts */
const stringIfPlain = (content, parts) => (typeof content === 'string' ? content : parts);

/** A type name is the log's vocabulary, but bounded so that nothing else can ride on it. @param {string} type */
const quoted = (type) => (/^[\w.-]{1,40}$/.test(type) ? `"${type}"` : 'an unreadable name');

/** @param {Line[]} all @param {Findings} findings one finding per sub-agent run */
function reportSidechains(all, findings) {
  /** @type {Map<string, string>} */
  const rootOf = new Map();
  /** @type {Map<string, { at: number, count: number }>} */
  const runs = new Map();
  for (const { line, value } of all) {
    if (value.isSidechain !== true) continue;
    const root = rootOf.get(value.parentUuid) ?? value.uuid;
    rootOf.set(value.uuid, root);
    if (!isConversation(value)) continue;
    const run = runs.get(root);
    if (run) run.count += 1;
    else runs.set(root, { at: line, count: 1 });
  }
  for (const { at, count } of runs.values()) findings.add('sidechain', at, 'messages of a sub-agent, which has its own window, are left out', count);
}

/** @param {Line[]} lines @param {Findings} findings */
function reportUnknown(lines, findings) {
  for (const { line, value } of lines) {
    const type = text(object(value).type);
    if (type === 'attachment') findings.once('attachment', line, 'attachment records name reminders whose exact prompt text the log does not hold; they are left out');
    else if (!isConversation(object(value)) && !BOOKKEEPING.has(type)) findings.once('unknown_record', line, `records of type ${quoted(type)} are left out`);
  }
}
