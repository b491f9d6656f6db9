// @ts-check
// Anthropic Messages. Decides what its blocks mean; results live in user messages, several in one.

import { listOutput, textOutput } from '../outputs.js';
import { jsonText } from '../safe-json.js';
import { FLAG, KIND, ROLE, guarded, mediaBytes, targetOf } from './parts.js';

/** @typedef {import('./parts.js').ProjectedPart} ProjectedPart */

export const anthropic = Object.freeze({
  name: 'anthropic',

  /** A user message that only carries results is the tools', not the user's. @param {any} message */
  role(message) {
    if (message?.role === 'user' && Array.isArray(message.content) && message.content.length > 0 && message.content.every((/** @type {any} */ b) => b?.type === 'tool_result')) return ROLE.tool;
    return ROLE[/** @type {keyof typeof ROLE} */ (message?.role)];
  },

  /** @param {any} message @returns {ProjectedPart[]} */
  parts(message) {
    if (typeof message.content === 'string') return [{ kind: KIND.text, text: message.content }];
    return Array.isArray(message.content) ? message.content.map(guarded(block)) : [];
  },

  /** @param {any} message @param {number} at */
  output(message, at) {
    const b = message.content[at];
    return outputOf(b?.content, Boolean(b?.is_error));
  },

  /** @param {any} _message @param {number} at @param {import('../outputs.js').Output} output */
  leaf(_message, at, output) {
    return { path: ['content', at, 'content'], value: output.form === 'json' ? output.text : output.value };
  },

  /** A user message of ours; unknown keys are refused here, so where it comes from is kept aside. @param {{ text: string, origin: string }[]} parts @param {string} _origin */
  userMessage(parts, _origin) {
    return { role: 'user', content: this.textParts(parts) };
  },

  /** @param {{ text: string, origin: string }[]} parts */
  textParts(parts) {
    return parts.map(({ text }) => ({ type: 'text', text }));
  },
});

/** @param {any} b @returns {ProjectedPart} */
function block(b) {
  switch (b?.type) {
    case 'text':
      return { kind: KIND.text, text: String(b.text ?? '') };
    case 'thinking':
      return { kind: KIND.reasoning, text: String(b.thinking ?? ''), flags: b.signature ? FLAG.signed : 0 };
    case 'redacted_thinking':
      return { kind: KIND.reasoning, text: '', flags: FLAG.signed };
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use': {
      const { text, safe } = jsonText(b.input);
      return { kind: KIND.call, text, id: String(b.id), name: String(b.name ?? ''), target: targetOf(b.input, b.name), flags: (b.type === 'tool_use' ? 0 : FLAG.provider) | (safe ? 0 : FLAG.unserialisable) };
    }
    case 'tool_result': {
      const output = outputOf(b.content, Boolean(b.is_error));
      return { kind: KIND.result, text: output.text, id: String(b.tool_use_id), media: -output.media.length, flags: (output.error ? FLAG.error : 0) | (output.form === 'list' ? FLAG.list : 0) };
    }
    case 'image':
    case 'document':
    case 'container_upload':
      return { kind: KIND.media, text: '', name: String(b.source?.media_type ?? b.type), media: -1 };
    case 'compaction':
      return { kind: KIND.compaction, text: String(b.content ?? '') };
    default:
      if (typeof b?.tool_use_id === 'string') return { kind: KIND.result, text: jsonText(b.content).text, id: b.tool_use_id, flags: FLAG.provider | FLAG.json };
      return { kind: KIND.opaque, text: jsonText(b).text };
  }
}

/** @param {any} content @param {boolean} error */
function outputOf(content, error) {
  if (content === undefined || content === null) return textOutput('', error);
  if (typeof content === 'string') return textOutput(content, error);
  if (!Array.isArray(content)) return textOutput(jsonText(content).text, error);
  // A list of one text is the same as that text to the model, and shorter to handle.
  if (content.length === 1 && content[0]?.type === 'text') return textOutput(String(content[0].text ?? ''), error);
  return listOutput(content, error, (item) => {
    if (item?.type !== 'image' && item?.type !== 'document') return undefined;
    return { type: String(item.source?.media_type ?? item.type), bytes: mediaBytes(item.source?.data), data: item.source?.data };
  });
}
