// @ts-check
// Anthropic content blocks to AI SDK parts, for every log that stores raw Anthropic messages. Decides what each block
// becomes; signatures and redacted thinking stay under providerOptions. Refuses to know about records, lines or pairing.

import { list, mediaPart, object, outputOf, text, urlPart, valueOutput } from './parts.js';

/**
 * @param {any[]} blocks content of an assistant message
 * @param {(type: string) => void} unknown called for a block that has no part
 * @returns {any[]}
 */
export function assistantParts(blocks, unknown) {
  return blocks.flatMap(/** @returns {any[]} */ (raw) => {
    const block = object(raw);
    switch (block.type) {
      case 'text':
        return text(block.text) === '' ? [] : [{ type: 'text', text: block.text }];
      case 'thinking':
        return [{ type: 'reasoning', text: text(block.thinking), ...anthropic({ signature: block.signature }) }];
      case 'compaction': // a server-side summary; null content is a failed attempt
        return text(block.content) === '' ? [] : [{ type: 'text', text: block.content, ...anthropic({ type: 'compaction' }) }];
      case 'redacted_thinking':
        return [{ type: 'reasoning', text: '', ...anthropic({ redactedData: block.data }) }];
      case 'tool_use':
        return [{ type: 'tool-call', toolCallId: text(block.id), toolName: text(block.name), input: block.input ?? {} }];
      case 'server_tool_use':
      case 'mcp_tool_use':
        return [{ type: 'tool-call', toolCallId: text(block.id), toolName: text(block.name), input: block.input ?? {}, providerExecuted: true }];
      default:
        if (text(block.type).endsWith('_tool_result')) return [serverResult(block)];
        unknown(text(block.type) || typeof raw);
        return [];
    }
  });
}

/** @param {any} block a result the provider made itself stays in the assistant message */
function serverResult(block) {
  const toolName = block.type.replace(/_tool_result$/, '');
  return { type: 'tool-result', toolCallId: text(block.tool_use_id), toolName, output: valueOutput(block.content) };
}

/** @param {Record<string, unknown>} options */
function anthropic(options) {
  return Object.values(options).some((value) => value !== undefined) ? { providerOptions: { anthropic: options } } : {};
}

/**
 * @param {unknown} content of a user message: a string or blocks without tool_result
 * @param {(type: string) => void} unknown
 * @returns {any[]} text, image and file parts
 */
export function userParts(content, unknown) {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return list(content).flatMap((raw) => {
    const block = typeof raw === 'string' ? { type: 'text', text: raw } : object(raw);
    if (block.type === 'text') return text(block.text) === '' ? [] : [{ type: 'text', text: block.text }];
    if (block.type === 'image' || block.type === 'document') return sourcePart(block);
    unknown(text(block.type) || typeof raw);
    return [];
  });
}

/** @param {any} block */
function sourcePart(block) {
  const source = object(block.source);
  const fallback = block.type === 'image' ? 'image/*' : 'application/pdf';
  if (source.type === 'text') return [{ type: 'text', text: text(source.data) }];
  if (source.type === 'content') return userParts(source.content, () => {});
  const part = source.type === 'url' ? urlPart(source.url, text(source.media_type) || fallback, text(block.title))
    : mediaPart(text(source.media_type) || fallback, text(source.data), text(block.title));
  return part ? [part] : [];
}

/**
 * @param {any} block a tool_result block
 * @param {(type: string) => void} unknown
 */
export function toolOutput(block, unknown) {
  return outputOf(userParts(block.content, unknown), block.is_error === true);
}

/** The prompt size of Anthropic usage excludes both cache counts; after server-side compaction only the last message iteration counts. @param {any} usage */
export function anthropicUsage(usage) {
  const last = list(usage.iterations).filter((iteration) => object(iteration).type === 'message').at(-1);
  return object(last ?? usage);
}

/**
 * Entries of one Anthropic user message: its results first, then what the user said.
 * @param {unknown} content @param {number} at @param {(type: string) => void} unknown
 * @returns {import('./assemble.js').Entry[]}
 */
export function userEntries(content, at, unknown) {
  const blocks = list(content);
  const results = blocks.filter((block) => object(block).type === 'tool_result');
  /** @type {import('./assemble.js').Entry[]} */
  const entries = results.map((block) => ({ kind: 'result', at, callId: text(block.tool_use_id), output: toolOutput(block, unknown) }));
  const parts = userParts(results.length > 0 ? blocks.filter((block) => !results.includes(block)) : content, unknown);
  if (parts.length > 0) entries.push({ kind: 'message', at, message: { role: 'user', content: typeof content === 'string' ? content : parts } });
  return entries;
}
