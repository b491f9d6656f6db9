/** The file's address, for hosts that fetch it themselves. */
export const url: URL;
/** The file, for `loadVocabulary('p50k', bytes())`: read from disk in Node, Deno and Bun, fetched elsewhere. */
export function bytes(): Promise<Uint8Array>;
