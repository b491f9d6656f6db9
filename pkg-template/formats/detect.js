// @ts-check
// Which formats a list of messages can be in. Decides by what only some formats can hold: a field, a part
// type, the shape of the list. What no format knows tells nothing. Refuses to choose among formats that
// read a list differently.

import { badInput } from '../errors.js';

/** @typedef {'ai-sdk' | 'ai-sdk-ui' | 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini'} FormatName */

/** @type {readonly FormatName[]} */
export const FORMAT_NAMES = Object.freeze(['ai-sdk', 'ai-sdk-ui', 'anthropic', 'openai-chat', 'openai-responses', 'gemini']);

/** Lists of plain texts are the same messages in these; which one it is shows later, or never matters. */
const ALIKE = new Set(['ai-sdk', 'anthropic', 'openai-chat', 'openai-responses']);

/** Part type of a content list -> formats that have it. A map, since a type may be called `constructor`. @type {Map<unknown, FormatName[]>} */
const PART_TYPES = new Map([
  ['text', ['ai-sdk', 'anthropic', 'openai-chat']],
  ['refusal', ['openai-chat', 'openai-responses']],
]);
for (const [format, types] of /** @type {[FormatName, string][]} */ ([
  ['ai-sdk', 'tool-call tool-result tool-approval-request tool-approval-response reasoning reasoning-file redacted-reasoning custom'],
  ['anthropic', 'tool_use tool_result thinking redacted_thinking document search_result server_tool_use mcp_tool_use mcp_tool_result container_upload compaction web_search_tool_result web_fetch_tool_result code_execution_tool_result bash_code_execution_tool_result text_editor_code_execution_tool_result'],
  ['openai-chat', 'image_url input_audio'],
  ['openai-responses', 'input_text output_text input_image input_file summary_text reasoning_text'],
])) for (const type of types.split(' ')) PART_TYPES.set(type, [format]);

const ITEM = /^(message|reasoning|compaction|compaction_trigger|item_reference|configuration_update|additional_tools|program|program_output|mcp_list_tools|mcp_approval_request|mcp_approval_response|[a-z_]+_call|[a-z_]+_call_output)$/;

/**
 * @param {readonly any[]} messages
 * @returns {FormatName | undefined} undefined while the messages read the same in all formats they can be in
 * @throws {import('../errors.js').CascadeError} `bad_input` where they fit none, or several that read them differently
 */
export function detectFormat(messages) {
  /** @type {readonly FormatName[]} */
  let possible = FORMAT_NAMES;
  for (let i = 0; i < messages.length; i += 1) {
    const fits = formatsOf(messages[i]);
    if (!fits) continue;
    const left = possible.filter((name) => fits.includes(name));
    if (left.length === 0) throw badInput(`\`messages[${i}]\` fits no format that the messages before it fit (${possible.join(', ')}); name the format with \`format\``);
    if (left.length === 1) return left[0];
    possible = left;
  }
  if (possible.length === FORMAT_NAMES.length || possible.every((name) => ALIKE.has(name))) return undefined;
  throw badInput(`the messages can be ${possible.join(' or ')}, which read them differently; name the format with \`format\``);
}

/** Formats a message can be in; undefined when it tells nothing. @param {any} message @returns {readonly FormatName[] | undefined} */
export function formatsOf(message) {
  if (message === null || typeof message !== 'object') return undefined;
  const { role, type, content, parts } = message;
  if (typeof message.getType === 'function' || typeof message._getType === 'function') return ['openai-chat'];
  if (Array.isArray(parts)) return partsFormats(role, parts);
  if (role === undefined && typeof type === 'string' && ITEM.test(type)) return ['openai-responses'];
  if (type === 'message' && !message.model) return ['openai-responses'];
  if (role === 'developer') return ['openai-chat', 'openai-responses'];
  if (role === 'function') return ['openai-chat'];
  if (role === 'model') return ['gemini'];
  if (role === 'tool') return message.tool_call_id === undefined ? ['ai-sdk'] : ['openai-chat'];
  if (message.tool_calls || message.function_call || message.reasoning_content !== undefined || content === null) return ['openai-chat'];
  if (message.providerOptions !== undefined) return ['ai-sdk'];
  if (role === 'system') return typeof content === 'string' ? ['ai-sdk', 'openai-chat', 'openai-responses', 'anthropic'] : undefined;
  return contentFormats(content);
}

/** @param {unknown} role @param {any[]} parts @returns {readonly FormatName[] | undefined} */
function partsFormats(role, parts) {
  if (role === 'model' || role === 'function') return ['gemini'];
  if (role === 'assistant' || role === 'system') return ['ai-sdk-ui'];
  if (parts.length === 0) return ['ai-sdk-ui', 'gemini'];
  return parts.some((p) => typeof p?.type === 'string') ? ['ai-sdk-ui'] : ['gemini'];
}

/** @param {unknown} content @returns {readonly FormatName[] | undefined} */
function contentFormats(content) {
  if (typeof content === 'string') return [...FORMAT_NAMES].filter((name) => ALIKE.has(name));
  if (!Array.isArray(content)) return undefined;
  /** @type {readonly FormatName[] | undefined} */
  let fits;
  for (const part of content) {
    const known = partFormats(part);
    if (known) fits = fits ? fits.filter((name) => known.includes(name)) : known;
  }
  return fits;
}

/** @param {any} part @returns {readonly FormatName[] | undefined} */
function partFormats(part) {
  if (part === null || typeof part !== 'object') return undefined;
  if (part.type === 'image') return part.source ? ['anthropic'] : ['ai-sdk'];
  if (part.type === 'file') return part.file ? ['openai-chat'] : ['ai-sdk'];
  if (part.providerOptions !== undefined) return ['ai-sdk'];
  if (part.cache_control !== undefined || part.citations !== undefined) return ['anthropic'];
  return PART_TYPES.get(part.type);
}
