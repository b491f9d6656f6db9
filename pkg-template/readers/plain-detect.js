// @ts-check
// Which message format a plain dump is in. Decides by what only one format can hold (a part type, a field) and by the
// request around the list. Refuses to guess: text-only messages look alike in four formats, and then the caller must say.

import { FORMAT_NAMES, formatsOf } from '../formats/detect.js';
import { list, object } from './parts.js';

/** @typedef {import('../formats/detect.js').FormatName} PlainFormat */

export const PLAIN_FORMATS = FORMAT_NAMES;

/**
 * The list of messages in a dump and the request around it.
 * @param {any} value a list, or an object holding one
 * @returns {{ messages: any[], around: Record<string, any> } | null}
 */
export function openedDump(value) {
  if (Array.isArray(value)) return { messages: value, around: {} };
  const around = object(value);
  for (const key of ['messages', 'contents', 'input', 'items', 'prompt']) {
    if (Array.isArray(around[key])) return { messages: around[key], around };
  }
  return null;
}

/**
 * @param {any[]} messages @param {Record<string, any>} around
 * @returns {Set<PlainFormat>} formats the dump can be in: one when it is certain, none when these are no messages
 */
export function plainFormats(messages, around) {
  /** @type {Set<PlainFormat>} */
  const possible = new Set(messages.length > 0 ? PLAIN_FORMATS : []);
  for (const message of messages) narrow(possible, new Set(formatsOf(message) ?? []));
  if (possible.size > 1) narrowByRequest(possible, around);
  return possible;
}

/** @param {Set<PlainFormat>} possible @param {Set<PlainFormat>} allowed */
function narrow(possible, allowed) {
  for (const format of possible) if (!allowed.has(format)) possible.delete(format);
}

/** What the fields beside the list give away. @param {Set<PlainFormat>} possible @param {Record<string, any>} around */
function narrowByRequest(possible, around) {
  const tool = object(list(around.tools)[0]);
  if ('contents' in around || 'systemInstruction' in around) narrow(possible, new Set(['gemini']));
  else if ('input' in around || 'instructions' in around) narrow(possible, new Set(['openai-responses']));
  else if ('input_schema' in tool || 'anthropic_version' in around || Array.isArray(around.system)) narrow(possible, new Set(['anthropic']));
  else if ('function' in tool || 'max_completion_tokens' in around || 'choices' in object(around.response)) narrow(possible, new Set(['openai-chat']));
}
