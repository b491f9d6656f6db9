// @ts-check
// Lays a repair over the host's messages: untouched ones are the same objects, changed ones are copies that
// share their parts, new ones carry results that say they were interrupted.

import { PIECES } from './pieces.js';

/**
 * @param {{ rows: { base?: number, parts?: any[] }[], repaired: any[] }} plan the core's
 * @param {readonly any[]} messages
 * @param {string} format
 * @returns {{ messages: any[], repaired: any[] }}
 */
export function layRepair(plan, messages, format) {
  const pieces = PIECES[format];
  /** Calls whose result is of a kind that cannot be made up, by message. @type {Set<number>} */
  const unanswerable = new Set();
  const out = plan.rows.flatMap(({ base, parts }) => {
    if (!parts) return [messages[/** @type {number} */ (base)]];
    const made = parts.flatMap((source) => {
      const message = messages[source.row];
      if (!source.interrupted) return [pieces.changed(pieces.raw(message, source.part), source)];
      const result = pieces.interrupted(message, source.part, source.id);
      if (result !== undefined) return [result];
      unanswerable.add(source.row);
      return [];
    });
    return made.length === 0 ? [] : pieces.message(base === undefined ? undefined : messages[base], made, parts);
  });
  return { messages: out, repaired: plan.repaired.filter((r) => !(unanswerable.has(r.at) && r.did.includes('interrupted'))) };
}
