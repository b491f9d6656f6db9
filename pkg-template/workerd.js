// @ts-check
// For Cloudflare Workers and whatever shares their runtime: the wasm is a module import, compiled at deploy.
// @ts-ignore the bundler turns this into a WebAssembly.Module
import wasm from './core_bg.wasm';
import { bootSync } from './boot.js';

bootSync(wasm);
export async function init() {}
export * from './api.js';
