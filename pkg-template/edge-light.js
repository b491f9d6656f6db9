// @ts-check
// For edge runtimes that import wasm with `?module`.
// @ts-ignore the bundler turns this into a WebAssembly.Module
import wasm from './core_bg.wasm?module';
import { bootSync } from './boot.js';

bootSync(wasm);
export async function init() {}
export * from './api.js';
