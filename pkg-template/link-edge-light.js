// @ts-check
// Links the wasm module that edge runtimes compile, and nothing else.
// @ts-ignore resolved by the bundler
import wasm from './core_bg.wasm?module';
import { bootSync } from './boot.js';

bootSync(wasm);
