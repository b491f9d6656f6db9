import type { Host, RawStore } from '../index.js';

/** A host that keeps everything in memory, for any number of conversations; nothing survives the process. */
export function memoryStore(): Required<Pick<Host, 'load' | 'commit'>> & { raw: Required<RawStore> };
