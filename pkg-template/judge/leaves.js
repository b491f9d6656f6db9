// @ts-check
// Details of a part that only the strict validator asks for: a field that is missing or of another type, a
// cache breakpoint, white space at the end, an id of another house, an image as text. Decides nothing about histories; the core does.

import { KIND, table } from '../formats/parts.js';

export const DETAIL = Object.freeze({ cached: 1 << 17, malformed: 1 << 18, trailing: 1 << 19, foreign: 1 << 22, spelled: 1 << 23 });

const isText = (/** @type {unknown} */ v) => typeof v === 'string';
const isObject = (/** @type {unknown} */ v) => v !== null && typeof v === 'object' && !Array.isArray(v);

/**
 * @typedef {import('../formats/parts.js').ProjectedPart} ProjectedPart
 * @typedef {object} Leaves
 * @property {(message: any) => boolean} message whether the message itself has the fields it needs
 * @property {(message: any, at: number, parts: readonly ProjectedPart[]) => boolean} part whether part `at`, as projected, has the fields it needs
 * @property {(message: any, at: number, count: number) => boolean} cached whether a cache breakpoint sits on it
 * @property {(message: any) => boolean} [foreign] whether its item id is none the provider gives
 * @property {(message: any) => boolean} [spelled] whether its text is the JSON of an image or file
 * @property {(message: any, at: number) => string | undefined} [caller] the call whose code makes this one
 */

const OUTPUTS = new Set(['text', 'json', 'error-text', 'error-json', 'content', 'execution-denied']);

/** Fields of AI SDK parts; a type that is not here is none of the SDK's. @type {Record<string, (p: any) => boolean>} */
const SDK_PARTS = table({
  text: (p) => isText(p.text),
  reasoning: (p) => isText(p.text),
  image: (p) => p.image !== undefined && p.image !== null,
  file: (p) => p.data !== undefined && p.data !== null && isText(p.mediaType),
  'reasoning-file': (p) => p.data !== undefined && isText(p.mediaType),
  custom: (p) => isText(p.kind),
  'tool-call': (p) => isText(p.toolCallId) && isText(p.toolName) && 'input' in p,
  'tool-result': (p) => isText(p.toolCallId) && isText(p.toolName) && sdkOutput(p.output),
  'tool-approval-request': (p) => isText(p.approvalId) && isText(p.toolCallId),
  'tool-approval-response': (p) => isText(p.approvalId) && typeof p.approved === 'boolean',
});

/** @param {any} output */
function sdkOutput(output) {
  if (!isObject(output) || !OUTPUTS.has(output.type)) return false;
  if (output.type === 'text' || output.type === 'error-text') return isText(output.value);
  return output.type !== 'content' || (Array.isArray(output.value) && output.value.every((/** @type {any} */ item) => isText(item?.type)));
}

/** @type {Leaves} */
const aiSdk = {
  message(m) {
    if (m.providerOptions !== undefined && !isObject(m.providerOptions)) return false;
    if (m.role === 'system') return isText(m.content);
    return Array.isArray(m.content) || (m.role !== 'tool' && isText(m.content));
  },
  part(m, at) {
    if (!Array.isArray(m.content)) return true;
    const p = m.content[at];
    return isObject(p) && (SDK_PARTS[p.type]?.(p) ?? false) && (p.providerOptions === undefined || isObject(p.providerOptions));
  },
  cached: (m, at, count) => sdkCached(Array.isArray(m.content) ? m.content[at] : undefined) || (at === count - 1 && sdkCached(m)),
  caller: (m, at) => (Array.isArray(m.content) ? m.content[at]?.providerOptions?.anthropic?.caller?.toolId : undefined),
};

/** @param {any} p */
const sdkCached = (p) => Boolean(p?.providerOptions?.anthropic?.cacheControl ?? p?.providerOptions?.anthropic?.cache_control);

/** @type {Record<string, (b: any) => boolean>} */
const BLOCKS = table({
  text: (b) => isText(b.text),
  thinking: (b) => isText(b.thinking),
  redacted_thinking: (b) => isText(b.data),
  tool_use: (b) => isText(b.id) && isText(b.name) && isObject(b.input),
  server_tool_use: (b) => isText(b.id) && isText(b.name) && isObject(b.input),
  tool_result: (b) => isText(b.tool_use_id) && (b.content === undefined || isText(b.content) || Array.isArray(b.content)),
  image: (b) => isObject(b.source),
  document: (b) => isObject(b.source),
  // Null is a failed compaction and harmless; an empty text is refused.
  compaction: (b) => b.content === null || (isText(b.content) && b.content !== ''),
});

