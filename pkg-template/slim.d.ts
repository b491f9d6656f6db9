import type { WasmSource } from './web.js';

export * from './index.js';
export type { WasmSource } from './web.js';

/** Loads the wasm you bring: `gentle-cascade/core.wasm` from wherever you serve it. Calling it again is harmless. */
export function init(source: WasmSource | PromiseLike<WasmSource>): Promise<void>;

/** The same without waiting, for bytes or a compiled module. */
export function initSync(source: BufferSource | WebAssembly.Module): void;
