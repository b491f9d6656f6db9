// @ts-check
// Where the o200k vocabulary lies. Nothing is read until `bytes()` is called; bundlers that know
// `new URL(…, import.meta.url)` ship the file beside the bundle.
import { read } from './read.js';

/** The file's address. */
export const url = new URL('./o200k.pairs', import.meta.url);
/** The file, for `loadVocabulary('o200k', bytes())`. @returns {Promise<Uint8Array>} */
export const bytes = () => read(url);
