// @ts-check
// A branch of a conversation, and a fresh start: what is stored for it is copied or deleted in the host's stores.

import { badInput, CascadeError } from './errors.js';
import { callHost } from './host.js';

/**
 * Copies what belongs to the rows up to `at` to another transcript.
 *
 * @param {any} core @param {any} host @param {string} transcript
 * @param {{ to: string, at: number, map?: Record<string, number> | Map<number, number> | ((position: number) => number) }} branch
 * @returns {Promise<any>} the state of the branch, committed where the host has a store
 */
export async function branchState(core, host, transcript, { to, at, map }) {
  const context = { transcript };
  const { state, handles } = core.branch(at, mapped(map, mentioned(core.state()).filter((p) => p <= at)));
  if (handles.length > 0 && host.raw) {
    if (typeof host.raw.copy === 'function') await callHost(host, host.raw, 'copy', [{ to, keys: handles }], context);
    else for (const handle of handles) await copyOne(host, handle, transcript, to);
  }
  if (typeof host.commit === 'function') {
    const done = await callHost(host, host, 'commit', [{ blob: JSON.stringify(state), expect: null }], { transcript: to });
    if (done === 'conflict') throw new CascadeError('stale_store', '`to` names a conversation that has a state already');
  }
  return state;
}

/** @param {any} host @param {string} handle @param {string} from @param {string} to */
async function copyOne(host, handle, from, to) {
  const text = await callHost(host, host.raw, 'get', [handle], { transcript: from });
  if (typeof text === 'string') await callHost(host, host.raw, 'put', [handle, text], { transcript: to });
}

/** Positions that a state names. @param {any} state @returns {number[]} */
function mentioned({ folds = [], blocks = [], entries = {}, pins = [], orderKeys = {}, turn }) {
  const all = [
    ...folds.flatMap((/** @type {any} */ f) => [f.from, f.to, f.newest, ...f.orders.map((/** @type {any} */ o) => o.position), ...Object.values(f.stored ?? {})]),
    ...blocks.flatMap((/** @type {any} */ b) => [b.from, b.to]),
    ...Object.keys(entries).map((key) => Number.parseInt(key, 10)),
    ...pins,
    ...Object.keys(orderKeys).map(Number),
    turn,
  ];
  return [...new Set(all)].filter((p) => Number.isSafeInteger(p)).sort((a, b) => a - b);
}

/** Position here → position there, as an object; the same where no map is given. @param {any} map @param {number[]} positions */
function mapped(map, positions) {
  if (map === undefined) return {};
  const of = (/** @type {number} */ p) => (typeof map === 'function' ? map(p) : map instanceof Map ? map.get(p) : map[p]);
  const entries = positions.map((p) => [p, of(p)]);
  // One position that stays behind would put the boundary at a wrong row.
  for (const [from, to] of entries) if (!Number.isSafeInteger(to) || to < 0) throw badInput(`\`map\` gives ${String(to)} for position ${from}; it must give a whole number of at least 0`);
  return Object.fromEntries(entries);
}

/** Deletes every stored output of a transcript. @param {any} host @param {string} transcript */
export async function deleteOutputs(host, transcript) {
  if (typeof host.raw?.delete === 'function') await callHost(host, host.raw, 'delete', ['all'], { transcript });
}
