// @ts-check
// A number for what a message looks like: types, lengths, which objects it holds. Hosts mutate messages in
// place, so the same object alone does not mean the same content. Cheap; blind to what only content shows.

/** @type {WeakMap<object, number>} */
const ids = new WeakMap();
let next = 1;

/** The same number for the same object, nothing kept alive. @param {object} object */
export function identity(object) {
  let id = ids.get(object);
  if (id === undefined) {
    id = next;
    next += 1;
    ids.set(object, id);
  }
  return id;
}

/** Levels that are looked into: message, list of parts, part, output or function, value. */
const LEVELS = 5;
/** Below the parts only so many fields or items count: arguments and JSON outputs may be wide. */
const WIDE = 16;

/** @param {any} value a message or a list of parts */
export function fingerprint(value) {
  return mix(17, value, LEVELS);
}

/** @param {number} print @param {any} value @param {number} levels @returns {number} */
function mix(print, value, levels) {
  if (typeof value === 'string') return step(print, value.length + 1);
  if (value === null || typeof value !== 'object') return step(print, typeof value === 'number' ? value | 0 : value === true ? 3 : value === undefined ? 4 : 5);
  const own = levels < LEVELS && levels > 1 ? step(print, identity(value) + 7) : print;
  if (levels === 0 || ArrayBuffer.isView(value)) return step(own, 11);
  if (Array.isArray(value)) {
    let out = step(own, value.length);
    const end = levels > 2 ? value.length : Math.min(value.length, WIDE);
    for (let i = 0; i < end; i += 1) out = mix(out, value[i], levels - 1);
    return out;
  }
  let out = own;
  let fields = 0;
  for (const key in value) {
    fields += 1;
    if (levels <= 2 && fields > WIDE) break;
    out = mix(out, fieldOf(value, key), levels - 1);
  }
  return step(out, fields);
}

/** @param {any} object @param {string} key */
function fieldOf(object, key) {
  try {
    return object[key];
  } catch {
    return undefined;
  }
}

const step = (/** @type {number} */ print, /** @type {number} */ n) => (Math.imul(print, 31) + n) | 0;
