// @ts-check
// Rows as Anthropic messages: results first in the user message after their calls, ids unique and of the
// characters the API takes, thinking only with its own signature, no blank texts.

import { jsonText } from '../safe-json.js';
import { contentParts, plainRounds } from './read.js';
import { isMedia, mediumOf, outputOf, outputText } from './values.js';

/** @typedef {import('./read.js').Note} Note */

/** @param {import('./read.js').Row[]} rows @param {Note} note */
export function writeAnthropic(rows, note) {
  /** @type {string[]} */
  const system = [];
  /** @type {any[]} */
  const messages = [];
  const ids = new Ids(note);
  for (const { at, message } of plainRounds(rows, note)) {
    if (message.role === 'system') {
      if (messages.length > 0) note(at, 'system', 'instructions stand before the conversation');
      system.push(message.content);
      continue;
    }
    const results = message.role === 'tool';
    const content = contentParts(message).flatMap((p) => block(p, at, ids, note));
    const last = messages[messages.length - 1];
    if (content.length === 0) continue;
    if (results && last?.role === 'user' && last.content.every((/** @type {any} */ b) => b.type === 'tool_result')) last.content.push(...content);
    else messages.push({ role: message.role === 'assistant' ? 'assistant' : 'user', content });
  }
  return { messages, ...(system.length > 0 && { system: system.join('\n\n') }) };
}

/** @param {any} p @param {number} at @param {Ids} ids @param {Note} note @returns {any[]} */
function block(p, at, ids, note) {
  const own = p?.providerOptions?.anthropic;
  switch (p?.type) {
    case 'text':
      if (String(p.text ?? '').trim() === '') return note(at, 'text', 'a blank text is refused'), [];
      return [own?.type === 'compaction' ? { type: 'compaction', content: p.text } : { type: 'text', text: p.text, ...(own?.cacheControl && { cache_control: own.cacheControl }) }];
    case 'reasoning':
      if (own?.redactedData) return [{ type: 'redacted_thinking', data: own.redactedData }];
      if (own?.signature) return [{ type: 'thinking', thinking: p.text, signature: own.signature }];
      return note(at, 'reasoning', 'thinking is only taken with the signature of this provider'), [];
    case 'tool-call': {
      const object = p.input !== null && typeof p.input === 'object' && !Array.isArray(p.input);
      if (!object && p.input !== undefined) note(at, 'arguments', 'arguments that are no object stand under the key `input`');
      return [{ type: 'tool_use', id: ids.call(p.toolCallId, at), name: p.toolName, input: object ? p.input : p.input === undefined ? {} : { input: p.input } }];
    }
    case 'tool-result':
      return [result(p, at, ids, note)];
    default:
      if (isMedia(p)) return medium(p, at, note);
      note(at, p?.type?.startsWith?.('tool-approval') ? 'approval' : 'part', 'nothing of this kind exists here');
      return [];
  }
}

/** @param {any} p @param {number} at @param {Ids} ids @param {Note} note */
function result(p, at, ids, note) {
  const output = outputOf(p.output);
  const content = output.list
    // @ts-ignore the branches make different blocks on purpose
    ? output.list.flatMap((item) => (isMedia(item) ? medium(item, at, note) : typeof item?.text === 'string' ? (item.text.trim() === '' ? [] : [{ type: 'text', text: item.text }]) : [{ type: 'text', text: jsonText(item).text }]))
    : outputText(output);
  return { type: 'tool_result', tool_use_id: ids.result(p.toolCallId), ...(content.length > 0 && { content }), ...(output.error && { is_error: true }) };
}

/** @param {any} p @param {number} at @param {Note} note */
function medium(p, at, note) {
  const m = mediumOf(p);
  const kind = m && m.type.startsWith('image') ? 'image' : 'document';
  if (!m || (kind === 'document' && m.text === undefined && !/^(application\/pdf|text\/)/.test(m.type))) return note(at, 'media', 'only images, PDF and text files have a place here'), [];
  const titled = kind === 'document' && m.filename ? { title: m.filename } : {};
  if (m.text !== undefined) return [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: m.text }, ...titled }];
  return [{ type: kind, source: m.url ? { type: 'url', url: m.url } : { type: 'base64', media_type: m.type, data: m.base64 }, ...titled }];
}

/** One id per call: the nth result of an id answers its nth call. */
class Ids {
  #note;
  /** @type {Map<string, string[]>} */
  #waiting = new Map();
  /** What an id was answered as last: a second result for one call stays with it. @type {Map<string, string>} */
  #answered = new Map();
  #taken = new Set();

  /** @param {Note} note */
  constructor(note) {
    this.#note = note;
  }

  /** @param {string} id @param {number} at */
  call(id, at) {
    const clean = String(id).replace(/[^a-zA-Z0-9_-]/g, '_') || 'call';
    let own = clean;
    for (let n = 2; this.#taken.has(own); n += 1) own = `${clean}_${n}`;
    this.#taken.add(own);
    if (own !== id) this.#note(at, 'id', 'an id that repeats or has other characters is written anew, with its result');
    this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), own]);
    return own;
  }

  /** @param {string} id */
  result(id) {
    const own = this.#waiting.get(id)?.shift() ?? this.#answered.get(id) ?? String(id).replace(/[^a-zA-Z0-9_-]/g, '_');
    this.#answered.set(id, own);
    return own;
  }
}
