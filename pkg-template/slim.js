// @ts-check
// For everybody who brings the wasm along: `await init(source)` or `initSync(module)`.
export { boot as init, bootSync as initSync } from './boot.js';
export * from './api.js';
