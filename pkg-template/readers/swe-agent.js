// @ts-check
// SWE-agent trajectories (.traj). Decides that `history` is the conversation. Refuses the token totals: they are estimates
// over the whole run, not the size of a prompt.

import { assemble, Findings, liftSystem } from './assemble.js';
import { chatEntries } from './chat-messages.js';
import { list, object } from './parts.js';

/** @param {any} value */
export function isSweAgent(value) {
  const traj = object(value);
  return Array.isArray(traj.trajectory) && Array.isArray(traj.history);
}

/** @param {any} value @param {Findings} [findings] @returns {import('./index.js').Session} */
export function readSweAgent(value, findings = new Findings()) {
  const history = list(value.history).map(object);
  const main = history.some((message) => message.agent === 'main');
  const entries = history.flatMap((message, i) => {
    if (main && message.agent !== undefined && message.agent !== 'main') {
      findings.once('sidechain', i + 1, 'messages of another agent, which has its own window, are left out');
      return [];
    }
    return chatEntries(message, i + 1);
  });
  const lifted = liftSystem(entries);
  return { format: 'swe-agent', ...(lifted.system ? { system: lifted.system } : {}), ...assemble(lifted.entries, findings) };
}
