// @ts-check
// Where the p50k vocabulary lies. Nothing is read until `bytes()` is called; bundlers that know
// `new URL(…, import.meta.url)` ship the file beside the bundle.
import { read } from './read.js';

/** The file's address. */
export const url = new URL('./p50k.pairs', import.meta.url);
/** The file, for `loadVocabulary('p50k', bytes())`. @returns {Promise<Uint8Array>} */
export const bytes = () => read(url);
