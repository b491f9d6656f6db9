// @ts-check
// AI SDK UIMessage: display history, one durable message for many steps. It is never edited; the rows are
// the model messages it converts to, and the view is made of those.
//
// Positions: a message's own position stands on its last row, so that it is covered only when all its
// rows are. A host that knows the position of each step passes a list of them instead.

import { badInput } from '../errors.js';
import { aiSdk } from './ai-sdk.js';
import { MARK, ROLE } from './parts.js';
import { stepsOf } from './ui-steps.js';

const ROLES = new Set(['system', 'user', 'assistant']);

/** @type {import('./parts.js').Format} */
export const aiSdkUi = Object.freeze({
  ...aiSdk,
  name: 'ai-sdk-ui',
  rowFormat: aiSdk,
  role: (/** @type {any} */ message) => (Array.isArray(message?.parts) && ROLES.has(message.role) ? ROLE[/** @type {keyof typeof ROLE} */ (message.role)] : undefined),
  rows,
  /** A row of ours for the host to store and show. */
  userMessage: (/** @type {import('./parts.js').Own[]} */ parts, /** @type {string} */ origin) => ({ id: `${MARK}-${origin}`, role: 'user', parts: parts.map(({ text }) => ({ type: 'text', text })), metadata: { [MARK]: { origin } } }),
});

/**
 * UIMessages as ModelMessages. The same message gives the same objects again, step by step, as long as it
 * has not changed.
 * @param {readonly any[]} uiMessages @returns {any[]}
 */
export function toModelMessages(uiMessages) {
  if (!Array.isArray(uiMessages)) throw badInput('`uiMessages` must be an array of UIMessages');
  return uiMessages.flatMap((message, at) => checkedSteps(message, at).flat());
}

/** @param {any} message @param {number} at */
function checkedSteps(message, at) {
  if (message === null || typeof message !== 'object' || !Array.isArray(message.parts)) throw badInput(`\`messages[${at}]\` is not a UIMessage: it has no array \`parts\``);
  if (!ROLES.has(message.role)) throw badInput(`\`messages[${at}].role\` is not a role of the format ai-sdk-ui`);
  return stepsOf(message);
}

/** @param {readonly any[]} uiMessages @param {readonly any[] | undefined} [positions] @returns {import('./parts.js').Listed} */
function rows(uiMessages, positions) {
  if (positions && positions.length !== uiMessages.length) throw badInput(`\`positions\` has ${positions.length} entries for ${uiMessages.length} messages`);
  const listed = { messages: /** @type {any[]} */ ([]), positions: /** @type {any[]} */ ([]), owners: /** @type {any[]} */ ([]) };
  uiMessages.forEach((message, at) => {
    const steps = checkedSteps(message, at);
    const own = positions ? positions[at] : at;
    if (Array.isArray(own) && own.length !== steps.length) throw badInput(`\`positions[${at}]\` has ${own.length} entries for ${steps.length} steps`);
    steps.forEach((step, s) => {
      step.forEach((row, r) => {
        const last = r === step.length - 1 && (Array.isArray(own) || s === steps.length - 1);
        const position = Array.isArray(own) ? own[s] : own;
        listed.messages.push(row);
        listed.positions.push(last ? position : null);
        listed.owners.push(position ?? null);
      });
    });
  });
  return listed;
}
