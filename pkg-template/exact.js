// @ts-check
// Where the core finds what counts exactly, and the token counter says that it can. Decides that there is one
// such place per realm, so that the CommonJS bundle and a page with two bundles find a counter, too. Refuses
// to load one: a program without `gentle-cascade/tokens` has none, and the core estimates.

/**
 * Counts in one encoding. Nothing here throws: the core cannot go on behind an exception.
 * @typedef {{ count(text: Uint8Array): number, stream(): Stream }} Exact
 * @typedef {{ feed(chunk: Uint8Array): void, tokens(): number, free(): void }} Stream
 * @typedef {(encoding: string) => Exact | undefined} Find
 */

const PLACE = Symbol.for('gentle-cascade.exact.1');
const realm = /** @type {Record<symbol, Find | undefined>} */ (/** @type {any} */ (globalThis));

/** What counts in this encoding, if its vocabulary is loaded. Called by the core. @type {Find} */
export const exactCounter = (encoding) => realm[PLACE]?.(encoding);

/** Adds a counter to those the core may find. @param {Find} find */
export function offerExact(find) {
  const others = realm[PLACE];
  realm[PLACE] = (encoding) => find(encoding) ?? others?.(encoding);
}
