// @ts-check
// AI SDK ModelMessage (v5 to v7, and the provider prompt of the same shape). Decides what its parts mean
// and where an output lives. Walks the host's objects and never changes them.

import { jsonOutput, listOutput, textOutput } from '../outputs.js';
import { jsonText } from '../safe-json.js';
import { FLAG, KIND, ROLE, guarded, mediaBytes, targetOf } from './parts.js';

/** @typedef {import('./parts.js').ProjectedPart} ProjectedPart */

const ITEMS = new Set(['file', 'image', 'file-data', 'image-data', 'file-url', 'image-url', 'file-id', 'image-file-id', 'file-reference', 'image-file-reference', 'media']);

export const aiSdk = Object.freeze({
  name: 'ai-sdk',

  /** @param {any} message */
  role(message) {
    return ROLE[/** @type {keyof typeof ROLE} */ (message?.role)];
  },

  /** @param {any} message @returns {ProjectedPart[]} one per content part, in order */
  parts(message) {
    const content = message.content;
    if (typeof content === 'string') return [{ kind: KIND.text, text: content }];
    if (!Array.isArray(content)) return [];
    return content.map(guarded(part));
  },

  /** @param {any} message @param {number} at @returns {import('../outputs.js').Output} */
  output(message, at) {
    return outputOf(message.content[at]?.output);
  },

  /** Where a result's output is set, and the value. @param {any} message @param {number} at @param {import('../outputs.js').Output} output */
  leaf(message, at, output) {
    const before = message.content[at].output;
    return { path: ['content', at, 'output'], value: wrap(before, output) };
  },

  /** A user message of ours. @param {{ text: string, origin: string }[]} parts @param {string} origin */
  userMessage(parts, origin) {
    return { role: 'user', content: this.textParts(parts), providerOptions: { 'gentle-cascade': { origin } } };
  },

  /** Parts of ours to put behind a user message's own. @param {{ text: string, origin: string }[]} parts */
  textParts(parts) {
    return parts.map(({ text, origin }) => ({ type: 'text', text, providerOptions: { 'gentle-cascade': { origin } } }));
  },
});

/** @param {any} p @returns {ProjectedPart} */
function part(p) {
  const options = p?.providerOptions;
  const signed = options && signedBy(options) ? FLAG.signed : 0;
  const item = options?.openai?.itemId ? FLAG.itemId : 0;
  switch (p?.type) {
    case 'text':
      return { kind: options?.anthropic?.type === 'compaction' ? KIND.compaction : KIND.text, text: String(p.text ?? ''), flags: signed | item };
    case 'reasoning':
      return { kind: KIND.reasoning, text: String(p.text ?? ''), flags: signed | item };
    case 'tool-call': {
      const { text, safe } = typeof p.input === 'string' ? { text: p.input, safe: true } : jsonText(p.input);
      return { kind: KIND.call, text, id: String(p.toolCallId), name: String(p.toolName), target: targetOf(p.input, p.toolName), flags: signed | item | (p.providerExecuted ? FLAG.provider : 0) | (safe ? 0 : FLAG.unserialisable) };
    }
    case 'tool-result':
      return result(p, signed | item);
    case 'image':
    case 'file':
    case 'reasoning-file':
      return { kind: KIND.media, text: '', name: String(p.mediaType ?? p.type), media: -1, flags: signed };
    case 'tool-approval-request':
      return { kind: KIND.approvalRequest, text: '', id: String(p.approvalId), name: String(p.toolCallId) };
    case 'tool-approval-response':
      return { kind: KIND.approvalResponse, text: String(p.reason ?? ''), id: String(p.approvalId), flags: p.approved === false ? FLAG.denied : 0 };
    case 'custom':
      return { kind: String(p.kind).endsWith('.compaction') ? KIND.compaction : KIND.opaque, text: jsonText(p).text, flags: signed };
    default:
      return { kind: KIND.opaque, text: jsonText(p).text };
  }
}

/** @param {any} p @param {number} flags @returns {ProjectedPart} */
function result(p, flags) {
  const output = outputOf(p.output);
  const form = output.form === 'json' ? FLAG.json : output.form === 'list' ? FLAG.list : 0;
  return {
    kind: KIND.result,
    text: output.text,
    id: String(p.toolCallId),
    name: String(p.toolName ?? ''),
    media: -output.media.length,
    flags: flags | form | (output.error ? FLAG.error : 0) | (output.safe ? 0 : FLAG.unserialisable) | (p.output?.type === 'execution-denied' ? FLAG.denied : 0),
  };
}

/** @param {any} output */
function outputOf(output) {
  switch (output?.type) {
    case 'text':
      return textOutput(String(output.value ?? ''));
    case 'error-text':
      return textOutput(String(output.value ?? ''), true);
    case 'json':
      return jsonOutput(output.value);
    case 'error-json':
      return jsonOutput(output.value, true);
    case 'content':
      return listOutput(Array.isArray(output.value) ? output.value : [], false, mediaOf);
    case 'execution-denied':
      return textOutput(String(output.reason ?? ''), true);
    default:
      return typeof output === 'string' ? textOutput(output) : jsonOutput(output);
  }
}

/** @param {any} item */
function mediaOf(item) {
  if (!ITEMS.has(item?.type)) return undefined;
  return { type: String(item.mediaType ?? item.type), bytes: mediaBytes(item.data?.data ?? item.data ?? item.image ?? item.url), data: item.data };
}

/** The output kind and the error flag are kept; provider options stay where they were. @param {any} before @param {import('../outputs.js').Output} output */
function wrap(before, output) {
  const error = output.error || before?.type === 'error-text' || before?.type === 'error-json';
  const rest = before?.providerOptions ? { providerOptions: before.providerOptions } : {};
  if (output.form === 'list') return { type: 'content', value: output.value, ...rest };
  if (output.form === 'json') return { type: error ? 'error-json' : 'json', value: output.value, ...rest };
  return { type: error ? 'error-text' : 'text', value: output.value, ...rest };
}

/** Signatures and encrypted reasoning bind a part to what stands before it. @param {any} options */
function signedBy(options) {
  return Boolean(options.anthropic?.signature ?? options.anthropic?.redactedData ?? options.openai?.reasoningEncryptedContent ?? options.google?.thoughtSignature ?? options.vertex?.thoughtSignature);
}
