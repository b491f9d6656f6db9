// @ts-check
// Hands the frame (system prompt, capability index, tools, session context) to the core and fixes the
// order of the tools. Decides that the order does not depend on which integration connected first.

import { badInput } from './errors.js';
import { familyOf } from './families.js';
import { jsonText } from './safe-json.js';
import { AROUND, definitionOf, formatText, seams, toolText } from './tool-text.js';

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
  if (!frame || typeof frame !== 'object') throw badInput('`frame` must be an object: { system?, index?, tools?, toolChoice?, thinking?, format?, context?, agent? }');
  const tools = [...ordered(frame.tools ?? []), ...(frame.late ?? [])];
  const names = { system: frame.system, tools: tools.filter((t) => !t.deferred).map((t) => t.name) };
  if (frame === before && Object.isFrozen(frame)) return names;
  // Everything is read before anything is pushed: an error leaves the frame as it was.
  /** @type {[number, string, string, string][]} */
  const pieces = [];
  if (frame.system !== undefined) pieces.push([SLOT.system, text(frame.system, 'frame.system'), '', '']);
  for (const [name, piece] of indexPieces(frame.index)) pieces.push([SLOT.index, piece, name, '']);
  const family = familyInForce(core);
  for (const tool of tools) pieces.push([tool.deferred ? SLOT.deferred : SLOT.tool, textOf(tool, family), tool.name, String(tool.source ?? '')]);
  const hidden = family ? constants(frame, tools, family) : [];
  for (const [i, item] of (frame.context ?? []).entries()) pieces.push([SLOT.context, text(item?.text, `frame.context[${i}].text`), String(item?.kind ?? ''), '']);
  for (const [slot, piece, label, source] of pieces) {
    window.write(piece);
    // The session context goes into the head, so the core has to hold it; of the rest it holds the size.
    core.framePart(slot, label, source, slot === SLOT.context ? piece : '');
  }
  for (const [slot, label, tokens, piece] of hidden) {
    window.write(piece);
    core.frameConstant(slot, label, PROVIDER, tokens);
  }
  core.setFrame();
  return names;
}

/** Whose text it is that nobody sees. */
const PROVIDER = 'provider';

/** Hand-worked sizes know no family. @param {any} core @returns {import('./families.js').Family | undefined} */
function familyInForce(core) {
  const { counter, id, provider } = core.counting();
  return counter === 'chars4' ? undefined : familyOf(id, provider);
}

/** @param {any} tool @param {import('./families.js').Family | undefined} family */
function textOf(tool, family) {
  if (family?.tools) return toolText(definitionOf(tool), family.tools.style);
  return tool.schema === undefined ? '' : jsonText(tool.schema).text;
}

/** Hidden texts and what the request's options bring. @param {any} frame @param {any[]} tools @param {import('./families.js').Family} family @returns {[number, string, number, string][]} */
function constants(frame, tools, family) {
  /** @type {[number, string, number, string][]} */
  const out = [];
  const bound = tools.filter((tool) => !tool.deferred);
  const { toolChoice, thinking, format } = frame;
  if (family.tools && bound.length > 0) {
    const { style, auto, forced = auto, withSystem = auto, each = 0 } = family.tools;
    const free = [undefined, 'auto', 'none'].includes(typeof toolChoice === 'string' ? toolChoice : toolChoice?.type);
    const between = style === 'typescript' ? seams(bound.map(definitionOf)) : each * bound.length;
    out.push([SLOT.tool, 'tool prompt', (free ? (frame.system === undefined ? auto : withSystem) : forced) + between, AROUND[style]]);
  }
  if (frame.system !== undefined && family.system) out.push([SLOT.system, 'framing', family.system, '']);
  if (thinking && thinking.type !== 'disabled' && family.thinking) out.push([SLOT.system, 'thinking', family.thinking, '']);
  if (format !== undefined) out.push([SLOT.system, 'format', family.format ?? 0, formatText(format, family.tools?.style ?? 'json')]);
  return out;
}

/** The index as one text, or entry by entry where it lists things by name. @param {unknown} index @returns {[string, string][]} */
function indexPieces(index) {
  if (index === undefined) return [];
  const named = Array.isArray(index) && index.length > 0 && index.every((entry) => typeof entry?.name === 'string');
  if (!named) return [['', typeof index === 'string' ? index : jsonText(index).text]];
  return index.map((entry, i) => [entry.name, `${i === 0 ? '[' : ','}${jsonText(entry).text}${i === index.length - 1 ? ']' : ''}`]);
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
