// @ts-check
// The parts both reports share: the buckets with a bar each, the two lines of a header, a list of violations.
// Takes the JSON objects of the reports, gives lines. Knows nothing of cores, files or streams.

import stringWidth from 'string-width';
import { grouped, percentText, short, signed } from '../panel/format.js';
import { bar, joined, table, wrapped } from './draw.js';

/** @param {string} title @param {import('./terminal.js').Terminal} term */
export const heading = (title, { paint }) => ['', `  ${paint.bold(title)}`];

/** The title line and, dimmed below it, what the numbers are about. @param {string[]} about @param {string[]} limits */
export function header(name, about, limits, term) {
  const { paint, width } = term;
  return ['', `  ${paint.bold(name)}`, ...joined(about, width).map(paint.dim), ...joined(limits, width).map(paint.dim)];
}

/**
 * One line per bucket that holds something, largest source items below, then overhead and total.
 * @param {any} breakdown as in `inspect --json` @param {import('./terminal.js').Terminal} term
 */
export function buckets(breakdown, term) {
  const { paint, width } = term;
  const rows = [];
  // An assumed window that turned out too small says nothing about shares.
  const provenWrong = breakdown.assumed && breakdown.total > breakdown.window;
  const share = (tokens) => (provenWrong ? '' : paint.dim(percentText((tokens / breakdown.window) * 100)));
  const largest = Math.max(...breakdown.buckets.map((bucket) => bucket.tokens), Math.abs(breakdown.overhead), 1);
  const labels = breakdown.buckets.flatMap((bucket) => [bucket.label, ...(bucket.items ?? []).map((item) => `  ${item.label}`)]);
  const labelWidth = Math.max(10, ...labels.map((label) => Math.min(28, stringWidth(String(label)))));
  const cells = width - 2 - (labelWidth + 2) - 11 - 7;
  const drawn = (tokens) => (cells >= 6 ? [bar(tokens, largest, Math.min(cells, 40))] : []);
  const clip = (text) => (stringWidth(text) > 28 ? `${text.slice(0, 27)}…` : text);

  for (const bucket of breakdown.buckets) {
    if (bucket.tokens === 0) continue;
    const apart = bucket.summed === false;
    rows.push([apart ? paint.dim(bucket.label) : bucket.label, grouped(bucket.tokens), apart ? paint.dim('apart') : share(bucket.tokens), ...drawn(bucket.tokens).map(apart ? paint.dim : paint.cyan)]);
    const items = [...(bucket.items ?? [])].filter((item) => item.tokens > 0).sort((a, b) => b.tokens - a.tokens);
    if (items.length > 1) {
      for (const item of items.slice(0, 6)) rows.push([paint.dim(clip(`  ${item.label}`)), paint.dim(grouped(item.tokens)), share(item.tokens), ...drawn(item.tokens).map(paint.dim)]);
    }
  }
  if (breakdown.overhead !== 0) rows.push(['Overhead', signed(breakdown.overhead), share(Math.abs(breakdown.overhead)), ...drawn(Math.abs(breakdown.overhead)).map(paint.yellow)]);
  rows.push([paint.bold('Total'), paint.bold(grouped(breakdown.total)), share(breakdown.total)]);
  rows.push([paint.dim('Free'), paint.dim(grouped(breakdown.free)), share(breakdown.free)]);
  if (breakdown.reclaimed > 0) rows.push([paint.dim('Reclaimed'), paint.dim(short(breakdown.reclaimed))]);
  const shape = rows[0].length;
  return table(rows.map((row) => [...row, ...Array(shape).fill('')].slice(0, shape)), ['left', 'right', 'right', 'left']);
}

/** @param {{ step: number, invariant: number, detail: string }[]} violations */
export function violationLines(violations, term, most = 12) {
  const { paint, width } = term;
  if (violations.length === 0) return ['', `  ${paint.green('✓')} no violations`];
  const lines = ['', `  ${paint.red('✗')} ${paint.bold(`${grouped(violations.length)} ${violations.length === 1 ? 'violation' : 'violations'}`)}`];
  for (const { step, invariant, detail } of violations.slice(0, most)) lines.push(...wrapped(`step ${step}, invariant ${invariant}: ${detail}`, width, '    '));
  if (violations.length > most) lines.push(paint.dim(`    and ${grouped(violations.length - most)} more, all of them with --json`));
  return lines;
}
