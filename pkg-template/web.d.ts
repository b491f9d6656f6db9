export * from './index.js';

/** Where the wasm comes from: an address, a response, bytes, a module, or a promise of one. */
export type WasmSource = string | URL | Request | Response | BufferSource | WebAssembly.Module;

/**
 * Loads the wasm, by default the file beside this module, and compiles it while it arrives. Call it before anything
 * else; calling it again is harmless, and after a failure it tries again.
 */
export function init(input?: WasmSource | PromiseLike<WasmSource>): Promise<void>;
