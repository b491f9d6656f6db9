// @ts-check
// Text to records. Decides whether a text is one JSON document or one record per line, and where it is broken. Refuses to
// know any log format. Error messages are made here because the platform's own quote the text they failed on.

import { badInput } from './bad-input.js';

/**
 * One parsed record and where it stands.
 * @typedef {{ line: number, value: any }} Line
 * `lines`: JSONL. `json`: one document. `truncated`: the line a crash cut off, which is left out.
 * @typedef {{ lines?: Line[], json?: any, truncated?: number }} Parsed
 */

/**
 * @param {string} text
 * @returns {Parsed} a JSONL text of one line is given both ways, so that detection can choose
 * @throws {Error} CascadeError `bad_input` naming the first broken line
 */
export function parseText(text) {
  const body = withoutBanner(text);
  if (body.trim() === '') throw badInput('Line 1: the file is empty. Expected a session log or a list of messages.');
  const whole = tryParse(body);
  if (whole.ok) {
    return { json: whole.value, lines: [{ line: lineOf(body, body.search(/\S/)), value: whole.value }] };
  }
  const first = body.slice(0, endOfFirstLine(body));
  if (!tryParse(first).ok) {
    const line = lineOf(body, brokenAt(body));
    throw badInput(`Line ${line}: this is not valid JSON. Expected one JSON document, or one JSON record on every line.`);
  }
  return parseLines(body);
}

/** `opencode export` prints one line of prose before its JSON; blanking it keeps line numbers true. @param {string} text */
function withoutBanner(text) {
  const banner = /^\s*Exporting session:[^\n]*/.exec(text);
  return banner ? banner[0].replace(/[^\n]/g, ' ') + text.slice(banner[0].length) : text;
}

/** @param {string} text @returns {Parsed} */
function parseLines(text) {
  /** @type {Line[]} */
  const lines = [];
  let line = 0;
  for (let from = 0; from < text.length;) {
    const newline = text.indexOf('\n', from);
    const to = newline < 0 ? text.length : newline;
    line += 1;
    const raw = text.slice(from, to);
    from = to + 1;
    if (raw.trim() === '') continue;
    const parsed = tryParse(raw);
    if (parsed.ok) lines.push({ line, value: parsed.value });
    else if (newline < 0) return { lines, truncated: line };
    else throw badInput(`Line ${line}: this is not valid JSON. Expected one complete JSON record on every line.`);
  }
  return { lines };
}

/** @param {string} text @returns {{ ok: true, value: any } | { ok: false }} */
function tryParse(text) {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}

/** @param {string} text */
function endOfFirstLine(text) {
  const start = Math.max(0, text.search(/\S/));
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}

/** @param {string} text @param {number} index @returns {number} 1-based */
function lineOf(text, index) {
  let line = 1;
  for (let i = text.indexOf('\n'); i >= 0 && i < index; i = text.indexOf('\n', i + 1)) line += 1;
  return line;
}

const TOKEN = /[\s]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;

/**
 * Index of the first character that cannot belong to a JSON document. Engines report it differently or not at all, so a
 * small token walk finds it: `want` says what may come next, `open` is the stack of brackets.
 * @param {string} text
 */
function brokenAt(text) {
  /** @type {string[]} */
  const open = [];
  let want = 'value';
  let at = 0;
  for (;;) {
    TOKEN.lastIndex = at;
    const token = matchToken(text);
    if (!token) return skipSpace(text, at);
    const [, mark, string] = token;
    const begin = TOKEN.lastIndex - (mark ?? string ?? token[3]).length;
    const opens = mark === '{' || mark === '[';
    const closes = mark === '}' || mark === ']';
    if (closes) {
      const closable = mark === '}' ? want === 'key or }' || want === ', or }' : want === 'value or ]' || want === ', or ]';
      if (!closable) return begin;
      open.pop();
    } else if (mark === ':') {
      if (want !== ':') return begin;
      want = 'value';
    } else if (mark === ',') {
      if (want !== ', or }' && want !== ', or ]') return begin;
      want = open[open.length - 1] === '{' ? 'key' : 'value';
    } else if (want.startsWith('key')) {
      if (string === undefined) return begin;
      want = ':';
    } else if (!want.startsWith('value')) {
      return begin;
    } else if (opens) {
      open.push(mark);
      want = mark === '{' ? 'key or }' : 'value or ]';
    }
    at = TOKEN.lastIndex;
    if (mark === ':' || mark === ',' || opens || want === ':') continue;
    want = open.length === 0 ? 'end' : open[open.length - 1] === '{' ? ', or }' : ', or ]';
  }
}

/** A very long string can exhaust the regular expression engine; then the string itself is where reading stopped. @param {string} text */
function matchToken(text) {
  try {
    return TOKEN.exec(text);
  } catch {
    return null;
  }
}

/** @param {string} text @param {number} at */
function skipSpace(text, at) {
  while (at < text.length && /\s/.test(text[at])) at += 1;
  return at;
}
