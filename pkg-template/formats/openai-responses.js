// @ts-check
// OpenAI Responses items. Every item is a row: the reasoning, message and call items of one response are
// one round with the outputs that answer them. Calls that the provider runs carry their result inside.

import { jsonOutput, listOutput, textOutput } from '../outputs.js';
import { jsonText } from '../safe-json.js';
import { FLAG, KIND, ROLE, asText, media, parsedInput, readParts, table, targetOf, weighed } from './parts.js';

/** @typedef {import('./parts.js').ProjectedPart} ProjectedPart */
/** @typedef {import('./parts.js').Price} Price */

/** @type {Record<string, number>} */
const ROLES = table({ system: ROLE.system, developer: ROLE.system, user: ROLE.user, assistant: ROLE.assistant });
/** Settings between the items; they answer nothing. */
const SETTINGS = new Set(['configuration_update', 'additional_tools', 'compaction_trigger', 'mcp_list_tools']);
/** Calls the host answers with an item of their own. */
const HOSTED = new Set(['function_call', 'custom_tool_call', 'computer_call', 'local_shell_call', 'shell_call', 'apply_patch_call']);

/** @type {import('./parts.js').Format} */
export const openaiResponses = Object.freeze({
  name: 'openai-responses',
  items: true,

  role(item) {
    const type = item?.type ?? 'message';
    if (typeof type !== 'string') return undefined;
    if (type === 'message') return Array.isArray(item?.parts) ? undefined : ROLES[item?.role];
    if (SETTINGS.has(type)) return ROLE.system;
    if (type.endsWith('_call_output') || type === 'mcp_approval_response') return ROLE.tool;
    return ROLE.assistant;
  },

  parts(item, price) {
    const type = item.type ?? 'message';
    const bound = item.id ? FLAG.itemId : 0;
    if (type === 'message') return message(item, bound, price);
    if (type === 'reasoning') return [{ kind: KIND.reasoning, text: reasoningText(item), flags: bound | (item.encrypted_content ? FLAG.signed : 0) }];
    if (HOSTED.has(type)) return [call(item, bound)];
    if (type.endsWith('_call_output')) return [result(item, price)];
    if (type.endsWith('_call')) return provided(item, bound);
    if (type === 'mcp_approval_request') return [{ kind: KIND.approvalRequest, text: asText(item.arguments), id: asText(item.id), name: asText(item.id) }];
    if (type === 'mcp_approval_response') return [{ kind: KIND.approvalResponse, text: asText(item.reason), id: asText(item.approval_request_id), flags: item.approve === false ? FLAG.denied : 0 }];
    if (type === 'compaction') return [{ kind: KIND.compaction, text: asText(item.encrypted_content), flags: FLAG.signed | FLAG.sealed }];
    return [{ kind: KIND.opaque, text: jsonText(item).text }];
  },

  output: (item) => outputOf(item),

  leaf: (_item, _at, output) => ({ path: ['output'], value: output.form === 'json' ? output.text : output.value }),

  userMessage: (parts) => ({ type: 'message', role: 'user', content: parts.map(own) }),

  appended: (_item, parts) => ({ append: parts.map(own) }),

  toolDefinition: ({ name, description, inputSchema }) => ({ type: 'function', name, description, parameters: inputSchema, strict: false }),
});

/** @param {import('./parts.js').Own} part */
const own = ({ text }) => ({ type: 'input_text', text });

/** @param {any} item @param {number} flags @param {Price} [price] @returns {ProjectedPart[]} */
function message(item, flags, price) {
  if (typeof item.content === 'string') return [{ kind: KIND.text, text: item.content, flags }];
  if (!Array.isArray(item.content)) return [];
  return readParts(item.content, (p) => {
    if (typeof p?.text === 'string') return { kind: KIND.text, text: p.text, flags };
    if (p?.type === 'refusal') return { kind: KIND.text, text: asText(p.refusal), flags };
    const found = mediaOf(p);
    if (found) return { kind: KIND.media, text: '', name: found.type, ...weighed([found], price) };
    return { kind: KIND.opaque, text: jsonText(p).text };
  });
}

/** @param {any} item */
const reasoningText = (item) => [...(item.summary ?? []), ...(item.content ?? [])].map((p) => asText(p?.text)).join('\n');

/** @param {any} item @param {number} flags @returns {ProjectedPart} */
function call(item, flags) {
  const given = item.arguments ?? item.input ?? item.action ?? item.operation;
  const { text, safe } = typeof given === 'string' ? { text: given, safe: true } : jsonText(given);
  const input = typeof given === 'string' ? parsedInput(given) : given;
  return { kind: KIND.call, text, id: callId(item), name: asText(item.name ?? item.type.replace(/_call$/, '')), target: targetOf(input, item.name), flags: flags | (safe ? 0 : FLAG.unserialisable) };
}

/** The older local shell answers to the item's own id. @param {any} item */
const callId = (item) => asText(item.call_id ?? item.id);

/** A call of the provider's with its result inside: one part each, so that both are seen. @param {any} item @param {number} flags @returns {ProjectedPart[]} */
function provided(item, flags) {
  const { type, id, name, status: _status, output, result, results, outputs, error, ...input } = item;
  const args = typeof input.arguments === 'string' ? input.arguments : jsonText(input).text;
  const own = { id: asText(id ?? type), name: asText(name ?? type.replace(/_call$/, '')) };
  const answer = output ?? result ?? results ?? outputs ?? error;
  /** @type {ProjectedPart[]} */
  const parts = [{ kind: KIND.call, text: args, ...own, target: targetOf(parsedInput(args)), flags: flags | FLAG.provider }];
  if (answer === undefined || answer === null) return parts;
  // A generated picture is base64: it is media, not text.
  const picture = type === 'image_generation_call';
  return [...parts, { kind: KIND.result, text: picture ? '' : typeof answer === 'string' ? answer : jsonText(answer).text, ...own, media: picture ? -1 : 0, flags: FLAG.provider | (error ? FLAG.error : 0) }];
}

/** @param {any} item @param {Price} [price] @returns {ProjectedPart} */
function result(item, price) {
  const output = outputOf(item);
  const form = output.form === 'json' ? FLAG.json : output.form === 'list' ? FLAG.list : 0;
  // The screen of a computer call is a picture or nothing.
  const fixed = item.type === 'computer_call_output' ? FLAG.fixed : 0;
  return { kind: KIND.result, text: output.text, id: callId(item), name: asText(item.name), ...weighed(output.media, price), flags: form | fixed | (output.error ? FLAG.error : 0) | (output.safe ? 0 : FLAG.unserialisable) };
}

/** @param {any} item @returns {import('../outputs.js').Output} */
function outputOf(item) {
  const output = item.output;
  const error = item.status === 'failed' || item.status === 'incomplete';
  if (typeof output === 'string') return textOutput(output, error);
  if (Array.isArray(output)) return output.length === 1 && output[0]?.type === 'input_text' ? textOutput(asText(output[0].text), error) : listOutput(output, error, mediaOf);
  if (output?.type === 'computer_screenshot') return listOutput([output], error, mediaOf);
  return output === undefined || output === null ? textOutput('', error) : jsonOutput(output, error);
}

/** @param {any} p */
function mediaOf(p) {
  if (p?.type === 'input_image' || p?.type === 'computer_screenshot') return media(p.image_url, 'image', p.detail && { detail: String(p.detail) });
  if (p?.type === 'input_file') return media(p.file_data ?? p.file_url, /^data:([^;,]+)/.exec(asText(p.file_data).slice(0, 100))?.[1] ?? 'application/pdf');
  return undefined;
}
