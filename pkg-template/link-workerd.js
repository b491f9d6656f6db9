// @ts-check
// Links the wasm module that workerd compiles, and nothing else.
// @ts-ignore resolved by the bundler
import wasm from './core_bg.wasm';
import { bootSync } from './boot.js';

bootSync(wasm);
