// @ts-check
// pi session logs (JSONL: v1 linear, v2 and later a tree by parentId). Decides the live path, what each message role
// becomes and how a compaction builds its window. Refuses usage of aborted and failed responses (it is a placeholder)
// and those of their calls that nobody ran: pi does not send them again.

import { assemble, Findings } from './assemble.js';
import { argumentsOf, list, mediaPart, object, outputOf, text, tokens, usageOf } from './parts.js';

/**
 * @typedef {import('./json-text.js').Line} Line
 * @typedef {import('./assemble.js').Entry} Entry
 */

const BOOKKEEPING = new Set(['session', 'model_change', 'thinking_level_change', 'custom', 'label', 'session_info', 'message', 'compaction', 'branch_summary', 'custom_message']);

/** @param {any} value the first record of the file */
export function isPi(value) {
  const record = object(value);
  return record.type === 'session' && typeof record.cwd === 'string' && typeof record.id === 'string' && !('payload' in record);
}

/**
 * @param {Line[]} lines
 * @param {Findings} findings
 * @returns {import('./index.js').Session}
 */
export function readPi(lines, findings = new Findings()) {
  const header = object(lines[0]?.value);
  const tree = lines.some(({ value }) => typeof object(value).id === 'string' && 'parentId' in value);
  const live = tree ? livePath(lines) : new Set(lines);
  const dropped = lines.filter((line) => !live.has(line) && object(line.value).type === 'message');
  if (dropped.length > 0) findings.add('dropped_branch', dropped[0].line, 'messages of a branch that was left are not part of the session', dropped.length);

  /** @type {Entry[]} */
  const entries = [];
  /** @type {Entry[]} */
  const broken = [];
  /** @type {(Entry[] | undefined)[]} entries by index of the file's records, which v1 compactions count in */
  const byIndex = [];
  lines.forEach((line, index) => {
    if (!live.has(line)) return;
    const record = object(line.value);
    const made = record.type === 'compaction' ? [foldOf(record, line.line, index, lines, byIndex, findings)] : entriesOf(record, line.line, findings);
    if (record.type !== 'compaction') byIndex[index] = made;
    entries.push(...made);
    if (brokeOff(object(record.message))) broken.push(...made);
  });
  leaveOutUnrun(broken, entries, findings);
  const built = assemble(entries, findings);
  const last = built.steps.filter((step) => step.usage).at(-1);
  const id = last?.model ?? text(header.modelId);
  const provider = last ? last.provider : text(header.provider);
  return { format: 'pi', ...(id ? { model: { id, ...(provider ? { provider } : {}) } } : {}), ...built };
}

/** @param {Entry[]} broken responses that were aborted or failed @param {Entry[]} entries @param {Findings} findings */
function leaveOutUnrun(broken, entries, findings) {
  const run = new Set(entries.map((entry) => (entry.kind === 'result' ? entry.callId : undefined)));
  for (const entry of broken) {
    if (entry.kind !== 'assistant') continue;
    const sent = entry.content.filter((part) => part.type !== 'tool-call' || run.has(part.toolCallId));
    if (sent.length === entry.content.length) continue;
    findings.add('broken_off', entry.at, 'calls of a response that broke off were never run and are left out', entry.content.length - sent.length);
    entry.content = sent;
  }
}

/** The path from the last record to its root. @param {Line[]} lines @returns {Set<Line>} */
function livePath(lines) {
  const byId = new Map(lines.map((line) => [object(line.value).id, line]));
  /** @type {Set<Line>} */
  const live = new Set(lines.slice(0, 1));
  for (let line = lines.findLast(({ value }) => typeof object(value).id === 'string'); line && !live.has(line); line = byId.get(object(line.value).parentId)) live.add(line);
  return live;
}

/**
 * @param {Record<string, any>} record @param {number} line @param {number} index @param {Line[]} lines
 * @param {(Entry[] | undefined)[]} byIndex @param {Findings} findings @returns {Entry}
 */
