// What every session must satisfy, whatever its format, and short views of a session for expectations.
import assert from 'node:assert/strict';
import { promptBefore } from '../../pkg-template/readers/index.js';

export const jsonl = (records) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

const parts = (message) => (Array.isArray(message.content) ? message.content : []);
/** Messages in a few words: text as it is, calls as name:id, results by their value. */
export const texts = (messages) => messages.map((message) => (typeof message.content === 'string' ? message.content
  : parts(message).map((part) => part.text ?? (part.type === 'tool-call' ? `${part.toolName}:${part.toolCallId}` : part.output?.value)).join(' ')));
export const calls = (session) => session.rows.flatMap(({ message }) => parts(message).filter((part) => part.type === 'tool-call'));
export const outputs = (session) => session.rows.filter(({ message }) => message.role === 'tool').flatMap(({ message }) => message.content.map((part) => part.output));
/** Findings by kind; a finding without a count is one. */
export const kinds = (session) => {
  const sums = {};
  for (const { kind, count = 1 } of session.healed) sums[kind] = (sums[kind] ?? 0) + count;
  return sums;
};

/** Every call answered right behind its assistant message, by occurrence since ids may repeat; the last round may be open if `open`. */
export function assertPaired(messages, label, open) {
  let waiting = [];
  messages.forEach((message, i) => {
    if (message.role === 'tool') {
      for (const part of parts(message).filter(({ type }) => type === 'tool-result')) {
        const index = waiting.indexOf(part.toolCallId);
        assert.ok(index >= 0, `${label}: orphan result in message ${i}`);
        waiting.splice(index, 1);
      }
      return;
    }
    assert.equal(waiting.length, 0, `${label}: unanswered call before message ${i}`);
    if (message.role === 'assistant') waiting = parts(message).filter((part) => part.type === 'tool-call' && !part.providerExecuted).map((part) => part.toolCallId);
  });
  if (!open) assert.equal(waiting.length, 0, `${label}: unanswered call at the end`);
}

/** @param {any} session */
export function assertSound(session) {
  const { rows, steps, segments, healed } = session;
  assertPaired(rows.map(({ message }) => message), 'rows', true);
  assert.deepEqual(steps.map(({ row }) => row), rows.flatMap(({ message }, i) => (message.role === 'assistant' && parts(message)[0]?.type !== 'custom' ? [i] : [])), 'one step per assistant row');
  for (const { row } of steps) assertPaired(promptBefore(session, row), `prompt of row ${row}`, false);
  for (const { usage } of steps) if (usage) assert.ok(usage.input > 0 && (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0) <= usage.input);
  let last = 0;
  for (const { message, position } of rows) {
    if (position === null) continue;
    assert.ok(message.role === 'assistant' ? position > last : position >= last, `position ${position} after ${last}`);
    last = position;
  }
  segments.forEach((segment, i) => assert.ok(i === 0 ? segment.start === 0 : segment.start > segments[i - 1].start, 'segments in order'));
  for (const found of healed) assert.ok(Number.isInteger(found.at) && typeof found.kind === 'string' && typeof found.detail === 'string');
}
