// @ts-check
// Shortens a JSON value and leaves it JSON: the longest array keeps its first 70 % and last 30 % of what
// fits, an extra key (or element) says how many are gone and how to read them, long strings are shortened
// inside. Decides nothing about text form; returns nothing when JSON cannot be made to fit.

/**
 * @param {any} value parsed JSON, object or array; deeper than the engine's own recursion is refused
 * @param {number} cap UTF-16 code units of the JSON text
 * @param {{ handle?: string, loss?: string }} gap
 * @returns {any} a shortened copy, or undefined
 */
export function shortenJson(value, cap, gap) {
  try {
    const array = longestArray(value);
    if (array) {
      const short = shortenArray(value, array.path, array.items, cap, gap);
      if (short !== undefined) return short;
    }
    return shortenStrings(value, cap, gap) ?? shortenBoth(value, cap, gap);
  } catch {
    return undefined;
  }
}

const readBack = (/** @type {{ handle?: string }} */ gap) => (gap.handle ? `read_tool_output({ id: ${JSON.stringify(gap.handle)} })` : 'not stored; run the tool again if you need them');

/** Deeper values are shortened as text: paths to every level would cost the square of the depth. */
const LEVELS = 500;

/** The array whose JSON text is longest and that has something to drop. @param {any} root */
function longestArray(root) {
  /** @type {{ path: (string | number)[], items: any[], size: number } | undefined} */
  let best;
  /** @type {{ value: any, path: (string | number)[] }[]} */
  const todo = [{ value: root, path: [] }];
  for (let seen = 0; todo.length > 0 && seen < 100_000; seen += 1) {
    const { value, path } = /** @type {any} */ (todo.pop());
    if (path.length > LEVELS) throw new RangeError('too deep');
    if (Array.isArray(value)) {
      const size = JSON.stringify(value).length;
      if (value.length > 1 && (!best || size > best.size)) best = { path, items: value, size };
      // Inside a longest array nothing longer can be found; only its siblings can.
      continue;
    }
    if (value && typeof value === 'object') for (const key of Object.keys(value)) todo.push({ value: value[key], path: [...path, key] });
  }
  return best;
}

/** @param {any} root @param {(string | number)[]} path @param {any[]} items @param {number} cap @param {{ handle?: string, loss?: string }} gap */
function shortenArray(root, path, items, cap, gap) {
  const build = (/** @type {number} */ keep) => {
    const head = Math.ceil((keep * 7) / 10);
    const tail = keep - head;
    const note = `${items.length - keep} of ${items.length}; ${readBack(gap)}`;
    const kept = [...items.slice(0, head), ...(path.length === 0 ? [{ _omitted: note }] : []), ...items.slice(items.length - tail)];
    return path.length === 0 ? kept : withArray(root, path, kept, note);
  };
  const fits = (/** @type {number} */ keep) => JSON.stringify(build(keep)).length <= cap;
  if (!fits(0)) return undefined;
  let low = 0;
  let high = items.length - 1;
  while (low < high) {
    const middle = low + Math.ceil((high - low) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? undefined : build(low);
}

/** A copy along one path; the object that holds the array gets the note as its last key. @param {any} root @param {(string | number)[]} path @param {any[]} kept @param {string} note @returns {any} */
function withArray(root, path, kept, note) {
  const [key, ...rest] = path;
  if (Array.isArray(root)) return root.map((v, i) => (i === key ? withArray(v, rest, kept, note) : v));
  if (rest.length > 0) return { ...root, [key]: withArray(root[key], rest, kept, note) };
  return { ...root, [key]: kept, _omitted: note };
}

/** Long strings first, then the longest array of what is left. @param {any} value @param {number} cap @param {{ handle?: string, loss?: string }} gap */
function shortenBoth(value, cap, gap) {
  for (const limit of [cap >> 2, cap >> 3, SHORTEST]) {
    const short = withShortStrings(value, Math.max(limit, SHORTEST), gap);
    const array = longestArray(short);
    const both = array && shortenArray(short, array.path, array.items, cap, gap);
    if (both !== undefined) return both;
  }
  return undefined;
}

/** A string is not cut below this. */
const SHORTEST = 100;

/** @param {any} value @param {number} limit @param {{ handle?: string, loss?: string }} gap @returns {any} */
function withShortStrings(value, limit, gap) {
  return JSON.parse(JSON.stringify(value), (_key, v) => {
    if (typeof v !== 'string' || v.length <= limit) return v;
    const note = `…[${v.length - limit} characters; ${readBack(gap)}]…`;
    const head = Math.floor((limit * 7) / 10);
    return wellFormed(v.slice(0, head)) + note + wellFormed(v.slice(v.length - (limit - head)));
  });
}

/** @param {any} value @param {number} cap @param {{ handle?: string, loss?: string }} gap */
function shortenStrings(value, cap, gap) {
  const at = (/** @type {number} */ limit) => withShortStrings(value, limit, gap);
  let low = 0;
  let high = cap;
  if (JSON.stringify(at(SHORTEST)).length > cap) return undefined;
  low = SHORTEST;
  while (low < high) {
    const middle = low + Math.ceil((high - low) / 2);
    if (JSON.stringify(at(middle)).length <= cap) low = middle;
    else high = middle - 1;
  }
  return at(low);
}

/** Without half a surrogate pair at either end. @param {string} text */
function wellFormed(text) {
  return text.replace(/^[\udc00-\udfff]/, '').replace(/[\ud800-\udbff]$/, '');
}
