// @ts-check
// opencode sessions: `opencode export` JSON, and server event streams folded to the same messages. Decides which parts reach
// the prompt, splits messages into steps, and builds the window after a compaction from its summary and tail. Refuses the
// in-place pruning the app does later: a cleared result still has its output in the rows.

import { assemble, Findings } from './assemble.js';
import { dataUrl, list, mediaPart, object, outputOf, text, tokens, usageOf } from './parts.js';

/**
 * @typedef {{ at: number, info: Record<string, any>, parts: Record<string, any>[] }} Stored one message with its parts
 * @typedef {import('./assemble.js').Entry} Entry
 */

/** @param {any} value the JSON document */
export function isOpencode(value) {
  const first = object(list(object(value).messages)[0]);
  return Array.isArray(object(value).messages) && Array.isArray(first.parts) && typeof object(first.info).role === 'string';
}

/** @param {any} value an export @param {Findings} [findings] */
export function readOpencode(value, findings = new Findings()) {
  const messages = list(value.messages).map((raw, i) => ({ at: i + 1, info: object(object(raw).info), parts: list(object(raw).parts).map(object) }));
  return sessionOf(messages, findings);
}

/**
 * @param {Stored[]} messages of one session, in order
 * @param {Findings} findings
 * @returns {import('./index.js').Session}
 */
export function sessionOf(messages, findings) {
  /** @type {Entry[]} */
  const entries = [];
  /** @type {Map<string, number>} index in entries of each message's first entry */
  const begins = new Map();
  const summaries = new Map(messages.filter(isSummary).map((message) => [message.info.parentID, message]));
  for (const message of messages) {
    begins.set(text(message.info.id), entries.length);
    const compaction = message.info.role === 'user' && message.parts.find((part) => part.type === 'compaction');
    if (compaction) {
      const summary = summaries.get(message.info.id);
      // A compaction that was asked for but never written left the window as it was.
      if (summary && wordsOf(summary) !== '') entries.push(foldOf(message, compaction, summary, entries, begins, findings));
    } else if (message.info.role === 'user') {
      entries.push(...userEntries(message));
    } else if (message.info.role === 'assistant' && !isSummary(message)) {
      entries.push(...assistantEntries(message));
    }
  }
  const built = assemble(entries, findings);
  const last = built.steps.filter((step) => step.model).at(-1);
  return { format: 'opencode', ...(last ? { model: { id: /** @type {string} */ (last.model), ...(last.provider ? { provider: last.provider } : {}) } } : {}), ...built };
}

/** On user messages `summary` is an object of diffs; only `true` marks a compaction. @param {Stored} message */
const isSummary = ({ info }) => info.role === 'assistant' && info.summary === true;

/** @param {Stored} message */
const wordsOf = ({ parts }) => parts.filter((part) => part.type === 'text').map((part) => text(part.text)).join('\n').trim();

/**
 * @param {Stored} message @param {Record<string, any>} compaction @param {Stored} summary
 * @param {Entry[]} entries @param {Map<string, number>} begins @param {Findings} findings @returns {Entry}
 */
function foldOf(message, compaction, summary, entries, begins, findings) {
  const tail = text(compaction.tail_start_id);
  const from = begins.get(tail);
  if (tail !== '' && from === undefined) findings.add('missing_tail', message.at, 'a compaction keeps messages from one that is not in this file; only its summary is used');
  const kept = from === undefined ? [] : entries.slice(from).filter((entry) => entry.kind !== 'fold');
  return { kind: 'fold', at: message.at, cause: 'compaction', head: [{ role: 'user', content: wordsOf(summary) }, ...kept], tokensBefore: stepInfo(summary.info, summary.parts, true).usage?.input };
}

