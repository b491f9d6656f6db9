// @ts-check
// AI SDK ModelMessage (v5 to v7) and the provider prompts V2 to V4, which differ in how files and media
// results are tagged. Decides what its parts mean and where an output lives. Walks the host's objects and
// never changes them.

import { jsonOutput, listOutput, textOutput } from '../outputs.js';
import { jsonText } from '../safe-json.js';
import { FLAG, KIND, MARK, ROLE, media, readParts, targetOf, weighed } from './parts.js';

/** @typedef {import('./parts.js').ProjectedPart} ProjectedPart */
/** @typedef {import('./parts.js').Price} Price */

const ITEMS = new Set(['file', 'image', 'file-data', 'image-data', 'file-url', 'image-url', 'file-id', 'image-file-id', 'file-reference', 'image-file-reference', 'media']);

/** @type {import('./parts.js').Format} */
export const aiSdk = Object.freeze({
  name: 'ai-sdk',

  role(message) {
    // A message of another shape would read as an empty one and vanish.
    if (typeof message?.content !== 'string' && !Array.isArray(message?.content)) return undefined;
    return ROLE[/** @type {keyof typeof ROLE} */ (message?.role)];
  },

  parts(message, price) {
    const content = message.content;
    if (typeof content === 'string') return [{ kind: KIND.text, text: content }];
    if (!Array.isArray(content)) return [];
    return readParts(content, (p) => part(p, price));
  },

  output(message, at) {
    return outputOf(message.content[at]?.output);
  },

  leaf(message, at, output) {
    const before = message.content[at].output;
    return { path: ['content', at, 'output'], value: wrap(before, output) };
  },

  userMessage: (parts, origin) => ({ role: 'user', content: parts.map(own), ...marked(origin) }),

  appended: (_message, parts) => ({ append: parts.map(own) }),

  /** As the provider prompt lists tools; for `tool()` of the SDK take the schema by itself. */
  toolDefinition: ({ name, description, inputSchema }) => ({ type: 'function', name, description, inputSchema }),
});

/** What says that a message or part is ours; providers look at no key but their own. @param {string} origin */
const marked = (origin) => ({ providerOptions: { [MARK]: { origin } } });

/** @param {import('./parts.js').Own} part */
const own = ({ text, origin }) => ({ type: 'text', text, ...marked(origin) });

/** @param {any} p @param {Price} [price] @returns {ProjectedPart} */
function part(p, price) {
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
      return { kind: KIND.call, text, id: String(p.toolCallId), name: String(p.toolName), target: targetOf(p.input, p.toolName), ...callerOf(options), flags: signed | item | (p.providerExecuted ? FLAG.provider : 0) | (safe ? 0 : FLAG.unserialisable) };
    }
    case 'tool-result':
      return result(p, signed | item, price);
    case 'image':
    case 'file':
    case 'reasoning-file':
      return file(p, signed, price);
    case 'tool-approval-request':
      return { kind: KIND.approvalRequest, text: '', id: String(p.approvalId), name: String(p.toolCallId) };
    case 'tool-approval-response':
      return { kind: KIND.approvalResponse, text: String(p.reason ?? ''), id: String(p.approvalId), flags: p.approved === false ? FLAG.denied : 0 };
    case 'custom':
      return String(p.kind).endsWith('.compaction') ? { kind: KIND.compaction, text: jsonText(p).text, flags: signed | FLAG.sealed } : { kind: KIND.opaque, text: jsonText(p).text, flags: signed };
    default:
      return { kind: KIND.opaque, text: jsonText(p).text };
  }
}

/** @param {any} p @param {number} flags @param {Price} [price] @returns {ProjectedPart} */
function file(p, flags, price) {
  const { data, text } = untagged(p.type === 'image' ? p.image : p.data);
  const type = String(p.mediaType ?? p.mimeType ?? p.type);
  if (text !== undefined) return { kind: KIND.media, text, name: type, media: 0, flags };
  return { kind: KIND.media, text: '', name: type, ...weighed([media(data, type, detailOf(p))], price), flags };
}

/** Files of the V4 prompt say what their data are. @param {any} data @returns {{ data?: unknown, text?: string }} */
function untagged(data) {
  if (data === null || typeof data !== 'object' || ArrayBuffer.isView(data) || data instanceof URL) return { data };
  if (data.type === 'data') return { data: data.data };
  if (data.type === 'url') return { data: data.url };
  if (data.type === 'text') return { text: String(data.text ?? '') };
  return { data };
}

/** @param {any} p */
const detailOf = (p) => (p.providerOptions?.openai?.imageDetail ? { detail: String(p.providerOptions.openai.imageDetail) } : {});

/** @param {any} p @param {number} flags @param {Price} [price] @returns {ProjectedPart} */
function result(p, flags, price) {
  const output = outputOf(p.output);
  const form = output.form === 'json' ? FLAG.json : output.form === 'list' ? FLAG.list : 0;
  return {
    kind: KIND.result,
    text: output.text,
    id: String(p.toolCallId),
    name: String(p.toolName ?? ''),
    ...weighed(output.media, price),
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
  const { data, text } = untagged(item.data ?? item.image ?? item.url);
  return text === undefined ? media(data, item.mediaType ?? item.type, detailOf(item)) : undefined;
}

/** The output kind and the error flag are kept; provider options stay where they were. @param {any} before @param {import('../outputs.js').Output} output */
function wrap(before, output) {
  const error = output.error || before?.type === 'error-text' || before?.type === 'error-json';
  const rest = before?.providerOptions ? { providerOptions: before.providerOptions } : {};
  if (output.form === 'list') return { type: 'content', value: output.value, ...rest };
  if (output.form === 'json') return { type: error ? 'error-json' : 'json', value: output.value, ...rest };
  return { type: error ? 'error-text' : 'text', value: output.value, ...rest };
}

/** @param {any} options @returns {{ caller?: string }} */
const callerOf = (options) => (typeof options?.anthropic?.caller?.toolId === 'string' ? { caller: options.anthropic.caller.toolId } : {});

/** Signatures and encrypted reasoning bind a part to what stands before it. @param {any} options */
function signedBy(options) {
  return Boolean(options.anthropic?.signature ?? options.anthropic?.redactedData ?? options.openai?.reasoningEncryptedContent ?? options.google?.thoughtSignature ?? options.vertex?.thoughtSignature);
}
