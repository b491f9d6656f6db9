// @ts-check
// For Node, Deno, Bun and bundlers: the wasm is inlined, nothing is read or fetched, ready at import.
import bytes from './core_bg.wasm.inline.js';
import { bootSync } from './boot.js';

bootSync(bytes());
export async function init() {}
export * from './api.js';
