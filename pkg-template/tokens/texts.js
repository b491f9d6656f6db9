// @ts-check
// The texts of a message that a counter weighs, in any of the supported formats: what was said, a call's
// input, a result's output; an object as its JSON text. Ids, names and roles weigh nothing, and neither do
// images and files (they are priced by formula, not by their base64 text).

/** Keys under which formats put something that is read as text. */
const TEXT_KEYS = ['text', 'content', 'parts', 'input', 'args', 'arguments', 'output', 'result', 'functionCall', 'functionResponse', 'function', 'tool_calls', 'reasoning', 'thinking', 'summary', 'response', 'value', 'refusal'];
/** Keys whose value is data: its JSON text is what counts. */
const DATA_KEYS = new Set(['input', 'args', 'arguments', 'response']);
const MEDIA = /image|file|audio|video|media|document/i;

/**
 * @param {Record<string, any>} message
 * @returns {string[]}
 */
export function textsOf(message) {
  /** @type {string[]} */
  const texts = [];
  /** @type {unknown[]} */
  const todo = [message];
  while (todo.length) {
    const value = todo.pop();
    if (typeof value === 'string') texts.push(value);
    else if (Array.isArray(value)) todo.push(...[...value].reverse());
    else if (value !== null && typeof value === 'object') take(/** @type {Record<string, any>} */ (value), texts, todo);
  }
  return texts;
}

/** @param {Record<string, any>} value @param {string[]} texts @param {unknown[]} todo */
function take(value, texts, todo) {
  if (typeof value.type === 'string' && MEDIA.test(value.type)) return;
  // The AI SDK's output: `{ type: 'json', value }` is JSON text, `{ type: 'text', value }` is text.
  if (value.type === 'json' || value.type === 'error-json') {
    texts.push(json(value.value));
    return;
  }
  for (const key of [...TEXT_KEYS].reverse()) {
    const inner = value[key];
    if (inner === undefined || inner === null) continue;
    if (DATA_KEYS.has(key) && typeof inner === 'object') todo.push(json(inner));
    else if (typeof inner === 'number' || typeof inner === 'boolean') todo.push(String(inner));
    else todo.push(inner);
  }
}

/** @param {unknown} value */
const json = (value) => JSON.stringify(value) ?? '';
