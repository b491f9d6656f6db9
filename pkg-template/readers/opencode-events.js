// @ts-check
// opencode server events (JSONL) folded to stored messages: the newest version of each message and part by id, deltas
// appended. Decides which session is the main one. Refuses to interpret parts; the opencode reader does.

import { Findings } from './assemble.js';
import { sessionOf } from './opencode.js';
import { object, text } from './parts.js';

/** @typedef {import('./json-text.js').Line} Line */

/** @param {any} value one record; some clients wrap the event */
const eventOf = (value) => object(object(value).event ?? value);

/** @param {any} value */
export function isOpencodeEvent(value) {
  const event = eventOf(value);
  return /^(session|message)\.[a-z.]+$/.test(text(event.type)) && typeof event.properties === 'object' && event.properties !== null;
}

/** @param {Line[]} lines @param {Findings} [findings] */
export function readOpencodeEvents(lines, findings = new Findings()) {
  /** @type {Map<string, { at: number, info: Record<string, any>, parts: Map<string, Record<string, any>> }>} */
  const messages = new Map();
  /** @type {Map<string, { at: number, child: boolean }>} */
  const sessions = new Map();
  for (const { line, value } of lines) {
    const { type, properties } = eventOf(value);
    const { info, part, sessionID, messageID, partID, field, delta } = object(properties);
    if (type === 'session.created' || type === 'session.updated') {
      const id = text(object(info).id);
      sessions.set(id, { at: sessions.get(id)?.at ?? line, child: typeof object(info).parentID === 'string' });
    } else if (type === 'message.updated') {
      const known = messages.get(text(object(info).id));
      messages.set(text(object(info).id), { at: known?.at ?? line, info: object(info), parts: known?.parts ?? new Map() });
    } else if (type === 'message.part.updated') {
      const id = text(object(part).messageID);
      const message = messages.get(id) ?? { at: line, info: { id, sessionID: object(part).sessionID }, parts: new Map() };
      messages.set(id, message);
      message.parts.set(text(object(part).id), object(part));
    } else if (type === 'message.part.delta') {
      const target = messages.get(text(messageID))?.parts.get(text(partID));
      if (target && field === 'text' && typeof target.text === 'string') messages.get(text(messageID))?.parts.set(text(partID), { ...target, text: target.text + text(delta) });
    } else if (type === 'message.part.removed') {
      messages.get(text(messageID))?.parts.delete(text(partID));
    } else if (type === 'message.removed') {
      messages.delete(text(messageID));
    }
    if (typeof sessionID === 'string' && !sessions.has(sessionID)) sessions.set(sessionID, { at: line, child: false });
  }
  const main = mainSession(messages, sessions);
  const others = new Map();
  const own = [...messages.values()].filter((message) => {
    const id = text(message.info.sessionID);
    if (id !== main) others.set(id, { at: others.get(id)?.at ?? message.at, count: (others.get(id)?.count ?? 0) + 1 });
    return id === main;
  });
  for (const { at, count } of others.values()) findings.add('sidechain', at, 'messages of another session (a sub-task has its own window) are left out', count);
  return sessionOf(own.map(({ at, info, parts }) => ({ at, info, parts: [...parts.values()] })), findings);
}

/**
 * The first session with messages that no other session started.
 * @param {Map<string, { info: Record<string, any> }>} messages @param {Map<string, { child: boolean }>} sessions
 */
function mainSession(messages, sessions) {
  const ids = [...messages.values()].map(({ info }) => text(info.sessionID));
  return ids.find((id) => !sessions.get(id)?.child) ?? ids[0];
}
