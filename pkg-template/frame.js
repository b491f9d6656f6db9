// @ts-check
// Hands the frame (system prompt, capability index, tools, session context) to the core and fixes the
// order of the tools. Decides that the order does not depend on which integration connected first.

import { badInput } from './errors.js';
import { jsonText } from './safe-json.js';

const SLOT = { system: 0, index: 1, tool: 2, deferred: 3, context: 4 };
/** Sources that always come first. */
const CORE_SOURCES = new Set(['core', 'builtin', 'built-in']);

/**
 * @param {any} core
 * @param {import('./project.js').Window} window
 * @param {any} frame see `Frame` in `index.d.ts`
 * @param {any} before the frame taken last; the same object is not measured again
 * @returns {{ system: string | undefined, tools: string[] }}
 */
export function pushFrame(core, window, frame, before) {
  if (!frame || typeof frame !== 'object') throw badInput('`frame` must be an object: { system?, index?, tools?, context?, agent? }');
  const tools = ordered(frame.tools ?? []);
  const names = { system: frame.system, tools: tools.filter((t) => !t.deferred).map((t) => t.name) };
  if (frame === before && Object.isFrozen(frame)) return names;
  // Everything is read before anything is pushed: an error leaves the frame as it was.
  /** @type {[number, string, string, string][]} */
  const pieces = [];
  if (frame.system !== undefined) pieces.push([SLOT.system, text(frame.system, 'frame.system'), '', '']);
  if (frame.index !== undefined) pieces.push([SLOT.index, typeof frame.index === 'string' ? frame.index : jsonText(frame.index).text, '', '']);
  for (const tool of tools) pieces.push([tool.deferred ? SLOT.deferred : SLOT.tool, tool.schema === undefined ? '' : jsonText(tool.schema).text, tool.name, String(tool.source ?? '')]);
  for (const [i, item] of (frame.context ?? []).entries()) pieces.push([SLOT.context, text(item?.text, `frame.context[${i}].text`), String(item?.kind ?? ''), '']);
  for (const [slot, piece, label, source] of pieces) {
    window.write(piece);
    // The session context goes into the head, so the core has to hold it; of the rest it holds the size.
    core.framePart(slot, label, source, slot === SLOT.context ? piece : '');
  }
  core.setFrame();
  return names;
}

/** @param {unknown} value @param {string} field */
function text(value, field) {
  if (typeof value !== 'string') throw badInput(`\`${field}\` must be a string`);
  return value;
}

/** Core tools, then integrations by name; inside a source the host's order. @param {any[]} tools */
function ordered(tools) {
  if (!Array.isArray(tools)) throw badInput('`frame.tools` must be an array of { name, source, schema?, deferred? }');
  for (const [i, t] of tools.entries()) if (typeof t?.name !== 'string') throw badInput(`\`frame.tools[${i}].name\` must be a string`);
  const rank = (/** @type {any} */ t) => (t.source === undefined || CORE_SOURCES.has(t.source) ? '' : String(t.source));
  return [...tools].sort((a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0));
}
