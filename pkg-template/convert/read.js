// @ts-check
// Any format as AI SDK rows that remember where they came from. Results get the name of the tool they
// answer, by occurrence of the id. What has no place in a row is noted.

import { toModelMessages } from '../formats/ai-sdk-ui.js';
import { KIND } from '../formats/parts.js';
import { entriesOf } from '../readers/plain.js';

/**
 * @typedef {{ at: number, message: any }} Row a ModelMessage, and the index of the message it came from
 * @typedef {(at: number, what: string, why: string) => void} Note
 */

/**
 * @param {readonly any[]} messages @param {import('../formats/parts.js').Format} format @param {Note} note
 * @returns {Row[]}
 */
export function readRows(messages, format, note) {
  if (format.name === 'ai-sdk') return messages.map((message, at) => ({ at, message }));
  if (format.name === 'ai-sdk-ui') return messages.flatMap((message, at) => toModelMessages([message]).map((row) => ({ at, message: row })));
  messages.forEach((message, at) => noteUnread(message, at, format, note));
  const entries = entriesOf([...messages], /** @type {any} */ (format.name));
  const names = toolNames(entries);
  /** @type {Row[]} */
  const rows = [];
  for (const entry of entries) {
    const at = entry.at - 1;
    if (entry.kind === 'message') rows.push({ at, message: entry.message });
    else if (entry.kind === 'assistant') {
      if (entry.content.length > 0) rows.push({ at, message: entry.message ?? { role: 'assistant', content: entry.content } });
    } else if (entry.kind === 'result') {
      const part = { type: 'tool-result', toolCallId: entry.callId, toolName: names(entry.callId) ?? entry.name ?? '', output: entry.output };
      const last = rows[rows.length - 1];
      // Results of one message, or of one run of them, are one row.
      if (last?.message.role === 'tool') last.message.content.push(part);
      else rows.push({ at, message: { role: 'tool', content: [part] } });
    }
  }
  return rows;
}

/** The name of the call that the next result with an id answers. @param {import('../readers/assemble.js').Entry[]} entries */
function toolNames(entries) {
  /** @type {Map<string, string[]>} */
  const waiting = new Map();
  for (const entry of entries) {
    if (entry.kind !== 'assistant') continue;
    for (const part of entry.content) if (part.type === 'tool-call') waiting.set(part.toolCallId, [...(waiting.get(part.toolCallId) ?? []), part.toolName]);
  }
  return (/** @type {string} */ id) => {
    const names = waiting.get(id);
    return names && names.length > 1 ? names.shift() : names?.[0];
  };
}

/** @param {any} message @param {number} at @param {import('../formats/parts.js').Format} format @param {Note} note */
function noteUnread(message, at, format, note) {
  for (const part of format.parts(message)) {
    if (part.kind === KIND.opaque) note(at, 'part', 'a part or item that only its own format knows');
    else if (part.kind === KIND.approvalRequest || part.kind === KIND.approvalResponse) note(at, 'approval', 'a request for consent or its answer, which are tied to the provider');
    else if ((part.kind === KIND.text || part.kind === KIND.reasoning) && part.text.trim() === '' && !part.flags) note(at, 'text', 'a blank text');
  }
}

/** Content as parts. @param {any} message @returns {any[]} */
export const contentParts = (message) => (typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : Array.isArray(message.content) ? message.content : []);

/**
 * Rows without results inside assistant rows: a tool that the provider ran becomes a call with an answer
 * behind it, for formats that know no others.
 * @param {Row[]} rows @param {Note} note @returns {Row[]}
 */
export function plainRounds(rows, note) {
  return rows.flatMap(({ at, message }) => {
    if (message.role !== 'assistant') return [{ at, message }];
    const parts = contentParts(message);
    if (!parts.some((p) => p?.type === 'tool-result' || p?.providerExecuted)) return [{ at, message }];
    note(at, 'providerExecuted', 'a tool that the provider ran becomes an ordinary call');
    const answered = new Set(parts.filter((p) => p.type === 'tool-result').map((p) => p.toolCallId));
    /** @type {Row[]} */
    const out = [];
    for (const part of parts) {
      if (part.type === 'tool-call' && part.providerExecuted && !answered.has(part.toolCallId)) {
        note(at, 'call', 'a call of the provider without a result');
        continue;
      }
      const role = part.type === 'tool-result' ? 'tool' : 'assistant';
      const last = out[out.length - 1];
      if (last?.message.role === role) last.message.content.push(part);
      else out.push({ at, message: { role, content: [part] } });
    }
    return out;
  });
}
