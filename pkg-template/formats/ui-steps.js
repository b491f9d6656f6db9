// @ts-check
// Turns one UIMessage into the model messages of its steps: an assistant row and the row of its results,
// split at every `step-start` and around steering messages. Each step is remembered with the parts it was
// made from, so that a message that grows keeps the rows of its earlier steps.

import { fingerprint } from '../fingerprint.js';

/** @typedef {{ from: any[], print: number, rows: any[] }} Step */

/** @type {WeakMap<object, Step[]>} */
const known = new WeakMap();

/** @param {any} message a UIMessage @returns {any[][]} the rows of each step */
export function stepsOf(message) {
  const before = known.get(message) ?? [];
  const steps = split(message).map((from, s) => {
    const print = fingerprint(from);
    const old = before[s];
    const same = old && old.print === print && old.from.length === from.length && old.from.every((p, i) => p === from[i]);
    return same ? old : { from, print, rows: convert(message, from) };
  });
  const kept = steps.filter((step) => step.rows.length > 0);
  known.set(message, kept);
  return kept.map((step) => step.rows);
}

/** Lists of parts, one per step; a steering message is a step of its own. @param {any} message @returns {any[][]} */
function split(message) {
  if (message.role !== 'assistant') return [message.parts];
  /** @type {any[][]} */
  const steps = [[]];
  for (const part of message.parts) {
    if (part?.type === 'step-start') steps.push([]);
    else if (part?.type === 'steering-message') steps.push([part], []);
    else steps[steps.length - 1].push(part);
  }
  return steps.filter((parts) => parts.some(shown));
}

const isTool = (/** @type {any} */ p) => typeof p?.type === 'string' && (p.type.startsWith('tool-') || p.type === 'dynamic-tool');
/** Parts that only the display knows, and calls whose arguments are still coming. @param {any} p */
const shown = (p) => !(p === null || typeof p !== 'object' || p.type === 'source-url' || p.type === 'source-document' || String(p.type).startsWith('data-') || (isTool(p) && p.state === 'input-streaming'));

/** @param {any} message @param {any[]} parts @returns {any[]} */
function convert(message, parts) {
  const list = parts.filter(shown);
  if (message.role === 'system') {
    const text = list.map((p) => (typeof p.text === 'string' ? p.text : '')).join('');
    const options = Object.assign({}, ...list.map((p) => p.providerMetadata));
    return list.length === 0 ? [] : [{ role: 'system', content: text, ...(Object.keys(options).length > 0 && { providerOptions: options }), ...mark(message) }];
  }
  if (message.role === 'user') return list.length === 0 ? [] : [{ role: 'user', content: list.map(plainPart), ...mark(message) }];
  if (list[0]?.type === 'steering-message') return [{ role: 'user', content: (list[0].parts ?? []).map(plainPart) }];
  const content = list.flatMap((p) => (isTool(p) ? callParts(p) : [plainPart(p)]));
  const answers = list.filter(isTool).flatMap(answerParts);
  return [...(content.length > 0 ? [{ role: 'assistant', content, ...mark(message) }] : []), ...(answers.length > 0 ? [{ role: 'tool', content: answers }] : [])];
}

/** What tells that a message is ours. @param {any} message */
function mark(message) {
  const own = message.metadata?.['gentle-cascade'];
  return own ? { providerOptions: { 'gentle-cascade': own } } : {};
}

const options = (/** @type {any} */ metadata) => (metadata ? { providerOptions: metadata } : {});

/** @param {any} p */
function plainPart(p) {
  switch (p?.type) {
    case 'text':
      return { type: 'text', text: p.text, ...options(p.providerMetadata) };
    case 'reasoning':
      return { type: 'reasoning', text: p.text, ...options(p.providerMetadata) };
    case 'file':
      return { type: 'file', mediaType: p.mediaType, ...(p.filename === undefined ? {} : { filename: p.filename }), data: p.providerReference ?? p.url, ...options(p.providerMetadata) };
    case 'reasoning-file':
      return { type: 'reasoning-file', mediaType: p.mediaType, data: p.url, ...options(p.providerMetadata) };
    case 'custom':
      return { type: 'custom', kind: p.kind, ...options(p.providerMetadata) };
    default:
      // Unknown parts are kept as they are: what they mean is not ours to say.
      return p;
  }
}

const toolName = (/** @type {any} */ p) => (p.type === 'dynamic-tool' ? p.toolName : p.type.slice('tool-'.length));

/** The call, its request for consent, and the result of a tool that the provider ran. @param {any} p */
function callParts(p) {
  const input = p.state === 'output-error' ? (p.input ?? p.rawInput) : p.input;
  const parts = [{ type: 'tool-call', toolCallId: p.toolCallId, toolName: toolName(p), input, ...(p.providerExecuted === undefined ? {} : { providerExecuted: p.providerExecuted }), ...options(p.callProviderMetadata) }];
  const { approval } = p;
  const request = approval?.id === undefined ? [] : [{ type: 'tool-approval-request', approvalId: approval.id, toolCallId: p.toolCallId, ...(approval.isAutomatic && { isAutomatic: true }) }];
  return [...parts, ...request, ...(p.providerExecuted ? resultParts(p) : [])];
}

/** What the tool row holds: the answer of the person who was asked, and the result. @param {any} p */
function answerParts(p) {
  const { approval } = p;
  const answer = approval?.approved === undefined ? [] : [{ type: 'tool-approval-response', approvalId: approval.id, approved: approval.approved, ...(approval.reason === undefined ? {} : { reason: approval.reason }), ...(p.providerExecuted ? { providerExecuted: true } : {}) }];
  return [...answer, ...(p.providerExecuted ? [] : resultParts(p))];
}

/** @param {any} p */
function resultParts(p) {
  const result = (/** @type {any} */ output) => [{ type: 'tool-result', toolCallId: p.toolCallId, toolName: toolName(p), output, ...options(p.resultProviderMetadata ?? p.callProviderMetadata) }];
  switch (p.state) {
    case 'output-available':
      return result(typeof p.output === 'string' ? { type: 'text', value: p.output } : { type: 'json', value: p.output === undefined ? null : p.output });
    case 'output-error':
      return result(p.providerExecuted ? { type: 'error-json', value: p.errorText } : { type: 'error-text', value: p.errorText });
    case 'output-denied':
      return result({ type: 'error-text', value: p.approval?.reason ?? 'Tool execution denied.' });
    default:
      return [];
  }
}
