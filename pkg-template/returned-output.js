// @ts-check
// Whatever a tool returned, as an output of ours, and a shortened one back in the form the tool returned.

import { aiSdk } from './formats/ai-sdk.js';
import { jsonOutput, listOutput, textOutput } from './outputs.js';

const SDK_OUTPUTS = new Set(['text', 'json', 'error-text', 'error-json', 'content', 'execution-denied']);

/** @param {any} returned */
export function outputOf(returned) {
  if (typeof returned === 'string') return textOutput(returned);
  if (SDK_OUTPUTS.has(returned?.type)) return aiSdk.output({ content: [{ output: returned }] }, 0);
  if (Array.isArray(returned) && returned.length > 0 && returned.every((i) => typeof i?.type === 'string')) return listOutput(returned, false, () => undefined);
  return jsonOutput(returned);
}

/** @param {any} returned @param {any} output */
export function backTo(returned, output) {
  if (SDK_OUTPUTS.has(returned?.type)) return aiSdk.leaf({ content: [{ output: returned }] }, 0, output).value;
  return output.value;
}
