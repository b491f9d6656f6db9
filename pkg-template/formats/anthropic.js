// @ts-check
// Anthropic Messages. Decides what its blocks mean; results live in user messages, several in one.

import { listOutput, textOutput } from '../outputs.js';
import { jsonText } from '../safe-json.js';
import { FLAG, KIND, ROLE, asText, media, readParts, targetOf, weighed } from './parts.js';

/** @typedef {import('./parts.js').ProjectedPart} ProjectedPart */
/** @typedef {import('./parts.js').Price} Price */

/** @type {import('./parts.js').Format} */
export const anthropic = Object.freeze({
  name: 'anthropic',

  /** A user message that only carries results is the tools', not the user's. */
  role(message) {
    if (typeof message?.content !== 'string' && !Array.isArray(message?.content)) return undefined;
    if (message?.role === 'user' && Array.isArray(message.content) && message.content.length > 0 && message.content.every((/** @type {any} */ b) => b?.type === 'tool_result')) return ROLE.tool;
    return ROLE[/** @type {keyof typeof ROLE} */ (message?.role)];
  },

  parts(message, price) {
    if (typeof message.content === 'string') return [{ kind: KIND.text, text: message.content }];
    return Array.isArray(message.content) ? readParts(message.content, (b) => block(b, price)) : [];
  },

  output(message, at) {
    const b = message.content[at];
    return outputOf(b?.content, Boolean(b?.is_error));
  },

  leaf(_message, at, output) {
    return { path: ['content', at, 'content'], value: output.form === 'json' ? output.text : output.value };
  },

  /** Unknown keys are refused here, so nothing in it says that it is ours. */
  userMessage: (parts) => ({ role: 'user', content: parts.map(own) }),

  /** Behind the results, which must come first. */
  appended: (_message, parts) => ({ append: parts.map(own) }),

  toolDefinition: ({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }),
});

/** @param {import('./parts.js').Own} part */
const own = ({ text }) => ({ type: 'text', text });

/** @param {any} b @param {Price} [price] @returns {ProjectedPart} */
function block(b, price) {
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
      return { kind: KIND.call, text, id: String(b.id), name: String(b.name ?? ''), target: targetOf(b.input, b.name), ...(typeof b.caller?.tool_id === 'string' && { caller: b.caller.tool_id }), flags: (b.type === 'tool_use' ? 0 : FLAG.provider) | (safe ? 0 : FLAG.unserialisable) };
    }
    case 'tool_result': {
      const output = outputOf(b.content, Boolean(b.is_error));
      return { kind: KIND.result, text: output.text, id: String(b.tool_use_id), ...weighed(output.media, price), flags: (output.error ? FLAG.error : 0) | (output.form === 'list' ? FLAG.list : 0) };
    }
    case 'image':
    case 'document':
    case 'container_upload':
      return source(b, price);
    case 'search_result':
      return { kind: KIND.text, text: jsonText(b.content).text };
    case 'compaction':
      // Null is a compaction that failed; one that only the provider can read is a boundary all the same.
      return { kind: KIND.compaction, text: asText(b.content), flags: (b.signature ? FLAG.signed : 0) | (b.content || !b.encrypted_content ? 0 : FLAG.sealed) };
    default:
      if (typeof b?.tool_use_id === 'string') return { kind: KIND.result, text: jsonText(b.content).text, id: b.tool_use_id, flags: FLAG.provider | FLAG.json };
      return { kind: KIND.opaque, text: jsonText(b).text };
  }
}

/** A picture or a file; a text document is text. @param {any} b @param {Price} [price] @returns {ProjectedPart} */
function source(b, price) {
  const name = String(b.source?.media_type ?? b.type);
  if (b.source?.type === 'text') return { kind: KIND.media, text: String(b.source.data ?? ''), name, media: 0 };
  if (b.source?.type === 'content') return { kind: KIND.media, text: jsonText(b.source.content).text, name, media: 0 };
  return { kind: KIND.media, text: '', name, ...weighed([media(b.source?.data ?? b.source?.url, b.source?.media_type ?? b.type)], price) };
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
    return item.source?.type === 'text' ? undefined : media(item.source?.data ?? item.source?.url, item.source?.media_type ?? item.type);
  });
}
