// @ts-check
// Finds the usage in whatever a host has at hand: a response, a message, a log record, a stream's last event.
// Sums over several calls and figures of sub-agents are not this conversation's window and are left out.

import { shallowFields } from './plain.js';

const KNOWN = ['input_tokens', 'prompt_tokens', 'promptTokenCount', 'inputTokens', 'cache_read_input_tokens', 'output_tokens', 'outputTokens', 'completion_tokens'];
/** The names of one call's figures inside larger objects; a record's sum over all calls has other names. */
const INSIDE = ['usage', 'usageMetadata', 'usage_metadata', 'last_token_usage', 'lastTokenUsage', 'tokens', 'token_usage', 'tokenUsage', 'metrics', 'info', 'payload', 'response', 'message', 'data', 'model_response', 'response_metadata'];

/** @param {any} value @param {number} [depth] @returns {any} the usage object, or undefined */
export function usageOf(value, depth = 0) {
  if (value === null || typeof value !== 'object' || depth > 4) return undefined;
  // What a sub-agent used fills its own window.
  if (value.isSidechain === true || typeof value.parent_tool_use_id === 'string') return undefined;
  const plain = typeof value.input === 'number' && (typeof value.output === 'number' || typeof value.cacheRead === 'number' || typeof value.cache === 'object');
  if (plain || KNOWN.some((key) => value[key] !== undefined)) return flat(value);
  for (const key of INSIDE) {
    const found = usageOf(value[key], depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Fields whose type is not what the name promises are left out: providers hang anything on a usage. @param {any} usage */
function flat(usage) {
  const entries = Object.entries(shallowFields(usage)).filter(([key, value]) => {
    if (value === null || value === undefined) return false;
    if (['input', 'output', 'cached', 'thoughts', 'reasoning', 'cacheRead', 'cacheWrite'].includes(key)) return typeof value === 'number';
    if (key === 'cache') return typeof value === 'object';
    return true;
  });
  return Object.fromEntries(entries);
}
