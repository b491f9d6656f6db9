// @ts-check
// Hands a list of messages to the core's validator. No text crosses: whether one is blank is all it asks.
// A message it cannot read becomes a row with one malformed part, so that it is told and not thrown.

import { badInput } from '../errors.js';
import { KIND, ROLE } from '../formats/parts.js';
import { DETAIL, LEAVES, details, isBlank } from './leaves.js';
import { uiRows } from './ui.js';

/** @typedef {import('../formats/parts.js').ProjectedPart} ProjectedPart */
/** @typedef {import('./leaves.js').Leaves} Leaves */
/** @typedef {{ at: number, parts: (number | undefined)[] }} Origin where a row and its parts stand in the host's list */

const UNREADABLE = Object.freeze([{ kind: KIND.opaque, text: 'x', flags: DETAIL.malformed }]);
/** @type {Leaves} */
const NO_LEAVES = Object.freeze({ message: () => true, part: () => true, cached: () => false });

/**
 * @param {any} history the core's
 * @param {readonly any[]} messages
 * @param {any} format
 * @returns {Origin[] | undefined} for each row, where a message may be several rows
 */
export function pushHistory(history, messages, format) {
  if (!Array.isArray(messages)) throw badInput("`messages` must be the array of the conversation's rows");
  if (format.name === 'ai-sdk-ui') {
    const rows = uiRows(messages);
    for (const { role, parts } of rows) push(history, role, parts, NO_LEAVES, undefined);
    return rows.map(({ at, origins }) => ({ at, parts: origins }));
  }
  const leaves = LEAVES[format.name];
  for (const message of messages) {
    const read = projected(message, format, leaves);
    push(history, read.role, read.parts, read.unreadable ? NO_LEAVES : leaves, message);
  }
  return undefined;
}

/** @param {any} message @param {any} format @param {Leaves} leaves @returns {{ role: number, parts: readonly ProjectedPart[], unreadable?: true }} */
function projected(message, format, leaves) {
  try {
    const role = message !== null && typeof message === 'object' ? format.role(message) : undefined;
    if (role === undefined) return { role: ROLE.user, parts: UNREADABLE, unreadable: true };
    if (!leaves.message(message)) return { role, parts: UNREADABLE, unreadable: true };
    return { role, parts: format.parts(message) };
  } catch {
    // A getter that throws, a revoked proxy: the message is there, but nobody can send it.
    return { role: ROLE.user, parts: UNREADABLE, unreadable: true };
  }
}

/** @param {any} history @param {number} role @param {readonly ProjectedPart[]} parts @param {Leaves} leaves @param {any} message */
function push(history, role, parts, leaves, message) {
  history.row(role);
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at];
    const { kind, id = '', name = '', media = 0 } = part;
    const bits = details(leaves, message, parts, at);
    if (kind === KIND.call && leaves.caller) {
      const caller = leaves.caller(message, at);
      if (typeof caller === 'string' && caller !== '') history.caller(caller);
    }
    // Strings are what costs on the way in, so both go as one, and none where there is none.
    if (id === '' && name === '') history.part(kind, bits, isBlank(part), part.text === '', media !== 0);
    else history.named(`${id}\0${name}`, kind, bits, isBlank(part), part.text === '', media !== 0);
  }
}
