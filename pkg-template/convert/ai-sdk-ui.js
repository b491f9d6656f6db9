// @ts-check
// Rows as UIMessages: a run of assistant and tool rows is one message, a `step-start` before each step.

import { jsonText } from '../safe-json.js';
import { contentParts } from './read.js';
import { dataUrlOf, isMedia, mediumOf, outputOf } from './values.js';

/** @typedef {import('./read.js').Note} Note */

/** @param {import('./read.js').Row[]} rows @param {Note} note */
export function writeAiSdkUi(rows, note) {
  /** @type {any[]} */
  const messages = [];
  /** Calls without an answer so far, by id in order. @type {Map<string, any[]>} */
  const open = new Map();
  const add = (/** @type {string} */ role, /** @type {any[]} */ parts) => {
    const last = messages[messages.length - 1];
    if (role === 'assistant' && last?.role === 'assistant') last.parts.push(...parts);
    else messages.push({ id: `message-${messages.length}`, role, parts });
  };
  for (const { at, message } of rows) {
    const parts = contentParts(message);
    if (message.role === 'tool') {
      for (const p of parts) answer(p, at, open, note);
      continue;
    }
    const shown = parts.flatMap((p) => uiPart(p, at, open, note));
    for (const p of parts) if (p?.type === 'tool-result' || p?.type === 'tool-approval-request') answer(p, at, open, note);
    if (message.role === 'assistant') add('assistant', [{ type: 'step-start' }, ...shown]);
    else if (shown.length > 0) add(message.role, shown);
  }
  return { messages };
}

/** @param {any} p @param {number} at @param {Map<string, any[]>} open @param {Note} note @returns {any[]} */
function uiPart(p, at, open, note) {
  const metadata = p?.providerOptions ? { providerMetadata: p.providerOptions } : {};
  switch (p?.type) {
    case 'text':
    case 'reasoning':
      return [{ type: p.type, text: p.text, ...(p.type === 'reasoning' && { state: 'done' }), ...metadata }];
    case 'custom':
      return [{ type: 'custom', kind: p.kind, ...metadata }];
    case 'tool-call': {
      const part = { type: 'dynamic-tool', toolName: p.toolName, toolCallId: p.toolCallId, state: 'input-available', input: p.input, ...(p.providerExecuted && { providerExecuted: true }), ...(p.providerOptions && { callProviderMetadata: p.providerOptions }) };
      open.set(p.toolCallId, [...(open.get(p.toolCallId) ?? []), part]);
      return [part];
    }
    case 'tool-result':
    case 'tool-approval-request':
      return [];
    default: {
      const m = isMedia(p) ? mediumOf(p) : undefined;
      if (!m) return note(at, isMedia(p) ? 'media' : 'part', 'nothing of this kind exists here'), [];
      if (m.text !== undefined) return [{ type: 'text', text: m.text }];
      return [{ type: p.type === 'reasoning-file' ? p.type : 'file', mediaType: m.type, url: dataUrlOf(m), ...(m.filename && { filename: m.filename }), ...metadata }];
    }
  }
}

/** Writes a result, a request for consent or its answer into the part of its call. @param {any} p @param {number} at @param {Map<string, any[]>} open @param {Note} note */
function answer(p, at, open, note) {
  if (p?.type === 'tool-approval-request' || p?.type === 'tool-approval-response') return consent(p, at, open, note);
  if (p?.type !== 'tool-result') return note(at, 'part', 'nothing of this kind exists here');
  const waiting = open.get(p.toolCallId);
  const part = waiting?.shift();
  if (!part) return note(at, 'result', 'a result without a call has no place here');
  const output = outputOf(p.output);
  if (output.list) note(at, 'output', 'a list of items is shown as a value');
  if (p.output?.type === 'execution-denied') Object.assign(part, { state: 'output-denied', approval: { ...part.approval, id: part.approval?.id ?? `${p.toolCallId}-approval`, approved: false, ...(p.output.reason !== undefined && { reason: p.output.reason }) } });
  else if (output.error) Object.assign(part, { state: 'output-error', errorText: output.text ?? jsonText(output.json).text });
  else Object.assign(part, { state: 'output-available', output: output.text ?? (output.list ? p.output : output.json) });
  if (p.providerOptions) part.resultProviderMetadata = p.providerOptions;
}

/** @param {any} p @param {number} at @param {Map<string, any[]>} open @param {Note} note */
function consent(p, at, open, note) {
  const all = [...open.values()].flat();
  const part = p.type === 'tool-approval-request' ? all.findLast((one) => one.toolCallId === p.toolCallId) : all.findLast((one) => one.approval?.id === p.approvalId);
  if (!part) return note(at, 'approval', 'consent for a call that is not waiting');
  if (p.type === 'tool-approval-request') Object.assign(part, { state: 'approval-requested', approval: { id: p.approvalId } });
  else Object.assign(part, { state: 'approval-responded', approval: { ...part.approval, approved: p.approved, ...(p.reason !== undefined && { reason: p.reason }) } });
}
