// @ts-check
// Lays a recipe over the host's own messages. Untouched messages are the host's objects; a changed one
// is a copy that shares everything but the path that was set, and keeps its class.

/**
 * @param {readonly any[]} messages
 * @param {readonly any[]} recipe ops in view order; every input index is in exactly one
 * @returns {any[]}
 */
export function apply(messages, recipe) {
  const view = [];
  for (const op of recipe) {
    if (op.keep) for (let i = op.keep[0]; i < op.keep[1]; i += 1) view.push(messages[i]);
    else if (op.insert) view.push(op.insert);
    else if ('edit' in op) view.push(edited(messages[op.edit], op));
  }
  return view;
}

/** @param {any} message @param {any} op */
export function edited(message, op) {
  let out = message;
  for (const { path, value } of op.set ?? []) out = withPath(out, path, value);
  if (op.cut) out = withoutParts(out, op.cut);
  if (op.append) out = withAppended(out, op.append);
  return out;
}

const listOf = (/** @type {any} */ message) => (Array.isArray(message.parts) ? 'parts' : 'content');

/** Indexes are those of the original, whose outputs were set before. @param {any} message @param {number[]} cut */
function withoutParts(message, cut) {
  const key = listOf(message);
  return withPath(message, [key], message[key].filter((/** @type {any} */ _part, /** @type {number} */ i) => !cut.includes(i)));
}

/** Parts behind a message's own; a plain text becomes a list of parts. @param {any} message @param {any[]} parts */
function withAppended(message, parts) {
  const key = listOf(message);
  const own = message[key];
  const list = typeof own === 'string' ? [{ type: parts[0]?.type ?? 'text', text: own }] : (own ?? []);
  return withPath(message, [key], [...list, ...parts]);
}

/** @param {any} node @param {(string | number)[]} path @param {unknown} value @returns {any} */
function withPath(node, path, value) {
  if (path.length === 0) return value;
  const [key, ...rest] = path;
  const copy = shallow(node);
  // Defined, not assigned: a key may be a setter of the class or `__proto__`.
  Object.defineProperty(copy, key, { value: withPath(node?.[key], rest, value), writable: true, enumerable: true, configurable: true });
  return copy;
}

/** @param {any} node */
function shallow(node) {
  if (Array.isArray(node)) return node.slice();
  const copy = Object.create(Object.getPrototypeOf(node));
  for (const key of Reflect.ownKeys(node)) {
    const d = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(node, key));
    // The copy is ours: a frozen original must not make it read-only.
    Object.defineProperty(copy, key, 'value' in d ? { ...d, writable: true, configurable: true } : { ...d, configurable: true });
  }
  return copy;
}
