// @ts-check
// What every entry exports. Importing it does not load the wasm; the entries do.
import { coreVersion } from './core_bg.js';

export { open } from './cascade.js';
export { apply } from './apply.js';
export { CascadeError, isCascadeError } from './errors.js';
export { toolDefinition } from './formats/index.js';
export { lookUpModel } from './models.js';
export { runFold } from './run-fold.js';

/** The version of the package and of its core, which are built together. */
export const version = () => coreVersion();
