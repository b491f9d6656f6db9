// @ts-check
// Links the counter's wasm as the module that workerd compiles.
// @ts-ignore resolved by the bundler
import wasm from './counter_bg.wasm';
import { bootSync } from './boot.js';

bootSync(wasm);