function foldOf(record, line, index, lines, byIndex, findings) {
  const byId = typeof record.firstKeptEntryId === 'string';
  const named = byId ? lines.findIndex(({ value }) => object(value).id === record.firstKeptEntryId) : record.firstKeptEntryIndex;
  const first = Number.isInteger(named) && named >= 0 && named <= index ? named : index;
  if (first !== named) findings.add('missing_tail', line, 'a compaction keeps messages from a record that is not in the log; only its summary is used');
  const kept = byIndex.slice(first, index).flatMap((made) => made ?? []);
  return { kind: 'fold', at: line, cause: 'compaction', head: [{ role: 'user', content: text(record.summary) }, ...kept], tokensBefore: tokens(record.tokensBefore) };
}

/** @param {Record<string, any>} record @param {number} line @param {Findings} findings @returns {Entry[]} */
function entriesOf(record, line, findings) {
  if (record.type === 'message') return messageEntries(object(record.message), line, findings);
  if (record.type === 'custom_message') return userEntry(record.content, line);
  if (record.type === 'branch_summary') return userEntry(record.summary, line);
  if (!BOOKKEEPING.has(record.type)) findings.once('unknown_record', line, 'records of a type this reader does not know are left out');
  return [];
}

/** @param {Record<string, any>} message @param {number} line @param {Findings} findings @returns {Entry[]} */
function messageEntries(message, line, findings) {
  switch (message.role) {
    case 'user':
    case 'custom':
      return userEntry(message.content, line);
    case 'assistant':
      return [{ kind: 'assistant', at: line, content: assistantParts(message), step: stepOf(message) }];
    case 'toolResult':
      return [{ kind: 'result', at: line, callId: text(message.toolCallId), name: text(message.toolName), output: outputOf(contentParts(message.content), message.isError === true) }];
    case 'bashExecution':
      return message.excludeFromContext === true ? [] : userEntry(`Ran \`${text(message.command)}\`\n\`\`\`\n${text(message.output)}\n\`\`\``, line);
    default:
      findings.once('unknown_record', line, 'messages of a role this reader does not know are left out');
      return [];
  }
}

const brokeOff = (/** @type {Record<string, any>} */ message) => message.stopReason === 'aborted' || message.stopReason === 'error';

/** @param {Record<string, any>} message */
function stepOf(message) {
  const spent = brokeOff(message) ? {} : object(message.usage);
  const cacheRead = tokens(spent.cacheRead);
  const cacheWrite = tokens(spent.cacheWrite);
  const usage = usageOf({ input: tokens(spent.input) + cacheRead + cacheWrite, cacheRead, cacheWrite, output: tokens(spent.output) });
  return { usage, model: text(message.model) || undefined, provider: text(message.provider) || undefined };
}

/** @param {unknown} content @param {number} line @returns {Entry[]} */
function userEntry(content, line) {
  const parts = contentParts(content);
  if (parts.length === 0) return [];
  return [{ kind: 'message', at: line, message: { role: 'user', content: typeof content === 'string' ? content : parts } }];
}

/** @param {unknown} content @returns {any[]} */
function contentParts(content) {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return list(content).flatMap(/** @returns {any[]} */ (raw) => {
    const block = object(raw);
    if (block.type === 'text') return text(block.text) === '' ? [] : [{ type: 'text', text: block.text }];
    if (block.type === 'image') return [mediaPart(text(block.mimeType) || 'image/*', text(block.data))];
    return [];
  });
}

/** @param {Record<string, any>} message */
function assistantParts(message) {
  return list(message.content).flatMap(/** @returns {any[]} */ (raw) => {
    const block = object(raw);
    const provider = text(message.provider) || 'pi';
    if (block.type === 'text') return text(block.text) === '' ? [] : [{ type: 'text', text: block.text, ...signed(provider, block.textSignature) }];
    if (block.type === 'thinking') return [{ type: 'reasoning', text: text(block.thinking), ...signed(provider, block.thinkingSignature) }];
    if (block.type === 'toolCall') {
      return [{ type: 'tool-call', toolCallId: text(block.id), toolName: text(block.name), input: argumentsOf(block.arguments), ...signed(provider, block.thoughtSignature) }];
    }
    return [];
  });
}

/** @param {string} provider @param {unknown} signature */
function signed(provider, signature) {
  return typeof signature === 'string' && signature !== '' ? { providerOptions: { [provider]: { signature } } } : {};
}
