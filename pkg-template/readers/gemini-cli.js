// @ts-check
// Gemini CLI chat recordings: one JSON document, or JSONL with replacements, rewinds and checkpoints. Decides the live list
// of messages, and takes the model turn and its results, merged in one record, apart again. Refuses thoughts: the CLI shows
// them but does not send them back.

import { assemble, Findings } from './assemble.js';
import { functionOutput, partList, userParts } from './gemini-parts.js';
import { list, object, text, tokens, usageOf } from './parts.js';

/**
 * @typedef {import('./json-text.js').Line} Line
 * @typedef {import('./assemble.js').Entry} Entry
 * @typedef {{ at: number, message: Record<string, any> }} Recorded
 * @typedef {{ at: number, checkpoint: Recorded[] }} Checkpoint
 */

const SHOWN_ONLY = new Set(['info', 'error', 'warning']);

/** @param {any} value */
export function isGeminiCli(value) {
  const record = object(value);
  return typeof record.sessionId === 'string' && (typeof record.projectHash === 'string' || typeof record.startTime === 'string') && !('payload' in record) && !('uuid' in record);
}

/** @param {any} value the JSON document @param {Findings} [findings] */
export function readGeminiJson(value, findings = new Findings()) {
  return sessionOf(list(value.messages).map((message, i) => ({ at: i + 1, message: object(message) })), findings);
}

/** @param {Line[]} lines @param {Findings} [findings] */
export function readGeminiLines(lines, findings = new Findings()) {
  /** @type {(Recorded | Checkpoint)[]} */
  let live = [];
  const start = isGeminiCli(lines[0]?.value) ? lines.slice(1) : lines;
  for (const { line, value } of start) {
    const record = object(value);
    if (typeof record.$rewindTo === 'string') live = rewound(live, record.$rewindTo, line, findings);
    else if (Array.isArray(object(record.$set).messages)) live = checkpointed(live, object(record.$set).messages, line, findings);
    else if (typeof record.id === 'string') {
      // the same id again replaces the message where it stands: the CLI fills in results as they arrive
      const known = live.findLastIndex((item) => 'message' in item && item.message.id === record.id);
      if (known >= 0) live[known] = { at: live[known].at, message: record };
      else live.push({ at: line, message: record });
    }
  }
  return sessionOf(live, findings);
}

/** @param {(Recorded | Checkpoint)[]} live @param {string} id @param {number} line @param {Findings} findings */
function rewound(live, id, line, findings) {
  const from = live.findLastIndex((item) => 'message' in item && item.message.id === id);
  if (from < 0) return live;
  findings.add('dropped_branch', live[from].at, `messages rewound at ${line} are left out`, live.length - from);
  return live.slice(0, from);
}

/**
 * A checkpoint lists the messages anew. Known messages from the start are a rewind; anything else is a rebuilt window, and
 * the history before it stays in the rows.
 * @param {(Recorded | Checkpoint)[]} live @param {any[]} messages @param {number} line @param {Findings} findings
 */
function checkpointed(live, messages, line, findings) {
  const ids = live.map((item) => ('message' in item ? item.message.id : undefined));
  const isPrefix = messages.length <= live.length && messages.every((message, i) => object(message).id !== undefined && object(message).id === ids[i]);
  if (isPrefix) {
    if (messages.length < live.length) findings.add('dropped_branch', live[messages.length].at, `messages rewound at ${line} are left out`, live.length - messages.length);
    return live.slice(0, messages.length);
  }
  return [...live, { at: line, checkpoint: messages.map((message) => ({ at: line, message: object(message) })) }];
}

/** @param {(Recorded | Checkpoint)[]} items @param {Findings} findings @returns {import('./index.js').Session} */
function sessionOf(items, findings) {
  /** @type {Entry[]} */
  const entries = [];
  /** @type {Map<string, Entry[]>} */
  const entriesOf = new Map();
  for (const item of items) {
    if ('checkpoint' in item) {
      const head = item.checkpoint.flatMap(/** @returns {any[]} */ (recorded) => entriesOf.get(recorded.message.id) ?? headOf(recorded, findings));
      entries.push({ kind: 'fold', at: item.at, cause: 'compaction', head });
    } else {
      const made = messageEntries(item, findings);
      entriesOf.set(item.message.id, made);
      entries.push(...made);
    }
  }
  const built = assemble(entries, findings);
  const id = built.steps.map((step) => step.model).filter(Boolean).at(-1);
  return { format: 'gemini-cli', ...(id ? { model: { id, provider: 'google' } } : {}), ...built };
}

/** @param {Recorded} recorded @param {Findings} findings */
function headOf(recorded, findings) {
  return assemble(messageEntries(recorded, findings), findings, { closed: true }).rows.map(({ message }) => message);
}

/** @param {Recorded} recorded @param {Findings} findings @returns {Entry[]} */
function messageEntries({ at, message }, findings) {
  const parts = partList(message.content ?? message.parts);
  if (message.type === 'user') {
    const content = userParts(parts);
    return content.length > 0 ? [{ kind: 'message', at, message: { role: 'user', content: typeof message.content === 'string' ? message.content : content } }] : [];
  }
  if (message.type === 'gemini' || message.type === 'model') return modelEntries(at, message, parts);
  if (!SHOWN_ONLY.has(message.type)) findings.once('unknown_record', at, 'messages of a type this reader does not know are left out');
  return [];
}

/** @param {number} at @param {Record<string, any>} message @param {Record<string, any>[]} parts @returns {Entry[]} */
function modelEntries(at, message, parts) {
  const toolCalls = list(message.toolCalls).map(object);
  const idOf = (/** @type {Record<string, any>} */ call, /** @type {number} */ i) => text(call.id) || `${text(call.name)}_${at}_${i}`;
  const content = [...userParts(parts), ...toolCalls.map((call, i) => ({ type: 'tool-call', toolCallId: idOf(call, i), toolName: text(call.name), input: call.args ?? {} }))];
  const counts = object(message.tokens);
  const usage = usageOf({ input: tokens(counts.input), cacheRead: tokens(counts.cached), output: tokens(counts.output) + tokens(counts.thoughts), reasoning: tokens(counts.thoughts) });
  /** @type {Entry[]} */
  const results = toolCalls.flatMap((call, i) => {
    const response = partList(call.result);
    if (response.length === 0) return [];
    return [{ kind: 'result', at, callId: idOf(call, i), output: functionOutput(response, call.status === 'error' || call.status === 'cancelled') }];
  });
  return [{ kind: 'assistant', at, content, step: { usage, model: text(message.model) || undefined, provider: 'google' } }, ...results];
}
