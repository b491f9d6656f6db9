// @ts-check
// The token counter's own wasm, to be linked once; small, so it is always linked at import.
import * as glue from './counter_bg.js';
import { linker } from '../linker.js';

export const { bootSync, memory } = linker(glue, './counter_bg.js');
