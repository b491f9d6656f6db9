// @ts-check
// Which message format a plain dump is in. Decides by what only one format can hold (a part type, a field) and by the
// request around the list. Refuses to guess: text-only messages look alike in four formats, and then the caller must say.

import { list, object, text } from './parts.js';

/** @typedef {'ai-sdk' | 'ai-sdk-ui' | 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini'} PlainFormat */

/** @type {PlainFormat[]} */
export const PLAIN_FORMATS = ['ai-sdk', 'ai-sdk-ui', 'anthropic', 'openai-chat', 'openai-responses', 'gemini'];

const RESPONSES_ITEM = /^(message|reasoning|compaction|item_reference|.*_call|.*_call_output)$/;
const ANTHROPIC_BLOCK = new Set(['tool_use', 'tool_result', 'thinking', 'redacted_thinking', 'document', 'server_tool_use', 'search_result', 'compaction']);
const CHAT_PART = new Set(['image_url', 'input_audio']);
const AI_SDK_PART = new Set(['tool-call', 'tool-result', 'tool-approval-request', 'tool-approval-response', 'reasoning', 'reasoning-file', 'custom']);

/**
 * The list of messages in a dump and the request around it.
 * @param {any} value a list, or an object holding one
 * @returns {{ messages: any[], around: Record<string, any> } | null}
 */
export function openedDump(value) {
  if (Array.isArray(value)) return { messages: value, around: {} };
  const around = object(value);
  for (const key of ['messages', 'contents', 'input', 'items', 'prompt']) {
    if (Array.isArray(around[key])) return { messages: around[key], around };
  }
  return null;
}

/**
 * @param {any[]} messages @param {Record<string, any>} around
 * @returns {Set<PlainFormat>} formats the dump can be in: one when it is certain, none when these are no messages
 */
export function plainFormats(messages, around) {
  /** @type {Set<PlainFormat>} */
  const possible = new Set(messages.length > 0 ? PLAIN_FORMATS : []);
  for (const message of messages) narrow(possible, new Set(formatsOf(object(message))));
  if (possible.size > 1) narrowByRequest(possible, around);
  return possible;
}

/** @param {Set<PlainFormat>} possible @param {Set<PlainFormat>} allowed */
function narrow(possible, allowed) {
  for (const format of possible) if (!allowed.has(format)) possible.delete(format);
}

/** What the fields beside the list give away. @param {Set<PlainFormat>} possible @param {Record<string, any>} around */
function narrowByRequest(possible, around) {
  const tool = object(list(around.tools)[0]);
  if ('contents' in around || 'systemInstruction' in around) narrow(possible, new Set(['gemini']));
  else if ('input' in around || 'instructions' in around) narrow(possible, new Set(['openai-responses']));
  else if ('input_schema' in tool || 'anthropic_version' in around || Array.isArray(around.system)) narrow(possible, new Set(['anthropic']));
  else if ('function' in tool || 'max_completion_tokens' in around || 'choices' in object(around.response)) narrow(possible, new Set(['openai-chat']));
}

/** @param {Record<string, any>} message @returns {PlainFormat[]} */
function formatsOf(message) {
  if (Array.isArray(message.parts)) return partsFormats(message);
  if (typeof message.type === 'string' && RESPONSES_ITEM.test(message.type) && (message.role === undefined || message.type === 'message')) return message.type === 'message' && message.id && message.model ? ['anthropic'] : ['openai-responses'];
  switch (message.role) {
    case 'system':
      return typeof message.content === 'string' ? ['ai-sdk', 'openai-chat', 'openai-responses'] : ['openai-chat', 'openai-responses'];
    case 'developer':
      return ['openai-chat', 'openai-responses'];
    case 'function':
      return ['openai-chat'];
    case 'tool':
      return typeof message.tool_call_id === 'string' ? ['openai-chat'] : Array.isArray(message.content) ? ['ai-sdk'] : [];
    case 'assistant':
      if (message.tool_calls || message.function_call || message.content === null || message.refusal !== undefined || message.reasoning_content !== undefined) return ['openai-chat'];
      return contentFormats(message.content);
    case 'user':
      return contentFormats(message.content);
    default:
      return [];
  }
}

/** @param {Record<string, any>} message @returns {PlainFormat[]} */
function partsFormats(message) {
  const typed = message.parts.some((/** @type {any} */ part) => typeof object(part).type === 'string');
  const isUi = ['system', 'user', 'assistant'].includes(message.role) && (typed || message.parts.length === 0);
  const isGemini = [undefined, 'user', 'model', 'function'].includes(message.role) && !typed;
  return [...(isUi ? [/** @type {const} */ ('ai-sdk-ui')] : []), ...(isGemini ? [/** @type {const} */ ('gemini')] : [])];
}

/** @param {unknown} content @returns {PlainFormat[]} */
function contentFormats(content) {
  if (typeof content === 'string') return ['ai-sdk', 'anthropic', 'openai-chat', 'openai-responses'];
  if (!Array.isArray(content)) return [];
  /** @type {Set<PlainFormat>} */
  const possible = new Set(['ai-sdk', 'anthropic', 'openai-chat', 'openai-responses']);
  for (const raw of content) narrow(possible, new Set(blockFormats(object(raw))));
  return [...possible];
}

/** @param {Record<string, any>} block @returns {PlainFormat[]} */
function blockFormats(block) {
  const type = text(block.type);
  if (type === 'text') return 'providerOptions' in block ? ['ai-sdk'] : 'cache_control' in block || 'citations' in block ? ['anthropic'] : ['ai-sdk', 'anthropic', 'openai-chat'];
  if (ANTHROPIC_BLOCK.has(type) || type.endsWith('_tool_result')) return ['anthropic'];
  if (type === 'image') return 'source' in block ? ['anthropic'] : ['ai-sdk'];
  if (type === 'file') return 'file' in block ? ['openai-chat'] : ['ai-sdk'];
  if (AI_SDK_PART.has(type)) return ['ai-sdk'];
  if (CHAT_PART.has(type)) return ['openai-chat'];
  if (/^(input|output)_(text|image|file)$/.test(type)) return ['openai-responses'];
  if (type === 'refusal') return ['openai-chat', 'openai-responses'];
  return [];
}
