// @ts-check
// Writes any value as JSON text, once, in JavaScript. What JSON cannot carry (BigInt, cycles, functions,
// binary, 100,000 levels) is written as a short description instead of throwing; the caller learns so and
// flags the part. Binary is described, not spelled out: its bytes are not what the model reads.

/**
 * @param {unknown} value
 * @returns {{ text: string, safe: boolean }} `safe` is false when the text is not what JSON would have carried
 */
export function jsonText(value) {
  if (hasOddities(value)) return { text: describe(value), safe: false };
  try {
    const text = JSON.stringify(value);
    return text === undefined ? { text: '', safe: value === undefined } : { text, safe: true };
  } catch {
    return { text: describe(value), safe: false };
  }
}

/** Binary at any of the first levels; JSON would spell it as an object of numbers. @param {unknown} value */
function hasOddities(value) {
  /** @type {unknown[]} */
  const todo = [value];
  for (let seen = 0; todo.length > 0 && seen < 10_000; seen += 1) {
    const v = todo.pop();
    if (v === null || typeof v !== 'object') continue;
    if (ArrayBuffer.isView(v) || v instanceof ArrayBuffer || v instanceof Map || v instanceof Set) return true;
    if (Array.isArray(v)) {
      if (v.length <= 1_000) todo.push(...v);
    } else {
      try {
        todo.push(...Object.values(v));
      } catch {
        return true;
      }
    }
  }
  return false;
}

/** An iterative walk, so that depth cannot overflow the stack. @param {unknown} root */
function describe(root) {
  const open = new Set();
  /** @type {string[]} */
  const out = [];
  /** @type {(string | { value: unknown } | { leave: object })[]} */
  const todo = [{ value: root }];
  let size = 0;
  while (todo.length > 0 && size < 4_000_000) {
    const item = /** @type {any} */ (todo.pop());
    if (typeof item === 'string') {
      out.push(item);
      size += item.length;
    } else if ('leave' in item) {
      open.delete(item.leave);
    } else {
      const leaf = leafText(item.value);
      if (leaf !== undefined) todo.push(leaf);
      else if (open.has(item.value)) todo.push('"[cycle]"');
      else {
        open.add(item.value);
        pushContainer(todo, item.value);
      }
    }
  }
  return out.join('');
}

/** @param {unknown} v */
function leafText(v) {
  if (v === null || typeof v === 'number' || typeof v === 'boolean' || typeof v === 'string') return JSON.stringify(v) ?? 'null';
  if (typeof v === 'bigint') return `"${v}n"`;
  if (typeof v !== 'object') return `"[${typeof v}]"`;
  if (ArrayBuffer.isView(v) || v instanceof ArrayBuffer) return `"[${v.byteLength} bytes]"`;
  if (v instanceof URL || v instanceof Date) return JSON.stringify(v) ?? 'null';
  return undefined;
}

/** @param {any[]} todo @param {any} v */
function pushContainer(todo, v) {
  todo.push({ leave: v });
  if (v instanceof Set) v = [...v];
  /** @type {[string | undefined, unknown][]} */
  let entries;
  try {
    entries = Array.isArray(v) ? v.map((x) => [undefined, x]) : v instanceof Map ? [...v].map(([k, x]) => [String(k), x]) : Object.entries(v);
  } catch {
    entries = [];
  }
  const list = Array.isArray(v);
  todo.push(list ? ']' : '}');
  for (let i = entries.length - 1; i >= 0; i -= 1) {
    const [key, value] = entries[i];
    todo.push({ value });
    if (key !== undefined) todo.push(`${JSON.stringify(key)}:`);
    if (i > 0) todo.push(',');
  }
  todo.push(list ? '[' : '{');
}
