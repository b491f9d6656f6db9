// What the checks look for in messages of any format: texts, calls, results, media, empty places. Written anew for the
// tests, so that a mistake of the package's own readers is not repeated here.

/** The parts of a message, whatever the format calls them. @param {any} message @returns {any[]} */
export function partsOf(message) {
  const body = message?.content ?? message?.parts;
  const parts = typeof body === 'string' ? [{ type: 'text', text: body }] : Array.isArray(body) ? body : [];
  const own = message?.role === undefined && typeof message?.type === 'string' ? [message] : [];
  return [...own, ...parts, ...(message?.tool_calls ?? []).map((/** @type {any} */ call) => ({ ...call, type: 'tool-call' })), ...(message?.tool_call_id ? [{ type: 'chat-result', id: message.tool_call_id }] : [])];
}

const CALL_ID = (/** @type {any} */ p) =>
  p?.type === 'tool-call' ? (p.toolCallId ?? p.id) : p?.type === 'tool_use' ? p.id : p?.type === 'function_call' ? p.call_id : p?.functionCall ? (p.functionCall.id ?? p.functionCall.name) : undefined;
const RESULT_ID = (/** @type {any} */ p) =>
  p?.type === 'tool-result' ? p.toolCallId : p?.type === 'tool_result' ? p.tool_use_id : p?.type === 'function_call_output' ? p.call_id : p?.type === 'chat-result' ? p.id : p?.functionResponse ? (p.functionResponse.id ?? p.functionResponse.name) : undefined;

/** @param {readonly any[]} messages @param {(part: any) => string | undefined} idOf */
const ids = (messages, idOf) => messages.flatMap((message, at) => partsOf(message).flatMap((part) => (idOf(part) === undefined ? [] : [{ id: /** @type {string} */ (idOf(part)), at, part }])));

/** Calls in order. @param {readonly any[]} messages */
export const callsOf = (messages) => ids(messages, CALL_ID);
/** Results in order. @param {readonly any[]} messages */
export const resultsOf = (messages) => ids(messages, RESULT_ID);

/** All strings of a value, joined. @param {unknown} value @returns {string} */
export function textOf(value) {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return '';
  return Object.values(value).map(textOf).join('\n');
}

const MEDIA = new Set(['image', 'file', 'media', 'document', 'image_url', 'input_image', 'input_file', 'image-data', 'image-url', 'file-data', 'file-url', 'file-id', 'image-file-id', 'file-reference', 'image-file-reference']);

/** Media parts in order, those inside results too. @param {unknown} value @returns {any[]} */
export function mediaIn(value) {
  if (Array.isArray(value)) return value.flatMap(mediaIn);
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return [];
  const own = /** @type {any} */ (value);
  if (MEDIA.has(own.type) || own.inlineData || own.fileData) return [own];
  return Object.values(own).flatMap(mediaIn);
}

const TEXT_TYPES = new Set(['text', 'reasoning', 'input_text', 'output_text']);
const blank = (/** @type {any} */ p) => (TEXT_TYPES.has(p?.type) ? String(p.text ?? '').trim() === '' : false);

/** Messages that a provider refuses as empty. @param {readonly any[]} messages @returns {{ at: number, why: string }[]} */
export function emptyPlaces(messages) {
  return messages.flatMap((message, at) => {
    const parts = partsOf(message);
    if (parts.length === 0) return [{ at, why: 'no parts' }];
    if (parts.every(blank)) return [{ at, why: 'all parts are blank' }];
    return parts.some((p) => p?.type === 'text' && blank(p)) ? [{ at, why: 'a blank text part' }] : [];
  });
}

/** Whether a string holds half a surrogate pair. @param {string} text */
export const illFormed = (text) => /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);