/** @param {Stored} message @returns {Entry[]} */
function userEntries({ at, parts }) {
  const content = parts.flatMap(/** @returns {any[]} */ (part) => {
    if (part.type === 'text' && part.ignored !== true && text(part.text) !== '') return [{ type: 'text', text: part.text }];
    if (part.type === 'subtask') return [{ type: 'text', text: 'The following tool was executed by the user' }];
    if (part.type === 'file') return filePart(part);
    return [];
  });
  return content.length > 0 ? [{ kind: 'message', at, message: { role: 'user', content } }] : [];
}

/** Text files and directories are sent as synthetic text parts of their own. @param {Record<string, any>} part */
function filePart(part) {
  const mediaType = text(part.mime);
  if (mediaType === 'text/plain' || mediaType === 'application/x-directory' || text(part.url) === '') return [];
  return [mediaPart(mediaType, dataUrl(part.url)?.data ?? part.url, text(part.filename))];
}

/** One message is one step in current versions; older ones hold several, parted by step-start. @param {Stored} message @returns {Entry[]} */
function assistantEntries({ at, info, parts }) {
  /** @type {Record<string, any>[][]} */
  const steps = [[]];
  for (const part of parts) {
    if (part.type === 'step-start' && steps[steps.length - 1].length > 0) steps.push([]);
    steps[steps.length - 1].push(part);
  }
  return steps.flatMap((step, i) => stepEntries(at, step, stepInfo(info, step, i === steps.length - 1)));
}

/** @param {Record<string, any>} info @param {Record<string, any>[]} parts @param {boolean} last */
function stepInfo(info, parts, last) {
  const finish = parts.findLast((part) => part.type === 'step-finish');
  const spent = info.error ? {} : object(finish?.tokens ?? (last ? info.tokens : undefined));
  const cacheRead = tokens(object(spent.cache).read);
  const cacheWrite = tokens(object(spent.cache).write);
  const reasoning = tokens(spent.reasoning);
  const usage = usageOf({ input: tokens(spent.input) + cacheRead + cacheWrite, cacheRead, cacheWrite, output: tokens(spent.output) + reasoning, reasoning });
  return { usage, model: text(info.modelID) || undefined, provider: text(info.providerID) || undefined };
}

/** @param {number} at @param {Record<string, any>[]} parts @param {any} step @returns {Entry[]} */
function stepEntries(at, parts, step) {
  const content = parts.flatMap(/** @returns {any[]} */ (part) => {
    if (part.type === 'text') return text(part.text) === '' ? [] : [{ type: 'text', text: part.text, ...options(part.metadata) }];
    if (part.type === 'reasoning') return text(part.text) === '' && !part.metadata ? [] : [{ type: 'reasoning', text: text(part.text), ...options(part.metadata) }];
    if (part.type === 'tool') return [{ type: 'tool-call', toolCallId: text(part.callID), toolName: text(part.tool), input: object(part.state).input ?? {}, ...options(part.metadata) }];
    return [];
  });
  /** @type {Entry[]} */
  const results = parts.filter((part) => part.type === 'tool').flatMap((part) => {
    const output = toolOutput(object(part.state));
    return output ? [{ kind: 'result', at, callId: text(part.callID), output }] : [];
  });
  return [{ kind: 'assistant', at, content, step }, ...results];
}

/** Metadata of a part is provider metadata where its values are objects. @param {unknown} metadata */
function options(metadata) {
  const known = Object.entries(object(metadata)).filter(([, value]) => value !== null && typeof value === 'object' && !Array.isArray(value));
  return known.length > 0 ? { providerOptions: Object.fromEntries(known) } : {};
}

/** A pending or running call has no result. @param {Record<string, any>} state */
function toolOutput(state) {
  if (state.status === 'error') return { type: 'error-text', value: text(state.error) };
  if (state.status !== 'completed') return null;
  const files = list(state.attachments).map(object).flatMap(filePart);
  const words = text(state.output);
  return files.length > 0 ? outputOf([...(words === '' ? [] : [{ type: 'text', text: words }]), ...files]) : { type: 'text', value: words };
}
