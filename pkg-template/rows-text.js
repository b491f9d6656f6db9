// @ts-check
// Rows that a fold, a group line or a digest stands for, as a text to page through: `rows:10-19`.
//
// Decides how a row reads. What the redact hook would change is changed here, too: rows come from the
// host's own store, which may hold them as they were.

import { listRows } from './formats/index.js';
import { callHost } from './host.js';
import { rawText } from './outputs.js';
import { rowsOf } from './run-fold.js';

const WHO = ['system', 'user', 'assistant', 'tool'];
const RESULT = 3;
const CALL = 2;
const REASONING = 1;

/** @param {string} handle @returns {{ from: number, to: number } | undefined} */
export function rangeOf(handle) {
  const found = /^rows:(\d{1,15})-(\d{1,15})$/.exec(handle);
  return found ? { from: Number(found[1]), to: Number(found[2]) } : undefined;
}

/**
 * @param {any} host @param {{ from: number, to: number }} range both ends included
 * @param {any} hostFormat how the host's messages are read
 * @param {{ transcript: string, signal?: AbortSignal }} context
 * @returns {Promise<string | undefined>} nothing when the host has none of the rows
 */
export async function rowsText(host, range, hostFormat, context) {
  const stored = rowsOf((await callHost(host, host, 'rows', [range], context)) ?? []);
  const { format } = listRows(hostFormat, []);
  const rows = stored.flatMap(({ position, message }) => listRows(hostFormat, [message], [position]).messages.map((row) => ({ position, message: row })));
  const texts = [];
  for (const { position, message } of rows) {
    const lines = [`[${WHO[format.role(message) ?? -1] ?? 'row'}, row ${position}]`];
    for (const [i, part] of format.parts(message).entries()) {
      if (part.kind === REASONING) continue;
      if (part.kind === CALL) lines.push(`call ${part.name} ${part.id}: ${part.text}`);
      else if (part.kind === RESULT) lines.push(await resultText(host, format, message, i, part, context));
      else if (part.text) lines.push(part.text);
    }
    texts.push(lines.join('\n'));
  }
  return texts.length > 0 ? texts.join('\n\n') : undefined;
}

/** @param {any} host @param {any} format @param {any} message @param {number} i @param {any} part @param {any} context */
async function resultText(host, format, message, i, part, context) {
  const text = rawText(format.output(message, i));
  if (typeof host.redact !== 'function') return text;
  return String(await callHost(host, host, 'redact', [{ tool: part.name ?? '', text }], context));
}
