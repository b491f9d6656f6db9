// @ts-check
// Tells our own messages and blocks from the host's. Decides by a mark where a format has room for one, and
// by the object itself elsewhere; never by text, because a person may write the same.

import { CascadeError } from './errors.js';
import { MARK } from './formats/parts.js';

/** Objects that views handed out. @type {WeakMap<object, string>} */
const handed = new WeakMap();

/** Remembers what a view handed out: an edited copy, or a message of ours. @param {object} message @param {string} [origin] */
export function handOut(message, origin = 'edited') {
  handed.set(message, origin);
}

/**
 * Where a message of ours comes from: `edited`, `summary`, `anchor` …; undefined for the host's own.
 * @param {any} message
 */
export function originOf(message) {
  const known = handed.get(message) ?? markOf(message.providerOptions) ?? markOf(message.metadata);
  if (known || message.role !== 'user' || !Array.isArray(message.content)) return known;
  for (const part of message.content) {
    const origin = markOf(part?.providerOptions);
    if (origin) return origin;
  }
  return undefined;
}

/** @param {any} bag @returns {string | undefined} */
function markOf(bag) {
  const origin = bag?.[MARK]?.origin;
  return typeof origin === 'string' ? origin : undefined;
}

/** What a host marks its own user-role rows with that no person wrote: a reminder, the environment. They are no orders. */
export const NOTICE = 'notice';
/** Rows of the host: a chapter's brief that it stored, and its notices. */
const STORED = new Set(['user', NOTICE]);

/**
 * @param {readonly any[]} messages @param {number} [from] the first one that was not looked at before
 * @throws {CascadeError} `view_recorded` when one of them was made for a view
 */
export function refuseViews(messages, from = 0) {
  let at = from;
  while (at < messages.length && !isOurs(messages[at])) at += 1;
  if (at < messages.length) throw new CascadeError('view_recorded', `\`messages[${at}]\` is a message that an earlier view handed out; pass the rows as they were recorded`);
}

/** @param {any} message */
function isOurs(message) {
  if (message === null || typeof message !== 'object') return false;
  try {
    const origin = originOf(message);
    return origin !== undefined && !STORED.has(origin);
  } catch {
    return false;
  }
}
