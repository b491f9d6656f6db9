// @ts-check
// `gentle-cascade/panel`: the context-usage panel for web pages. No wasm, no framework,
// no dependency; it is fed with `context.usage` JSON, from wherever the cascade runs.
// Importing it has no side effect: call `define()` to register `<context-usage-panel>`.

export { ContextUsagePanel, define } from './panel/element.js';
export { panelModel } from './panel/model.js';
export { panelState, toNotice } from './panel/state.js';
export { gauge } from './panel/format.js';
export { defaultLabels } from './panel/labels.js';
