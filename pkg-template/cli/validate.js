// @ts-check
// The command `validate`: reads a file, judges its messages in the format they are sent in, prints what a provider
// would complain about and what a repair would do. Decides no rule; the core does.

import { readFile } from 'node:fs/promises';
import { InputError } from './args.js';
import { fitted, table, wrapped } from './draw.js';
import { header, heading } from './report-parts.js';
import { grouped } from '../panel/format.js';

/** Most findings a person is shown one by one. */
const MOST = 20;
const LEVELS = { E: 'rejected', D: 'dropped', S: 'poor', C: 'uncached' };

/**
 * @param {{ file: string, json: boolean, format?: string, conversation?: number }} args
 * @param {import('./terminal.js').Terminal} term
 * @param {{ stdin?: any }} io
 * @returns {Promise<number>} 1 when something would be rejected, else 0
 */
export async function run(args, term, io) {
  const report = await judged(args, await bytesOf(args.file, io));
  term.out(args.json ? JSON.stringify(report) : validateReport(report, term));
  return report.findings.some((finding) => finding.level === 'E') ? 1 : 0;
}

/** @param {string} file @param {{ stdin?: any }} io */
async function bytesOf(file, { stdin }) {
  try {
    if (file !== '-') return await readFile(file);
    const pieces = [];
    for await (const piece of stdin) pieces.push(piece);
    return Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
  } catch (error) {
    const reason = { ENOENT: 'no such file', EISDIR: 'is a directory, expected a file', EACCES: 'may not be read' }[/** @type {any} */ (error)?.code];
    throw new InputError(`${file}: ${reason ?? 'cannot be read'}`);
  }
}

/**
 * The `validate --json` object. Plain lists are judged as they are; the messages of a session log in the AI SDK's form,
 * which its reader writes, with what the reader had to heal beside them.
 */
async function judged({ file, format, conversation }, bytes) {
  const { readSession } = await import('../readers/index.js');
  const { repair, validate } = await import('../pure.js');
  const session = await readSession(bytes, { name: file, ...(format && { format }), ...(conversation && { conversation }) });
  const plain = session.raw?.messages;
  const messages = Array.isArray(plain) ? plain : session.rows.map((row) => row.message);
  const sentAs = Array.isArray(plain) ? session.raw.format : 'ai-sdk';
  const { findings } = validate(messages, sentAs);
  const { repaired } = findings.some((finding) => finding.repairable) ? repair(messages, sentAs) : { repaired: [] };
  return {
    file,
    format: session.format,
    messages: messages.length,
    findings,
    ...(repaired.length > 0 && { repaired }),
    ...(!Array.isArray(plain) && session.healed?.length > 0 && { healed: session.healed }),
  };
}

/**
 * @param {any} report as `validate --json` prints it @param {import('./terminal.js').Terminal} term
 * @returns {string}
 */
export function validateReport(report, term) {
  const { paint, width } = term;
  const { findings, repaired = [], healed = [] } = report;
  const count = (/** @type {any[]} */ list, /** @type {string} */ one) => `${grouped(list.length)} ${one}${list.length === 1 ? '' : 's'}`;
  const rejected = findings.filter((/** @type {any} */ f) => f.level === 'E');
  const lines = header(fitted(report.file, width - 2), [report.format, `${grouped(report.messages)} messages`, findings.length ? count(findings, 'finding') : ''], [], term);
  lines.push('');
  if (rejected.length === 0) lines.push(`  ${paint.green('✓')} no provider would reject these messages`);
  else lines.push(`  ${paint.red('✗')} ${paint.bold(`rejected for ${count(rejected, 'reason')}`)}`);

  if (findings.length) {
    const ordered = [...rejected, ...findings.filter((/** @type {any} */ f) => f.level !== 'E')];
    lines.push(...heading('Findings', term));
    for (const { rule, level, detail, repairable } of ordered.slice(0, MOST)) {
      const colour = level === 'E' ? paint.red : level === 'D' ? paint.yellow : paint.dim;
      lines.push(`  ${colour(LEVELS[/** @type {keyof typeof LEVELS} */ (level)].padEnd(9))} ${paint.bold(rule)}${repairable ? paint.dim('  can be repaired') : ''}`);
      lines.push(...wrapped(detail, width, '    ').map(paint.dim));
    }
    if (ordered.length > MOST) lines.push(paint.dim(`    and ${grouped(ordered.length - MOST)} more, all of them with --json`));
  }

  if (repaired.length) {
    lines.push(...heading('What a repair would do', term));
    for (const { at, did } of repaired.slice(0, MOST)) lines.push(...wrapped(`message ${at}: ${did}`, width));
    if (repaired.length > MOST) lines.push(paint.dim(`  and ${grouped(repaired.length - MOST)} more`));
  }

  if (healed.length) {
    const kinds = new Map();
    for (const { kind, count: n = 1 } of healed) kinds.set(kind, (kinds.get(kind) ?? 0) + n);
    lines.push(...heading('Healed while reading', term));
    lines.push(...table([...kinds].map(([kind, n]) => [kind.replaceAll('_', ' '), grouped(n)]), ['left', 'right']));
  }
  return `${lines.join('\n')}\n`;
}
