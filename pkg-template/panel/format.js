// @ts-check
// How a number looks. Hand-written instead of Intl so that a snapshot, a screenshot
// and a terminal agree on every machine. It knows nothing of buckets or the DOM.

/** What stands in the place of a number nobody knows. */
export const UNKNOWN = '–';

/** @param {unknown} value @returns {value is number} */
const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

/**
 * Whole tokens with thousands separated: `15,900`.
 * @param {number | null | undefined} n
 */
export function grouped(n) {
  if (!isNumber(n)) return UNKNOWN;
  const digits = String(Math.abs(Math.round(n))).replace(/\B(?=(\d{3})+$)/g, ',');
  return n < 0 && digits !== '0' ? `−${digits}` : digits;
}

/**
 * Whole tokens that always show which way they go: `+590`, `−310`, `0`.
 * @param {number | null | undefined} n
 */
export function signed(n) {
  const text = grouped(n);
  return isNumber(n) && Math.round(n) > 0 ? `+${text}` : text;
}

/**
 * Thousands with one decimal: `11.4k`; below 1,000 the number itself.
 * @param {number | null | undefined} n
 */
export function short(n) {
  if (!isNumber(n)) return UNKNOWN;
  return Math.abs(n) < 1000 ? grouped(n) : `${(n / 1000).toFixed(1)}k`;
}

/**
 * Rounded thousands, as the gauge prints them: `80k`; below 1,000 the number itself.
 * @param {number | null | undefined} n
 */
export function thousands(n) {
  if (!isNumber(n)) return UNKNOWN;
  return Math.abs(n) < 1000 ? String(Math.round(n)) : `${Math.round(n / 1000)}k`;
}

/**
 * The gauge: `ctx 80k/256k`. An unknown side is a dash, never a zero.
 * @param {number | null | undefined} total tokens in the window now
 * @param {number | null | undefined} window the model's limit in tokens
 */
export function gauge(total, window) {
  return `ctx ${thousands(total)}/${thousands(window)}`;
}

/**
 * A share of the window: `8%`, `117%`, `<1%`. More than 100 is shown as it is.
 * @param {number | null | undefined} percent
 * @param {boolean} [approximate] puts the `~` of an estimate in front
 */
export function percentText(percent, approximate = false) {
  if (!isNumber(percent)) return UNKNOWN;
  const rounded = Math.round(percent);
  const text = rounded === 0 && percent > 0 ? '<1%' : `${rounded}%`;
  return approximate ? `~${text}` : text;
}
