// @ts-check
// For browsers: the smallest download. `await init()` fetches the wasm beside this file and compiles it
// while it arrives; pass a URL, Response, bytes or a module to load it from elsewhere.
import { boot } from './boot.js';

/** @type {Promise<void> | undefined} */
let pending;
/** @param {any} [input] */
export function init(input) {
  pending ??= boot(input ?? new URL('./core_bg.wasm', import.meta.url)).catch((e) => {
    pending = undefined;
    throw e;
  });
  return pending;
}
export * from './api.js';
