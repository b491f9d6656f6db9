// @ts-check
// When a deferred tool may join the bound ones. Binding changes what stands before the whole history, so it waits for
// the turn to end, unless the model asked for the tool by name: then it needs it now.

import { KIND, ROLE } from './formats/parts.js';

/** The names that may be bound at this call. @param {string[]} wanted @param {readonly any[]} messages @param {any} format */
export function dueNow(wanted, messages, format) {
  if (wanted.length === 0) return [];
  let start = messages.length;
  while (start > 0 && format.role(messages[start - 1]) !== ROLE.user) start -= 1;
  const answered = messages.slice(start).filter((message) => format.role(message) === ROLE.assistant);
  if (answered.length === 0) return wanted;
  const calls = answered.flatMap((message) => format.parts(message)).filter((/** @type {any} */ part) => part.kind === KIND.call);
  return wanted.filter((name) => calls.some((/** @type {any} */ call) => call.name === name || call.text.includes(JSON.stringify(name))));
}

/** The frame with promoted tools bound, behind the others, in the order they were promoted. @param {any} frame @param {string[]} promoted */
export function bindPromoted(frame, promoted) {
  if (!Array.isArray(frame?.tools) || promoted.length === 0) return frame;
  const late = promoted.map((name) => frame.tools.find((/** @type {any} */ tool) => tool?.name === name && tool.deferred)).filter(Boolean);
  if (late.length === 0) return frame;
  return { ...frame, tools: frame.tools.filter((/** @type {any} */ tool) => !late.includes(tool)), late: late.map((tool) => ({ ...tool, deferred: false })) };
}
