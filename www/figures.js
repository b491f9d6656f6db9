// The numbers of a replay in words: totals, the reading of one step, what was healed.
// It knows the report's fields and their units, and no element.

import { grouped, short } from '../pkg/panel/format.js';

const many = (n, one, more) => `${grouped(n)} ${n === 1 ? one : more}`;

/** @param {any} report what a replay returns */
export function totalsOf({ totals, violations, window }) {
  const saved = totals.costFull > 0 ? Math.round((1 - totals.cost / totals.costFull) * 100) : 0;
  return [
    { name: 'peak', term: 'Highest', text: `${short(totals.maxBefore)} → ${short(totals.maxAfter)}`, hint: `Most tokens before any call, without and with the cascade, in a window of ${grouped(window)}` },
    { name: 'reclaimed', term: 'Reclaimed', text: short(totals.reclaimed), hint: 'Tokens taken out of the window, stubs already subtracted' },
    { name: 'acts', term: 'Results', hint: 'Old results that became stubs, and new ones cut to head and tail', text: [
      `${grouped(totals.evictions)} evicted`,
      `${grouped(totals.clamps)} clamped`,
      ...(totals.folds > 0 ? [many(totals.folds, 'fold', 'folds')] : []),
    ].join(', ') },
    { name: 'cost', term: 'Input cost', text: saved >= 0 ? `${saved}% less` : `${-saved}% more`, hint: 'Cached tokens at 0.1, new ones at 1.25, against sending everything' },
    { name: 'handles', term: 'Read back', text: `${grouped(totals.handles.verified)} of ${grouped(totals.handles.offered)}`, hint: 'Outputs that were taken out and came back byte for byte by their handle' },
    { name: 'over', term: 'Over limit', text: many(totals.over, 'step', 'steps'), quiet: totals.over === 0, hint: 'Steps whose view still exceeds the window minus the room kept for the answer' },
    { name: 'violations', term: 'Checks failed', text: grouped(violations.length), quiet: violations.length === 0, hint: 'Invariants checked at every step' },
  ];
}

/** @param {any} step @param {number} steps */
export function readingOf(step, steps) {
  return [
    { name: 'step', term: 'Step', text: `${grouped(step.index + 1)} of ${grouped(steps)}` },
    { name: 'row', term: 'Row', text: grouped(step.row), hint: 'The message this model call produced' },
    { name: 'before', term: 'Without', text: grouped(step.before), hint: 'Tokens of the whole history' },
    { name: 'after', term: 'With', text: grouped(step.after), hint: 'Tokens of what is sent' },
    { name: 'evicted', term: 'Evicted', text: grouped(step.evicted), quiet: step.evicted === 0, hint: 'Old results that became stubs at this step' },
    { name: 'clamped', term: 'Clamped', text: grouped(step.clamped), quiet: step.clamped === 0, hint: 'New results cut to head and tail at this step' },
    ...(step.folded > 0 ? [{ name: 'folded', term: 'Folded', text: grouped(step.folded), hint: 'Rows that became part of a summary at this step' }] : []),
    { name: 'prefix', term: 'Prefix', text: grouped(step.prefix), hint: 'Tokens shared with the request before: what a prompt cache can reuse' },
    { name: 'cost', term: 'Cost', text: grouped(step.cost), hint: '0.1 per token of the prefix, 1.25 per other token' },
  ];
}

const HEALED = {
  unanswered_call: 'a call without a result',
  orphan_result: 'a result without a call',
  duplicate_result: 'a result written twice',
  dropped_branch: 'an abandoned branch',
  sidechain: 'a side chain',
  unknown_record: 'a record of an unknown kind',
};

/** @param {{ kind: string, at: number, detail: string, count?: number }[]} healed */
export function healedLines(healed) {
  return healed.map(({ kind, at, detail, count }) => {
    const what = HEALED[kind] ?? kind.replaceAll('_', ' ');
    return `Line ${at}: ${what}${count > 1 ? ` (${grouped(count)} times)` : ''}. ${detail}`;
  });
}

/** @param {{ step: number, invariant: number, detail: string }[]} violations */
export function violationLines(violations) {
  return violations.map(({ step, invariant, detail }) => `Step ${step + 1}, invariant ${invariant}: ${detail}`);
}
