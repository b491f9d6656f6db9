// @ts-check
// Links the counter's wasm as the module that edge runtimes compile.
// @ts-ignore resolved by the bundler
import wasm from './counter_bg.wasm?module';
import { bootSync } from './boot.js';

bootSync(wasm);
