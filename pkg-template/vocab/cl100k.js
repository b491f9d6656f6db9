// @ts-check
// Where the cl100k vocabulary lies. Nothing is read until `bytes()` is called; bundlers that know
// `new URL(…, import.meta.url)` ship the file beside the bundle.
import { read } from './read.js';

/** The file's address. */
export const url = new URL('./cl100k.pairs', import.meta.url);
/** The file, for `loadVocabulary('cl100k', bytes())`. @returns {Promise<Uint8Array>} */
export const bytes = () => read(url);
