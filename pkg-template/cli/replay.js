// @ts-check
// The replay report for people: from the JSON object (and the breakdown at its fullest view) to lines of text.
// Computes nothing the object does not say.

import { grouped, percentText, short } from '../panel/format.js';
import { fits, fitted, marks, sparkline, table } from './draw.js';
import { buckets, header, heading, violationLines } from './report-parts.js';

/** Tokens of a whole session: `950.2k`, `4.95M`. @param {number} n */
const amount = (n) => (n >= 1e6 ? `${(n / 1e6).toFixed(2)}M` : short(n));

/** `1 result`, `12 results`. @param {number} n @param {string} one */
const many = (n, one) => `${grouped(n)} ${one}${n === 1 ? '' : 's'}`;

/**
 * @param {any} report as `replay --json` prints it @param {import('./terminal.js').Terminal} term
 * @param {{ model?: string, fullest?: any }} [more] fullest: what `inspect()` said at the step with the largest view
 * @returns {string}
 */
export function replayReport(report, term, { model, fullest } = {}) {
  const { paint, width } = term;
  const { steps, totals } = report;
  const { evict, to, usable } = fullest?.thresholds ?? {};
  const lines = header(
    fitted(report.file ?? 'session', width - 2),
    [report.format, model ?? 'model unknown', many(steps.length, 'step')],
    [`window ${grouped(report.window)}`, usable && `usable ${grouped(usable)}`, evict !== undefined ? `eviction from ${grouped(evict)} down to ${grouped(to)}` : ''],
    term,
  );

  if (steps.length) {
    const before = steps.map((step) => step.before);
    const after = steps.map((step) => step.after);
    const acted = steps.map((step) => (step.folded || step.dropped || step.digested ? 3 : step.evicted ? 2 : step.clamped ? 1 : 0));
    const room = width - 11;
    const max = Math.max(totals.maxBefore, 1);
    lines.push(...heading('Occupancy, step by step', term));
    lines.push(`  without  ${paint.dim(sparkline(before, max, room))}`);
    lines.push(`  with     ${paint.cyan(sparkline(after, max, room))}`);
    const row = marks(acted, ['', '·', '▴', '◆'], room);
    if (row) {
      lines.push(`           ${paint.yellow(row)}`);
      const legend = [acted.includes(1) && '· clamped', acted.includes(2) && '▴ evicted', acted.includes(3) && (totals.folds ? '◆ folded' : '◆ dropped or digested')].filter(Boolean).join('   ');
      lines.push(paint.dim(`           ${legend}`));
    }
  }

  if (fullest) {
    lines.push(...heading('What fills the fullest view', term));
    lines.push(...buckets(fullest.breakdown, term));
  }

  const saved = totals.maxBefore > 0 ? 1 - totals.maxAfter / totals.maxBefore : 0;
  const passes = steps.filter((step) => step.evicted > 0).length;
  const rows = [
    ['Largest request', `${grouped(totals.maxBefore)} → ${paint.bold(grouped(totals.maxAfter))}`, saved > 0.005 ? `${percentText(saved * 100)} less` : 'unchanged'],
    ['Evicted', many(totals.evictions, 'result'), totals.evictions ? `${many(passes, 'pass').replace('passs', 'passes')}, ${amount(totals.reclaimed)} tokens net` : ''],
    ['Clamped', many(totals.clamps, 'result'), ''],
    ...(totals.drops ? [['Dropped', many(totals.drops, 'row'), 'behind a line that names them']] : []),
    ...(totals.digests ? [['Digested', many(totals.digests, 'row'), '']] : []),
    ...(totals.folds ? [['Folded', many(totals.folds, 'time'), '']] : []),
    ['Cost', `${amount(totals.costFull)} → ${amount(totals.cost)}`, totals.costFull > 0 ? `${(totals.cost / totals.costFull).toFixed(2)} × the full history` : ''],
    ['Cache breaks', grouped(totals.cacheBreaks), `in ${many(steps.length, 'step')}`],
    ['Over usable', many(totals.over, 'step'), ''],
    ['Handles', `${grouped(totals.handles.offered)} offered`, totals.handles.offered ? `${grouped(totals.handles.verified)} read back byte for byte` : ''],
  ];
  lines.push(...heading('Totals', term));
  const full = table(rows.map(([name, value, note]) => [name, value, note && paint.dim(note)]), ['left', 'left', 'left']);
  lines.push(...(fits(full, width) ? full : table(rows.map(([name, value]) => [name, value]), ['left', 'left'])));
  lines.push(...violationLines(report.violations, term));
  return `${lines.join('\n')}\n`;
}
