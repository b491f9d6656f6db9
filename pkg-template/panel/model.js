// @ts-check
// What the panel shows, as plain data: rows, bar, ticks, lines of text. Pure, so the
// same model can be tested in Node or drawn by a host that wants its own markup.
// It knows the account and the words; it knows no element and no colour.

import { readAccount } from './account.js';
import { fill, withDefaults } from './labels.js';
import { gauge, grouped, percentText, short, signed } from './format.js';

/** @typedef {import('./account.js').Account} Account */

/** @typedef {{ id: string, label: string, share: number, text: string, title: string, reached: boolean }} Tick */

const LADDER = /** @type {const} */ (['evict', 'soft', 'hard']);

/**
 * Items of a bucket by their source, largest first; items without a source stay single lines.
 * @param {import('./account.js').Item[]} items
 * @param {string} other name of the group for items without a source
 */
function bySource(items, other) {
  const line = ({ label, tokens }) => ({ label, tokens, text: grouped(tokens) });
  const largestFirst = (a, b) => b.tokens - a.tokens;
  if (!items.some((item) => item.source)) {
    return items.map((item) => ({ ...line(item), items: [] })).sort(largestFirst);
  }
  /** @type {Map<string, import('./account.js').Item[]>} */
  const groups = new Map();
  for (const item of items) {
    const source = item.source ?? other;
    groups.set(source, [...(groups.get(source) ?? []), item]);
  }
  return [...groups].map(([source, members]) => {
    const tokens = members.reduce((sum, item) => sum + item.tokens, 0);
    const named = members.filter((item) => item.label !== '' && item.label !== source);
    return { label: source, tokens, text: grouped(tokens), items: named.map(line).sort(largestFirst) };
  }).sort(largestFirst);
}

/**
 * The host's translation wins over the event's label, which wins over ours.
 * @param {Record<string, string>} words @param {Record<string, unknown>} own the host's labels
 */
function bucketRow(words, own) {
  return (/** @type {import('./account.js').Bucket} */ bucket) => ({
    id: bucket.id,
    kind: bucket.summed ? 'bucket' : 'aside',
    label: typeof own[bucket.id] === 'string' ? own[bucket.id] : bucket.label || words[bucket.id] || bucket.id,
    tokens: bucket.tokens,
    text: grouped(bucket.tokens),
    ...(bucket.summed ? {} : { note: words.notCounted }),
    groups: bySource(bucket.items, words.otherSource),
  });
}

/**
 * The bar in shares of its full width. The filled part is always the total: with a negative
 * overhead the buckets measure more than the provider counted and are scaled down to it, and
 * past the window the bar stands for the total, with the window's end as a tick.
 * @param {Account} account @param {Record<string, string>} words
 */
function barOf(account, words) {
  const { total, window, usable, thresholds } = account;
  if (window === null || window <= 0) return { segments: [], ticks: [], reserve: 0 };
  const scale = Math.max(window, total ?? 0);
  const share = (tokens) => Math.min(1, Math.max(0, tokens / scale));
  const summed = account.buckets.filter((bucket) => bucket.summed && bucket.tokens > 0);
  const measured = summed.reduce((sum, bucket) => sum + bucket.tokens, 0);
  const fit = total !== null && measured > total ? total / measured : 1;
  const segments = total === null ? [] : summed.map(({ id, tokens }) => ({ id, share: share(tokens * fit) }));
  if ((account.overhead ?? 0) > 0) segments.push({ id: 'overhead', share: share(account.overhead ?? 0) });
  /** @type {Tick[]} */
  const ticks = LADDER.flatMap((id) => {
    const tokens = thresholds[id];
    if (tokens === null || tokens > scale) return [];
    const values = { tokens: grouped(tokens), percent: percentText((tokens / window) * 100) };
    return [{
      id,
      label: words[id],
      share: share(tokens),
      text: short(tokens).replace('.0k', 'k'),
      title: fill(words[`${id}Hint`], values),
      reached: total !== null && total >= tokens,
    }];
  });
  if (total !== null && total > window) {
    const title = fill(words.windowHint, { tokens: grouped(window) });
    ticks.push({ id: 'window', label: '', share: share(window), text: '', title, reached: true });
  }
  const start = Math.max(usable ?? window, total ?? 0);
  return { segments, ticks, reserve: share(Math.max(0, window - start)) };
}

/** @param {Account} account */
function levelOf({ total, thresholds }) {
  if (total === null) return 'unknown';
  const reached = [...LADDER].reverse().find((id) => thresholds[id] !== null && total >= (thresholds[id] ?? 0));
  return reached ?? 'calm';
}

/** @param {Account} account @param {Record<string, string>} words */
function nextLine({ next }, words) {
  if (!next) return null;
  const tokens = short(next.tokens);
  if (!next.results) return fill(words.nextTokens, { tokens });
  const results = next.results === 1 ? words.resultOne : fill(words.resultMany, { n: grouped(next.results) });
  return fill(words.nextEvict, { results, tokens });
}

/**
 * @param {unknown} usage a `context.usage` event, `inspect().breakdown` or `inspect()`; null = nothing known
 * @param {{ state?: 'idle' | 'compacting', labels?: import('./labels.js').Labels }} [options]
 */
export function panelModel(usage, { state = 'idle', labels } = {}) {
  const words = withDefaults(labels);
  const account = /** @type {Account} */ (readAccount(usage) ?? readAccount({ segments: [] }));
  const { total, window, usable, percent, provenance } = account;
  const known = total !== null;
  const approximate = known && provenance === 'estimated';
  const rows = account.buckets.map(bucketRow(words, { ...labels }));
  const line = (id, tokens, text = grouped(tokens)) => ({ id, kind: id, label: words[id], tokens, text, groups: [] });
  const provenText = percentText(percent, approximate);
  return {
    known,
    state,
    level: levelOf(account),
    over: known && window !== null && total > window,
    percent,
    percentText: provenText,
    gauge: gauge(total, window),
    total,
    window,
    meterText: known
      ? fill(words.meter, { total: grouped(total), window: grouped(window), percent: provenText })
      : words.unknown,
    provenance: known ? provenance : 'unknown',
    mark: known ? words[provenance] : null,
    markTitle: known ? words[`${provenance}Hint`] : '',
    assumed: account.assumed ? words.assumed : null,
    warning: account.provenWrong ? words.provenWrong : null,
    bar: barOf(account, words),
    counted: [
      ...rows.filter((row) => row.kind === 'bucket'),
      { ...line('overhead', account.overhead, signed(account.overhead)), title: words.overheadHint },
    ],
    sums: [
      { ...line('total', total, (approximate ? '~' : '') + grouped(total)) },
      { ...line('free', account.free) },
      ...(window !== null && usable !== null && usable < window ? [line('reserve', window - usable)] : []),
    ],
    aside: rows.filter((row) => row.kind === 'aside'),
    reclaimed: account.reclaimed > 0 ? fill(words.reclaimed, { tokens: short(account.reclaimed) }) : null,
    next: nextLine(account, words),
    words,
  };
}
