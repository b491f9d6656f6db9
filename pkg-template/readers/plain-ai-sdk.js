// @ts-check
// AI SDK messages to entries. ModelMessages are kept as the objects they are; UIMessages are taken apart at step-start, since
// one of them can hold many rounds. Refuses to convert what only the host's tools could (their own toModelOutput).

import { argumentsOf, list, object, text, urlPart, valueOutput } from './parts.js';

/** @typedef {import('./assemble.js').Entry} Entry */

/** @param {any} raw a ModelMessage @param {number} at @returns {Entry[]} */
export function modelEntries(raw, at) {
  const message = object(raw);
  if (message.role === 'assistant') {
    const content = typeof message.content === 'string' ? (message.content === '' ? [] : [{ type: 'text', text: message.content }]) : list(message.content).map(object);
    return [{ kind: 'assistant', at, content, message }];
  }
  if (message.role !== 'tool') return [{ kind: 'message', at, message }];
  const parts = list(message.content).map(object);
  const others = parts.filter((part) => part.type !== 'tool-result');
  /** @type {Entry[]} */
  const results = parts.filter((part) => part.type === 'tool-result').map((part) => ({
    kind: 'result', at, callId: text(part.toolCallId), output: part.output ?? valueOutput(part.result), ...(part.providerOptions ? { providerOptions: part.providerOptions } : {}),
  }));
  // answers to approval requests are no results, and travel in a tool message of their own
  return others.length > 0 ? [...results, { kind: 'message', at, message: { role: 'tool', content: others } }] : results;
}

/** @param {any} raw a UIMessage @param {number} at @returns {Entry[]} */
export function uiEntries(raw, at) {
  const message = object(raw);
  const parts = list(message.parts).map(object);
  if (message.role === 'system') return [{ kind: 'message', at, message: { role: 'system', content: parts.map((part) => text(part.text)).join('\n\n') } }];
  if (message.role === 'user') {
    const content = parts.flatMap(shown);
    return content.length > 0 ? [{ kind: 'message', at, message: { role: 'user', content } }] : [];
  }
  /** @type {Record<string, any>[][]} */
  const steps = [[]];
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([]);
    else steps[steps.length - 1].push(part);
  }
  return steps.filter((step) => step.length > 0).flatMap((step) => stepEntries(step, at));
}

/** @param {Record<string, any>} part @returns {any[]} */
function shown(part) {
  const options = part.providerMetadata ? { providerOptions: part.providerMetadata } : {};
  if (part.type === 'text') return text(part.text) === '' ? [] : [{ type: 'text', text: part.text, ...options }];
  if (part.type === 'reasoning') return [{ type: 'reasoning', text: text(part.text), ...options }];
  if (part.type === 'file') {
    const media = urlPart(part.url, text(part.mediaType) || 'application/octet-stream', text(part.filename));
    return media ? [{ ...media, ...options }] : [];
  }
  return part.type === 'custom' ? [{ type: 'custom', kind: text(part.kind), ...options }] : [];
}

/** @param {Record<string, any>[]} parts of one step @param {number} at @returns {Entry[]} */
function stepEntries(parts, at) {
  /** @type {any[]} */
  const content = [];
  /** @type {Entry[]} */
  const results = [];
  for (const part of parts) {
    const name = part.type === 'dynamic-tool' ? text(part.toolName) : /^tool-/.test(text(part.type)) ? part.type.slice(5) : '';
    if (name === '') content.push(...shown(part));
    else if (part.state !== 'input-streaming') {
      const call = { type: 'tool-call', toolCallId: text(part.toolCallId), toolName: name, input: part.input ?? argumentsOf(part.rawInput), ...(part.callProviderMetadata ? { providerOptions: part.callProviderMetadata } : {}) };
      const output = uiOutput(part);
      if (part.providerExecuted === true) content.push({ ...call, providerExecuted: true }, ...(output ? [{ type: 'tool-result', toolCallId: call.toolCallId, toolName: name, output }] : []));
      else {
        content.push(call);
        if (output) results.push({ kind: 'result', at, callId: call.toolCallId, output });
      }
    }
  }
  return [{ kind: 'assistant', at, content }, ...results];
}

/** @param {Record<string, any>} part @returns {any} null while the call has no outcome */
function uiOutput(part) {
  if (part.state === 'output-available') return valueOutput(part.output);
  if (part.state === 'output-error') return { type: 'error-text', value: text(part.errorText) };
  if (part.state === 'output-denied') return { type: 'error-text', value: text(object(part.approval).reason) || 'Tool execution denied.' };
  return null;
}
