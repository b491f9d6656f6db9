// @ts-check
// Links the inlined wasm and nothing else, for entries that need the core but not the whole API.
import bytes from './core_bg.wasm.inline.js';
import { bootSync } from './boot.js';

bootSync(bytes());
