// @ts-check
// What a host passes to the calls of a conversation, checked before anything happens.
//
// Decides the shape of each argument and the sentence that refuses another one. Values that only the core can judge
// (configuration, model, frame) are judged there.

import { badInput } from './errors.js';
import { checkSignal } from './host.js';
import { modelInput } from './models.js';
import { plainCopy } from './plain.js';

/** @typedef {{ positions: (number | null)[] | undefined, signal: AbortSignal | undefined, idleMs: number | undefined }} NextInput */

/** @param {any} options */
export function checkOpen(options) {
  if (!options || typeof options !== 'object') throw badInput('`open` needs an object: { transcript, model, … }');
  const { transcript } = options;
  if (typeof transcript !== 'string' || transcript === '') throw badInput('`transcript` must be a non-empty string that names the conversation');
}

/** @param {any} input @returns {NextInput} */
export function checkNext(input) {
  if (!input || typeof input !== 'object') throw badInput('`next` needs an object: { messages, … }');
  if (!Array.isArray(input.messages)) throw badInput('`messages` must be the array of the conversation\'s rows');
  if (input.positions !== undefined && !Array.isArray(input.positions)) throw badInput('`positions` must be an array beside `messages`');
  if (input.idleMs !== undefined && !(typeof input.idleMs === 'number' && input.idleMs >= 0)) throw badInput('`idleMs` must be the milliseconds since the last response');
  return { positions: input.positions?.slice(), signal: checkSignal(input.signal), idleMs: input.idleMs };
}

/** What `compact` asks the core for. @param {any} input */
export function checkCompact(input) {
  const { at = 'now', brief, focus } = input ?? {};
  if (at !== 'now' && at !== 'chapter') throw badInput("`at` must be 'now' or 'chapter'");
  for (const [name, value] of Object.entries({ brief, focus })) {
    if (value !== undefined && typeof value !== 'string') throw badInput(`\`${name}\` must be a string`);
  }
  return { compact: at === 'now', chapter: at === 'chapter', brief: brief ?? null, focus: focus ?? null };
}

/** @param {any} input */
export function checkAccept(input) {
  const { id, facts, scope } = input ?? {};
  if (facts !== undefined && !(Array.isArray(facts) && facts.every((f) => typeof f === 'string'))) throw badInput('`facts` must be an array of strings');
  if (id === undefined && facts === undefined) throw badInput('`accept` needs `id` of a suggestion or `facts`');
  return { id: id === undefined ? undefined : String(id), facts, scope: scope === undefined ? undefined : String(scope) };
}

/** @param {any} input */
export function checkResult(input) {
  const { callId, tool, output } = input ?? {};
  if (typeof callId !== 'string' || callId === '') throw badInput('`callId` must be the id of the tool call');
  if (typeof tool !== 'string') throw badInput('`tool` must be the name of the tool');
  return { callId, tool, output };
}

const PATCHED = ['config', 'model', 'frame', 'promote', 'pin', 'orderKeys'];

/** What `set` changes, each undefined where it stays. @param {any} patch */
export function checkPatch(patch) {
  if (!patch || typeof patch !== 'object') throw badInput('`set` needs an object: { config?, model?, frame? }');
  for (const key of Object.keys(patch)) if (!PATCHED.includes(key)) throw badInput(`\`set\` does not know \`${key}\`; it takes config, model, frame, promote, pin and orderKeys`);
  const model = patch.model === undefined ? undefined : modelInput(patch.model);
  const config = plainCopy(patch.config, 'config', 'bad_config');
  const { frame } = patch;
  const pin = plainCopy(patch.pin, 'pin');
  const orderKeys = plainCopy(patch.orderKeys, 'orderKeys');
  const promote = plainCopy(patch.promote, 'promote');
  if (promote !== undefined && !(Array.isArray(promote) && promote.every((name) => typeof name === 'string'))) throw badInput('`promote` must be an array of tool names');
  return { model, config, frame, pin, orderKeys, promote };
}
