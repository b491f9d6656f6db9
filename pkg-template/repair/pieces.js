// @ts-check
// How each format takes a message apart and puts it together again, and how a result reads that nobody
// gave. Decides wording and shape only; what goes where is the core's plan.

import { table } from '../formats/parts.js';

/** States what is known and nothing else: that no result is there, not why. */
export const INTERRUPTED = 'No result of this call was recorded: it was interrupted. Whether it took effect is not known.';

/**
 * @typedef {{ row: number, part: number, interrupted?: boolean, id?: string, unname?: boolean }} Source
 * @typedef {object} Pieces
 * @property {(message: any, at: number) => any} raw the host's own object behind a part
 * @property {(raw: any, source: Source) => any} changed the same with another call id, or without its item id
 * @property {(call: any, at: number, id: string | undefined) => any} interrupted a result for the call that is part `at` of a message; undefined where none can be made
 * @property {(base: any, made: any[], sources: Source[]) => any[]} message the messages that hold these pieces
 */

/** A copy with the class of the original. @param {any} node @param {Record<string, unknown>} fields */
function copy(node, fields) {
  const out = Object.create(Object.getPrototypeOf(node));
  for (const [key, d] of Object.entries(Object.getOwnPropertyDescriptors(node))) {
    // The copy is ours: a frozen original must not make it read-only.
    Object.defineProperty(out, key, 'value' in d ? { ...d, writable: true, configurable: true } : { ...d, configurable: true });
  }
  for (const [key, value] of Object.entries(fields)) Object.defineProperty(out, key, { value, writable: true, enumerable: true, configurable: true });
  return out;
}

/** @param {any} node @param {string} key */
function without(node, key) {
  const out = copy(node, {});
  delete out[key];
  return out;
}

/** Messages whose content is a list of parts. @param {string} key @param {string} results role of a message that carries results */
const listed = (key, results) => ({
  raw: (/** @type {any} */ message, /** @type {number} */ at) => (Array.isArray(message[key]) ? message[key][at] : { type: 'text', text: message[key] }),
  message: (/** @type {any} */ base, /** @type {any[]} */ made) => [base === undefined ? { role: results, [key]: made } : copy(base, { [key]: made })],
});

/** @type {Pieces} */
const aiSdk = {
  ...listed('content', 'tool'),
  changed(part, { id, unname }) {
    let out = id === undefined ? part : copy(part, { toolCallId: id });
    if (unname) out = copy(out, { providerOptions: { ...out.providerOptions, openai: without(out.providerOptions.openai, 'itemId') } });
    return out;
  },
  interrupted(message, at, id) {
    const { toolCallId, toolName } = message.content[at];
    return { type: 'tool-result', toolCallId: id ?? toolCallId, toolName, output: { type: 'error-text', value: INTERRUPTED } };
  },
};

/** @type {Pieces} */
const anthropic = {
  ...listed('content', 'user'),
  changed: (block, { id }) => (id === undefined ? block : copy(block, block.type === 'tool_result' ? { tool_use_id: id } : { id })),
  interrupted: (message, at, id) => ({ type: 'tool_result', tool_use_id: id ?? message.content[at].id, content: INTERRUPTED, is_error: true }),
};

/** @type {Pieces} */
const gemini = {
  ...listed('parts', 'user'),
  changed(part, { id }) {
    if (id === undefined) return part;
    return part.functionCall ? copy(part, { functionCall: copy(part.functionCall, { id }) }) : copy(part, { functionResponse: copy(part.functionResponse, { id }) });
  },
  interrupted(message, at, id) {
    const { id: own, name } = message.parts[at].functionCall;
    const callId = id ?? own;
    return { functionResponse: { ...(callId === undefined ? {} : { id: callId }), name, response: { error: INTERRUPTED } } };
  },
};

/** The parts of a chat message are not one list, so its pieces are the message and what changes in it. @type {Pieces} */
const openaiChat = {
  raw: (message) => ({ message }),
  changed: (piece, { id }) => ({ ...piece, id }),
  interrupted(message, at, id) {
    const call = chatCall(message, at);
    return { made: { role: 'tool', tool_call_id: id ?? call?.id, content: INTERRUPTED } };
  },
  message(base, made, sources) {
    if (base === undefined || made.some((piece) => piece.made)) return made.map((piece) => piece.made ?? renamedAnswer(piece));
    if (base.role === 'tool') return [renamedAnswer(made[0])];
    const ids = new Map(sources.filter((s) => s.id !== undefined).map((s) => [s.part, s.id]));
    if (ids.size === 0) return [base];
    const first = firstCall(base);
    return [copy(base, { tool_calls: base.tool_calls.map((/** @type {any} */ call, /** @type {number} */ i) => (ids.has(first + i) ? copy(call, { id: ids.get(first + i) }) : call)) })];
  },
};

/** @param {any} piece */
const renamedAnswer = ({ message, id }) => (id === undefined ? message : copy(message, { tool_call_id: id }));

/** Calls are the last parts of a chat message. @param {any} message @param {number} at */
const chatCall = (message, at) => message.tool_calls?.[at - firstCall(message)];

/** Reasoning fields, content parts, a refusal and audio come first, as the format reads them. @param {any} message */
function firstCall(message) {
  const reasoning = ['reasoning_content', 'reasoning', 'reasoning_details'].filter((key) => message[key] !== undefined && message[key] !== null && message[key] !== '').length;
  const content = typeof message.content === 'string' ? 1 : Array.isArray(message.content) ? message.content.length : 0;
  return reasoning + content + (message.refusal ? 1 : 0) + (message.audio ? 1 : 0);
}

/** Calls that are answered by an item of the same family with a text in it. @type {Record<string, (item: any, id: string) => any>} */
const ANSWERS = table({
  function_call: (_item, id) => ({ type: 'function_call_output', call_id: id, output: INTERRUPTED }),
  custom_tool_call: (_item, id) => ({ type: 'custom_tool_call_output', call_id: id, output: INTERRUPTED }),
  local_shell_call: (_item, id) => ({ type: 'local_shell_call_output', id, output: INTERRUPTED, status: 'incomplete' }),
  apply_patch_call: (_item, id) => ({ type: 'apply_patch_call_output', call_id: id, status: 'failed', output: INTERRUPTED }),
});

/** @type {Pieces} */
const openaiResponses = {
  raw: (item, at) => ({ item, at }),
  changed: (piece, { id, unname }) => ({ ...piece, id, unname }),
  interrupted(item, _at, id) {
    const made = ANSWERS[item.type]?.(item, id ?? item.call_id ?? item.id);
    return made && { made };
  },
  message(_base, made) {
    return made.filter((piece) => piece.made).map((piece) => piece.made).concat(items(made.filter((piece) => !piece.made)));
  },
};

/** Pieces of one item are that item; pieces of several are those items. @param {any[]} pieces */
function items(pieces) {
  const out = [];
  for (const item of new Set(pieces.map((piece) => piece.item))) {
    const own = pieces.filter((piece) => piece.item === item);
    const { id, unname } = own.find((piece) => piece.id !== undefined || piece.unname) ?? {};
    let made = item;
    if (id !== undefined) made = copy(made, { call_id: id });
    if (unname) made = without(made, 'id');
    if (Array.isArray(item.content) && (item.type ?? 'message') === 'message' && own.length < item.content.length) made = copy(made, { content: own.map((piece) => item.content[piece.at]) });
    out.push(made);
  }
  return out;
}

/** @type {Record<string, Pieces>} */
export const PIECES = { 'ai-sdk': aiSdk, anthropic, gemini, 'openai-chat': openaiChat, 'openai-responses': openaiResponses };
