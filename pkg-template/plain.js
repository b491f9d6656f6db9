// @ts-check
// What may cross into the core as a value (configuration, state, usage): plain JSON of modest depth. The
// core reads it recursively on a small stack, so a depth no real value has is refused here.

import { CascadeError } from './errors.js';

const DEPTH = 32;

/**
 * A copy that nobody can change while the core reads it; `undefined` fields are left out.
 *
 * @param {unknown} value @param {string} field @param {string} [code]
 * @returns {any}
 */
export function plainCopy(value, field, code = 'bad_input') {
  if (value === undefined || value === null) return undefined;
  try {
    if (!isDeep(value)) return JSON.parse(JSON.stringify(value));
  } catch {
    // A cycle is deep; a BigInt or a getter that throws is not JSON either.
  }
  throw new CascadeError(code, `\`${field}\` must be a plain JSON object, at most ${DEPTH} levels deep`);
}

/** The fields that are not absurdly deep; providers hang anything on a usage. @param {any} value */
export function shallowFields(value) {
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).filter(([, v]) => !isDeep(v)));
}

/** @param {unknown} root */
function isDeep(root) {
  /** @type {[unknown, number][]} */
  const todo = [[root, 1]];
  while (todo.length > 0) {
    const [value, depth] = /** @type {[any, number]} */ (todo.pop());
    if (value === null || typeof value !== 'object') continue;
    if (depth > DEPTH) return true;
    for (const inner of Object.values(value)) todo.push([inner, depth + 1]);
  }
  return false;
}
