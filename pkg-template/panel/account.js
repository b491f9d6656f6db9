// @ts-check
// Reads whatever a host hands the panel (a `context.usage` event, `inspect().breakdown`,
// or a whole `inspect()`) into one account of the window: numbers only. What is not a
// finite number is unknown, never zero. It decides no wording and no looks.

/** Buckets in the order in which a view is assembled. */
export const BUCKETS = ['system', 'index', 'tools', 'deferred', 'context', 'messages', 'attachments'];

/** Lines that are not buckets, should a server list them among its segments. */
const DERIVED = new Set(['overhead', 'free', 'total']);

/** @param {unknown} value @returns {number | null} */
const count = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : null);

/**
 * @typedef {{ label: string, tokens: number, source?: string }} Item
 * @typedef {{ id: string, label: string, tokens: number, summed: boolean, items: Item[] }} Bucket
 * @typedef {object} Account
 * @property {number | null} total tokens in the window now; null = not known
 * @property {number | null} window
 * @property {number | null} usable window minus output reserve
 * @property {number | null} percent of the window, unrounded, may exceed 100
 * @property {boolean} provenWrong the window was assumed, and a larger request succeeded
 * @property {boolean} assumed
 * @property {'exact' | 'anchored' | 'estimated'} provenance
 * @property {number | null} overhead total minus the summed buckets, signed
 * @property {number | null} free
 * @property {number} reclaimed net tokens relieved so far; not part of the total
 * @property {Bucket[]} buckets
 * @property {{ evict: number | null, soft: number | null, hard: number | null }} thresholds
 * @property {{ stage: string, tokens: number, results: number | null } | null} next
 */

/** @param {any} entry @returns {Bucket} */
function readBucket(entry) {
  const id = String(entry.id ?? entry.category ?? '');
  const items = Array.isArray(entry.items) ? entry.items : [];
  return {
    id,
    label: typeof entry.label === 'string' ? entry.label : '',
    tokens: count(entry.tokens) ?? 0,
    summed: entry.summed !== false && id !== 'deferred',
    items: items
      .flatMap((item) => (Array.isArray(item?.items) && item.items.length > 0 ? item.items.map((/** @type {any} */ inner) => ({ ...inner, source: item.label })) : [item]))
      .filter((item) => item && typeof item === 'object')
      .map((item) => ({
        label: String(item.label ?? item.name ?? ''),
        tokens: count(item.tokens) ?? 0,
        ...(typeof item.source === 'string' && item.source !== '' ? { source: item.source } : {}),
      })),
  };
}

/** @param {Bucket[]} buckets known ones in view order, then the host's own */
function inViewOrder(buckets) {
  const rank = (bucket) => (BUCKETS.includes(bucket.id) ? BUCKETS.indexOf(bucket.id) : BUCKETS.length);
  return buckets.map((bucket, at) => ({ bucket, at }))
    .sort((a, b) => rank(a.bucket) - rank(b.bucket) || a.at - b.at)
    .map(({ bucket }) => bucket);
}

/** @param {any} next */
function readNext(next) {
  if (!next || typeof next !== 'object') return null;
  const tokens = count(next.reclaimedTokens ?? next.tokens ?? next.frees);
  if (tokens === null || tokens <= 0) return null;
  return { stage: String(next.stage ?? ''), tokens, results: count(next.resultCount ?? next.results) };
}

/**
 * @param {any} usage a `context.usage` event, a breakdown, or an inspection; anything else is null
 * @returns {Account | null}
 */
export function readAccount(usage) {
  if (!usage || typeof usage !== 'object') return null;
  if (usage.breakdown && typeof usage.breakdown === 'object') {
    const { breakdown, window, nextRelief, thresholds } = usage;
    const assumed = breakdown.assumed === true || window?.source === 'assumed';
    return readAccount({ thresholds, nextRelief, ...breakdown, assumed });
  }
  const listed = usage.segments ?? usage.buckets;
  const buckets = inViewOrder((Array.isArray(listed) ? listed : [])
    .filter((entry) => entry && typeof entry === 'object')
    .map(readBucket)
    .filter((bucket) => bucket.id !== '' && !DERIVED.has(bucket.id)));

  const total = usage.unknown === true ? null : count(usage.used ?? usage.total);
  const window = count(usage.contextLimit ?? usage.window?.tokens ?? usage.window);
  const usable = count(usage.usable) ?? window;
  const provenance = ['exact', 'anchored', 'estimated'].includes(usage.provenance)
    ? usage.provenance
    : (usage.approximate === false ? 'exact' : 'estimated');
  const assumed = usage.assumed === true || (usage.window?.source ?? usage.windowSource) === 'assumed';
  const known = total !== null && window !== null && window > 0;
  const provenWrong = known && assumed && total > window && (usage.percent === null || provenance === 'exact');
  const measured = buckets.reduce((sum, bucket) => sum + (bucket.summed ? bucket.tokens : 0), 0);
  return {
    total,
    window,
    usable,
    percent: known && !provenWrong && usage.percent !== null ? count(usage.percent) ?? (total / window) * 100 : null,
    provenWrong,
    assumed,
    provenance,
    // The identity "buckets + overhead = total" is the definition, so it is computed here.
    overhead: total === null ? null : total - measured,
    free: total === null || usable === null ? null : Math.max(0, usable - total),
    reclaimed: Math.max(0, count(usage.reclaimed) ?? 0),
    buckets,
    thresholds: {
      evict: count(usage.thresholds?.evict),
      soft: count(usage.thresholds?.soft),
      hard: count(usage.thresholds?.hard),
    },
    next: readNext(usage.nextRelief ?? usage.nextStep),
  };
}
