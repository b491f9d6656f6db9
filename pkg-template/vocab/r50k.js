// @ts-check
// Where the r50k vocabulary lies. Nothing is read until `bytes()` is called; bundlers that know
// `new URL(…, import.meta.url)` ship the file beside the bundle.
import { read } from './read.js';

/** The file's address. */
export const url = new URL('./r50k.pairs', import.meta.url);
/** The file, for `loadVocabulary('r50k', bytes())`. @returns {Promise<Uint8Array>} */
export const bytes = () => read(url);
