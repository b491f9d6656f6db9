// @ts-check
// Cline session stores (session.messages.json), classic api_conversation_history.json and Roo's tagged form of it. Decides
// which messages are summaries or markers rather than history, and what they leave of the window. Refuses to guess the
// classic deleted range: it is kept in another file.

import { assemble, Findings } from './assemble.js';
import { assistantParts, userEntries, userParts } from './anthropic-blocks.js';
import { list, object, text, tokens, usageOf, valueOutput } from './parts.js';

/** @typedef {import('./assemble.js').Entry} Entry */

/** @param {any} value the JSON document */
export function isCline(value) {
  if (Array.isArray(value)) {
    return value.length > 0 && value.slice(0, 20).every((message) => isMessage(message)) && value.some((message) => typeof message.ts === 'number' || 'condenseParent' in message || 'truncationParent' in message);
  }
  const store = object(value);
  return Array.isArray(store.messages) && store.messages.every(isMessage) && ('system_prompt' in store || typeof store.sessionId === 'string') && 'version' in store;
}

/** @param {any} message */
const isMessage = (message) => (object(message).role === 'user' || object(message).role === 'assistant') && 'content' in message;

/** @param {any} value @param {Findings} [findings] @returns {import('./index.js').Session} */
export function readCline(value, findings = new Findings()) {
  const classic = Array.isArray(value);
  const messages = (classic ? value : list(value.messages)).map(object);
  if (classic && !messages.some((message) => message.isSummary || message.isTruncationMarker)) {
    findings.add('unknown_range', 1, 'messages this app cut from its window are named in another file; the whole history is shown as one window');
  }
  /** @type {Entry[]} */
  const entries = [];
  /** @type {{ message: Record<string, any>, made: Entry[] }[]} */
  const seen = [];
  messages.forEach((message, i) => {
    const fold = foldOf(message, i + 1, seen);
    if (fold) entries.push(fold);
    else {
      const made = messageEntries(message, i + 1, findings);
      seen.push({ message, made });
      entries.push(...made);
    }
  });
  const built = assemble(entries, findings);
  const last = built.steps.filter((step) => step.model).at(-1);
  const system = classic ? '' : text(value.system_prompt);
  return {
    format: 'cline',
    ...(last ? { model: { id: /** @type {string} */ (last.model), ...(last.provider ? { provider: last.provider } : {}) } } : {}),
    ...(system ? { system } : {}),
    ...built,
  };
}

/**
 * A summary or truncation marker, which is not history.
 * @param {Record<string, any>} message @param {number} at @param {{ message: Record<string, any>, made: Entry[] }[]} seen
 * @returns {Entry | null}
 */
function foldOf(message, at, seen) {
  const { kind, tokensBefore } = object(message.metadata);
  const summary = { role: 'user', content: typeof message.content === 'string' ? message.content : userParts(message.content, () => {}) };
  if (kind === 'compaction_summary' || message.isSummary === true) {
    return { kind: 'fold', at, cause: 'compaction', head: [summary], tokensBefore: tokens(tokensBefore) };
  }
  if (message.isTruncationMarker === true) {
    const kept = seen.filter((item) => !item.message.truncationParent && !item.message.condenseParent).flatMap((item) => item.made);
    return { kind: 'fold', at, cause: 'truncation', head: [...kept, summary] };
  }
  return null;
}

/** @param {Record<string, any>} message @param {number} at @param {Findings} findings @returns {Entry[]} */
function messageEntries(message, at, findings) {
  const { kind, messagesRemoved } = object(message.metadata);
  if (kind === 'compaction') findings.add('compacted_list', at, 'messages were removed from this list by a compaction before it was stored', tokens(messagesRemoved));
  const unknown = () => findings.once('unknown_record', at, 'content blocks of a type this reader does not know are left out');
  const blocks = list(message.content).map(object);
  if (message.role === 'assistant') {
    const content = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : assistantParts(blocks, unknown);
    return [{ kind: 'assistant', at, content, step: stepOf(message) }];
  }
  const results = blocks.filter((block) => block.type === 'tool_result' && !isBlocks(block.content));
  return [
    ...results.map((block) => ({ kind: /** @type {const} */ ('result'), at, callId: text(block.tool_use_id), output: valueOutput(block.content, block.is_error === true) })),
    ...userEntries(typeof message.content === 'string' ? message.content : blocks.filter((block) => !results.includes(block)).map(fileAsText), at, unknown),
  ];
}

/** Results may be lists of the tool's own objects instead of content blocks. @param {unknown} content */
const isBlocks = (content) => content == null || typeof content === 'string' || (Array.isArray(content) && content.every((block) => typeof object(block).type === 'string'));

/** @param {Record<string, any>} block an attached file is sent as text */
function fileAsText(block) {
  if (block.type !== 'file') return block;
  return { type: 'text', text: `<file_content path="${text(block.path)}">\n${text(block.content)}\n</file_content>` };
}

/** @param {Record<string, any>} message */
function stepOf(message) {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = object(message.metrics);
  const usage = usageOf({ input: tokens(inputTokens), cacheRead: tokens(cacheReadTokens), cacheWrite: tokens(cacheWriteTokens), output: tokens(outputTokens) });
  return { usage, model: text(object(message.modelInfo).id) || undefined, provider: text(object(message.modelInfo).provider) || undefined };
}
