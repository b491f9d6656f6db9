// @ts-check
// The counter's wasm, inlined: nothing is read or fetched, ready at import.
import bytes from './counter_bg.wasm.inline.js';
import { bootSync } from './boot.js';

bootSync(bytes());
