// @ts-check
// What a result says, as text: the text a store would hold, equality of values, and whether a cut is well-formed
// (invariant 16). Knows single outputs only, no rows.

/** @typedef {import('./rounds.js').Finding} Finding */

/**
 * The text of an AI SDK tool output as a store would hold it: the value of a text, the JSON of anything else.
 * @param {any} output
 * @returns {string}
 */
export function outputText(output) {
  if (output === null || typeof output !== 'object') return typeof output === 'string' ? output : JSON.stringify(output) ?? '';
  return typeof output.value === 'string' ? output.value : JSON.stringify(output.value ?? output) ?? '';
}

/** Deep equality of message values; the same object is equal at once, so shared structure costs nothing. */
export function same(a, b) {
  if (a === b || (a !== a && b !== b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}

/** An escape sequence that begins in `text` and is not finished there. */
const HALF_ESCAPE = /\u001b(?:\[[0-9;?]*|\][^\u0007\u001b]*)?$/;
/** The one line a clamp puts where it cut. */
const MARKER = /\[…[^\n]*…\]\n?/;

/**
 * Invariant 16 for one result.
 * @param {any} before @param {any} after its outputs @param {string} where @param {Finding[]} findings gets what is wrong
 */
export function checkText(before, after, where, findings) {
  const text = outputText(after);
  const original = outputText(before);
  if (!text.isWellFormed() && original.isWellFormed()) findings.push({ invariant: 16, detail: `${where}: half a surrogate pair` });
  const marker = MARKER.exec(text);
  const head = (marker ? text.slice(0, marker.index) : text).replace(/\n$/, '');
  const tail = marker ? text.slice(marker.index + marker[0].length) : '';
  const cut = original.length - tail.length;
  const insideTail = tail !== '' && original.endsWith(tail) && HALF_ESCAPE.test(original.slice(Math.max(0, cut - 64), cut));
  if (insideTail || (HALF_ESCAPE.test(head) && !HALF_ESCAPE.test(original))) {
    findings.push({ invariant: 16, detail: `${where}: half an escape sequence` });
  }
  if (after?.type === 'json' && typeof after.value === 'string' && typeof before?.value !== 'string') {
    findings.push({ invariant: 16, detail: `${where}: a JSON output became a JSON string` });
  }
  if (typeof after?.value === 'string' && text.includes('"_omitted"') && !original.includes('"_omitted"') && !parses(text)) {
    findings.push({ invariant: 16, detail: `${where}: shortened JSON does not parse` });
  }
}

/** Whether two texts are the same JSON, written differently: then a shorter one lost nothing. @param {string} a @param {string} b */
export function sameJson(a, b) {
  if (!/^\s*[[{]/.test(a) || !/^[[{]/.test(b)) return false;
  try {
    return same(JSON.parse(a), JSON.parse(b));
  } catch {
    return false;
  }
}

function parses(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
