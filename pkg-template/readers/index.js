// @ts-check
// Session logs to one shape. Decides the format by content, never by file name, and hands over to that format's reader.
// Refuses what it cannot name: an unknown or broken file is an error that says which line and what was expected.

import { Findings } from './assemble.js';
import { badInput } from './bad-input.js';
import { textOf } from './bytes.js';
import { detectPlain, LOGS, PLAIN } from './formats.js';
import { parseText } from './json-text.js';

/** @typedef {import('./index.js').Session} Session */

/** Names that `format` accepts. */
export const formats = [...LOGS, ...PLAIN].map(({ name }) => name);

/**
 * Reads a session log or a plain list of messages.
 * @param {Uint8Array | ArrayBuffer | string} bytes the whole file; gzip is inflated
 * @param {{ name?: string, format?: string, conversation?: number }} [options]
 *   name: how errors call the file · format: one of `formats`, instead of detection · conversation: which one (1-based) of a file that holds several
 * @returns {Promise<Session>}
 * @throws {Error} CascadeError `bad_input` when the text is broken, unknown or ambiguous
 */
export async function readSession(bytes, options = {}) {
  const { name, format } = options;
  try {
    if (format !== undefined && !formats.includes(format)) throw badInput(`format is not one this reader knows. Expected one of: ${formats.join(', ')}.`);
    return read(parseText(await textOf(bytes)), format, options);
  } catch (error) {
    const { code, message } = /** @type {any} */ (error ?? {});
    throw code === 'bad_input' && name ? badInput(`${name}: ${message}`) : error;
  }
}

/**
 * @param {import('./json-text.js').Parsed} parsed @param {string | undefined} named
 * @param {import('./formats.js').ReadOptions} options
 */
function read(parsed, named, options) {
  const findings = new Findings();
  if (parsed.truncated !== undefined) {
    findings.add('truncated_line', parsed.truncated, 'the last line is cut off, as after a crash; it is left out');
  }
  if (named !== undefined) {
    const session = firstReader([...LOGS, ...PLAIN].filter((format) => format.name === named), parsed, findings, options);
    if (session) return session;
    throw badInput(`Line ${parsed.lines?.[0]?.line ?? 1}: this is not the shape of a "${named}" file.`);
  }
  const session = firstReader(LOGS, parsed, findings, options);
  if (session) return session;
  const plain = PLAIN.filter((format) => format.name === detectPlain(parsed, options));
  const messages = firstReader(plain, parsed, findings, options);
  if (messages) return messages;
  throw badInput(unknown(parsed));
}

/**
 * @param {import('./formats.js').Format[]} candidates @param {import('./json-text.js').Parsed} parsed
 * @param {Findings} findings @param {import('./formats.js').ReadOptions} options
 */
function firstReader(candidates, parsed, findings, options) {
  for (const format of candidates) {
    if ('json' in parsed && format.fromJson && format.isJson?.(parsed.json, options)) return format.fromJson(parsed.json, findings, options);
    if (parsed.lines && format.fromLines && format.isLines?.(parsed.lines)) return format.fromLines(parsed.lines, findings, options);
  }
  return undefined;
}

/** @param {import('./json-text.js').Parsed} parsed */
function unknown(parsed) {
  const line = parsed.lines?.[0]?.line ?? 1;
  return `Line ${line}: the records are JSON but of no known format. Expected one of: ${formats.join(', ')}. Name it with { format } if you know it.`;
}

/**
 * The prompt a model call saw, as the log's own window held it.
 * @param {Session} session @param {number} row index of the call's assistant row, or `rows.length` for the next prompt
 * @returns {any[]} messages
 */
export function promptBefore(session, row) {
  const segment = session.segments.findLast(({ start }) => start <= row) ?? session.segments[0];
  return [...segment.head, ...session.rows.slice(segment.start, row).map(({ message }) => message)];
}
