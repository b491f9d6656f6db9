// @ts-check
// The core, to be linked once. Each entry beside it (inline, web, slim, workerd, edge-light) only decides where
// the bytes come from.
import * as glue from './core_bg.js';
import { linker } from './linker.js';

export const { bootSync, boot, memory } = linker(glue, './core_bg.js');
