// @ts-check
// The reference host: everything in memory, one object for any number of transcripts. For tests, demos
// and single-process apps; nothing survives the process.

/** @returns {any} a host with `load`, `commit` and `raw`; see `Host` in `index.d.ts` */
export function memoryStore() {
  /** @type {Map<string, { blob: string, version: number }>} */
  const states = new Map();
  /** @type {Map<string, Map<string, string>>} */
  const outputs = new Map();
  const of = (/** @type {string} */ transcript) => {
    const known = outputs.get(transcript) ?? new Map();
    outputs.set(transcript, known);
    return known;
  };
  return {
    load: (/** @type {any} */ { transcript }) => states.get(transcript) ?? null,
    commit({ blob, expect }, { transcript }) {
      const version = states.get(transcript)?.version ?? null;
      if (version !== (expect ?? null)) return 'conflict';
      const next = (version ?? 0) + 1;
      states.set(transcript, { blob, version: next });
      return { version: next };
    },
    raw: {
      put: (/** @type {string} */ key, /** @type {string} */ text, /** @type {any} */ { transcript }) => void of(transcript).set(key, text),
      get: (/** @type {string} */ key, /** @type {any} */ { transcript }) => of(transcript).get(key) ?? null,
      has: (/** @type {string} */ key, /** @type {any} */ { transcript }) => of(transcript).has(key),
      copy({ to, keys }, { transcript }) {
        for (const key of keys) {
          const text = of(transcript).get(key);
          if (text !== undefined) of(to).set(key, text);
        }
      },
      delete(/** @type {string[] | 'all'} */ keys, /** @type {any} */ { transcript }) {
        if (keys === 'all') outputs.delete(transcript);
        else for (const key of keys) of(transcript).delete(key);
      },
    },
  };
}