/** @type {Leaves} */
const anthropic = {
  message: (m) => ['user', 'assistant', 'system'].includes(m.role) && (isText(m.content) || Array.isArray(m.content)),
  part(m, at) {
    if (!Array.isArray(m.content)) return true;
    const b = m.content[at];
    return isObject(b) && isText(b.type) && (BLOCKS[b.type]?.(b) ?? true);
  },
  cached: (m, at) => Array.isArray(m.content) && isObject(m.content[at]?.cache_control),
  caller: (m, at) => (Array.isArray(m.content) ? m.content[at]?.caller?.tool_id : undefined),
};

/** @type {Leaves} */
const openaiChat = {
  message(m) {
    if (m.tool_calls !== undefined && !Array.isArray(m.tool_calls)) return false;
    if (isClass(m)) return true;
    if (m.role === 'tool') return isText(m.tool_call_id) && (isText(m.content) || Array.isArray(m.content));
    if (m.role === 'assistant') return m.content === undefined || m.content === null || isText(m.content) || Array.isArray(m.content);
    return isText(m.content) || Array.isArray(m.content);
  },
  part(m, at, parts) {
    if (parts[at].kind !== KIND.call || isClass(m)) return true;
    const call = m.tool_calls?.[at - parts.findIndex((p) => p.kind === KIND.call)];
    return call === undefined || chatCall(call);
  },
  cached: () => false,
  spelled: (m) => m.role === 'tool' && isText(m.content) && SPELLED.test(m.content),
};

/** A list of content parts as JSON, one of them with the bytes of a file. */
const SPELLED = /^\s*\[\s*\{.*?"(?:data|url|image|image_url)"\s*:\s*"(?:data:[^"]{1,100},)?[A-Za-z0-9+/_-]{256}/s;

/** Message classes of frameworks hold the same in fields of their own. @param {any} m */
const isClass = (m) => typeof m.getType === 'function' || typeof m._getType === 'function';

/** @param {any} c a tool call of a chat message */
const chatCall = (c) => isText(c?.id) && (c.custom ? isText(c.custom.name) && isText(c.custom.input) : isText(c.function?.name) && isText(c.function?.arguments));

/** @type {Record<string, (i: any) => boolean>} */
const ITEMS = table({
  message: (i) => isText(i.content) || Array.isArray(i.content),
  function_call: (i) => isText(i.call_id) && isText(i.name) && isText(i.arguments),
  function_call_output: (i) => isText(i.call_id) && (isText(i.output) || Array.isArray(i.output)),
  custom_tool_call: (i) => isText(i.call_id) && isText(i.name) && isText(i.input),
  custom_tool_call_output: (i) => isText(i.call_id) && (isText(i.output) || Array.isArray(i.output)),
  reasoning: (i) => Array.isArray(i.summary) || isText(i.encrypted_content),
  compaction: (i) => isText(i.encrypted_content),
  item_reference: (i) => isText(i.id),
});

/** What the ids of items begin with that the model wrote. */
const PREFIX = table({ message: 'msg', function_call: 'fc', reasoning: 'rs' });

/** @type {Leaves} */
const openaiResponses = {
  message: (i) => ITEMS[i.type ?? 'message']?.(i) ?? true,
  part: () => true,
  cached: () => false,
  foreign: (i) => isText(i.id) && i.id !== '' && (i.role ?? 'assistant') === 'assistant' && !i.id.startsWith(PREFIX[i.type ?? 'message'] ?? ''),
};

/** @type {Leaves} */
const gemini = {
  message: (m) => Array.isArray(m.parts),
  part(m, at) {
    const p = m.parts[at];
    if (!isObject(p)) return false;
    if (p.functionCall) return isText(p.functionCall.name) && (p.functionCall.args === undefined || p.functionCall.args === null || isObject(p.functionCall.args));
    if (p.functionResponse) return isText(p.functionResponse.name) && isObject(p.functionResponse.response);
    return true;
  },
  cached: () => false,
};

/** @type {Record<string, Leaves>} */
export const LEAVES = {
  'ai-sdk': aiSdk,
  anthropic,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  gemini,
};

const BLANK = /^\s*$/;
const TRAILING = /\s$/;

/** Whether a projected part is text of nothing but white space. @param {ProjectedPart} part */
export function isBlank({ text }) {
  // Nearly every text begins with a character that settles it.
  const first = text.charCodeAt(0);
  return !(first > 0x20 && first < 0x7f) && BLANK.test(text);
}

/** Bits beside the projection's own. @param {Leaves} leaves @param {any} message @param {readonly ProjectedPart[]} parts @param {number} at */
export function details(leaves, message, parts, at) {
  const part = parts[at];
  let bits = part.flags ?? 0;
  if (!leaves.part(message, at, parts)) bits |= DETAIL.malformed;
  if (leaves.cached(message, at, parts.length)) bits |= DETAIL.cached;
  if (at === 0 && leaves.foreign?.(message)) bits |= DETAIL.foreign;
  if (part.kind === KIND.result && leaves.spelled?.(message)) bits |= DETAIL.spelled;
  if (part.kind === KIND.text && TRAILING.test(part.text.slice(-1))) bits |= DETAIL.trailing;
  return bits;
}
