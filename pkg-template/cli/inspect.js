// @ts-check
// The inspect report for people: from the JSON object to lines of text. Computes nothing the object does not say.

import { grouped, percentText } from '../panel/format.js';
import { fitted, joined, sparkline, table, wrapped } from './draw.js';
import { buckets, header, heading } from './report-parts.js';

const WINDOW_SOURCE = { log: 'stated by the log', table: 'from the model table', assumed: 'assumed' };

/** An error as a share: `12.4 %`, below one per cent `0.04 %`. @param {number} error 0..1 */
const errorText = (error) => `${(error * 100).toFixed(error < 0.01 ? 2 : 1)} %`;

/**
 * @param {any} report as `inspect --json` prints it @param {import('./terminal.js').Terminal} term
 * @returns {string}
 */
export function inspectReport(report, term) {
  const { paint, width } = term;
  const { breakdown, estimate, steps } = report;
  const lines = header(
    fitted(report.file ?? 'session', width - 2),
    [report.format, report.model ?? 'model unknown', `${grouped(report.turns)} turns`, `${grouped(report.rounds)} rounds`, `${grouped(report.rows)} rows`],
    [`window ${grouped(report.window)} (${WINDOW_SOURCE[report.windowSource]})`, `usable ${grouped(breakdown.usable)}`],
    term,
  );

  const counted = steps.filter((step) => step.real);
  if (steps.length) {
    const values = steps.map((step) => step.real?.input ?? step.estimate);
    const max = Math.max(...values);
    const approx = counted.length === 0;
    lines.push(...heading(`Occupancy over ${grouped(steps.length)} steps`, term));
    lines.push(`  ${paint.cyan(sparkline(values, max, width - 2))}`);
    const share = breakdown.assumed && max > report.window ? 'more than the assumed window' : `${percentText((max / report.window) * 100, approx)} of the window`;
    lines.push(...wrapped(`${approx ? '~' : ''}${grouped(max)} tokens at most, ${share}`, width).map(paint.dim));
  }

  lines.push(...heading(`What fills the largest step${counted.length ? '' : ' ~'}`, term));
  lines.push(...buckets(breakdown, term));

  lines.push(...heading('Gauge against the provider’s count', term));
  if (estimate.medianAbsError === null) lines.push(...wrapped('the log states no usage to compare with', width));
  else {
    const pieces = [`median error ${errorText(estimate.medianAbsError)}`, `p95 ${errorText(estimate.p95AbsError)}`, `largest ${errorText(estimate.maxAbsError)}`];
    lines.push(...joined(pieces, width));
    const worst = steps.filter((step) => step.error >= 0.02).sort((a, b) => b.error - a.error).slice(0, 3);
    if (worst.length) lines.push(...wrapped(`most at ${worst.map((step) => `step ${step.index} (${errorText(step.error)})`).join(', ')}`, width).map(paint.dim));
    lines.push(...wrapped(`${grouped(counted.length)} counted steps, learned ratio ${estimate.ratio.toFixed(2)}`, width).map(paint.dim));
  }

  if (report.healed.length) {
    lines.push(...heading('Healed while reading', term));
    const kinds = new Map();
    for (const { kind, count = 1 } of report.healed) kinds.set(kind, (kinds.get(kind) ?? 0) + count);
    lines.push(...table([...kinds].map(([kind, n]) => [kind.replaceAll('_', ' '), grouped(n)]), ['left', 'right']));
  }
  return `${lines.join('\n')}\n`;
}
