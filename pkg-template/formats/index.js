// @ts-check
// Which format a list of messages is in: named by the host, or seen from its content. Ambiguous lists
// are read as what both readings agree on; only where they differ is the name asked for.

import { badInput } from '../errors.js';
import { aiSdk } from './ai-sdk.js';
import { anthropic } from './anthropic.js';

/** @typedef {typeof aiSdk} Format */

const FORMATS = { [aiSdk.name]: aiSdk, [anthropic.name]: anthropic };

/** @param {string} name @returns {any} */
export function formatByName(name) {
  const format = FORMATS[name];
  if (!format) throw badInput(`\`format\` is \`${name}\`, but must be one of ${Object.keys(FORMATS).join(', ')}`);
  return format;
}

const ANTHROPIC_BLOCKS = new Set(['tool_use', 'tool_result', 'thinking', 'redacted_thinking', 'server_tool_use', 'document']);
const SDK_PARTS = new Set(['tool-call', 'tool-result', 'reasoning', 'file', 'tool-approval-request', 'tool-approval-response']);

/** The format the content shows, or undefined while nothing tells. @param {readonly any[]} messages @returns {any} */
export function detectFormat(messages) {
  for (const message of messages) {
    if (message?.role === 'tool') return aiSdk;
    if (!Array.isArray(message?.content)) continue;
    for (const part of message.content) {
      if (ANTHROPIC_BLOCKS.has(part?.type) || (part?.type === 'image' && part.source)) return anthropic;
      if (SDK_PARTS.has(part?.type)) return aiSdk;
    }
  }
  return undefined;
}
