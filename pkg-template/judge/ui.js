// @ts-check
// UIMessages for the validator: one row per step, so that ids may repeat from step to step as they do on
// the wire. Each row and part remembers where it stands in the host's list.

import { FLAG, KIND, ROLE, table } from '../formats/parts.js';
import { DETAIL } from './leaves.js';

/** @typedef {import('../formats/parts.js').ProjectedPart} ProjectedPart */
/** @typedef {{ role: number, parts: ProjectedPart[], at: number, origins: number[] }} UiRow */

const STATES = new Set(['input-streaming', 'input-available', 'approval-requested', 'approval-responded', 'output-available', 'output-error', 'output-denied']);
const ROLES = table({ system: ROLE.system, user: ROLE.user, assistant: ROLE.assistant });

/** @param {readonly any[]} messages @returns {UiRow[]} */
export function uiRows(messages) {
  /** @type {UiRow[]} */
  const rows = [];
  messages.forEach((message, at) => {
    const role = ROLES[/** @type {keyof typeof ROLES} */ (message?.role)];
    if (role === undefined || !Array.isArray(message.parts)) {
      rows.push({ role: role ?? ROLE.user, parts: [{ kind: KIND.opaque, text: 'x', flags: DETAIL.malformed }], at, origins: [0] });
      return;
    }
    let row = open(rows, role, at);
    message.parts.forEach((/** @type {any} */ part, /** @type {number} */ p) => {
      if (part?.type === 'step-start' && role === ROLE.assistant) {
        if (row.parts.length > 0) row = open(rows, role, at);
        return;
      }
      if (part?.type === 'steering-message') {
        const steering = open(rows, ROLE.user, at);
        steering.parts.push({ kind: KIND.text, text: 'x' });
        steering.origins.push(p);
        row = open(rows, role, at);
        return;
      }
      for (const projected of partsOf(part)) {
        row.parts.push(projected);
        row.origins.push(p);
      }
    });
    // A step that steering opened and nothing filled is none.
    if (row.parts.length === 0 && rows.length > 1 && rows[rows.length - 2].at === at) rows.pop();
  });
  return rows;
}

/** @param {UiRow[]} rows @param {number} role @param {number} at */
function open(rows, role, at) {
  /** @type {UiRow} */
  const row = { role, parts: [], at, origins: [] };
  rows.push(row);
  return row;
}

/** @param {any} p @returns {ProjectedPart[]} */
function partsOf(p) {
  const bad = DETAIL.malformed;
  const type = typeof p?.type === 'string' ? p.type : '';
  const signed = p?.providerMetadata?.anthropic?.signature ?? p?.providerMetadata?.google?.thoughtSignature ? FLAG.signed : 0;
  if (type === 'text') {
    const text = typeof p.text === 'string' ? p.text : 'x';
    const compaction = p.providerMetadata?.anthropic?.type === 'compaction';
    return [{ kind: compaction ? KIND.compaction : KIND.text, text, flags: signed | (typeof p.text === 'string' ? 0 : bad) }];
  }
  if (type === 'reasoning') return [{ kind: KIND.reasoning, text: 'x', flags: signed | (typeof p.text === 'string' ? 0 : bad) }];
  if (type === 'file') return [{ kind: KIND.media, text: '', media: -1, flags: typeof p.mediaType === 'string' && typeof p.url === 'string' ? 0 : bad }];
  if (type.startsWith('tool-') || type === 'dynamic-tool') return toolParts(p, type);
  return [{ kind: KIND.opaque, text: 'x', flags: type === '' ? bad : 0 }];
}

/** A call, the question and the answer about it, and its result. @param {any} p @param {string} type @returns {ProjectedPart[]} */
function toolParts(p, type) {
  const finished = p.state === 'output-available' || p.state === 'output-error' || p.state === 'output-denied';
  const needsInput = p.state === 'output-available' || p.state === 'input-available';
  const named = type !== 'dynamic-tool' || typeof p.toolName === 'string';
  const sound = typeof p.toolCallId === 'string' && STATES.has(p.state) && named && !(needsInput && p.input === undefined) && !(p.state === 'output-error' && typeof p.errorText !== 'string');
  // Arguments that still come in are skipped by the converter, too.
  if (p.state === 'input-streaming') return [{ kind: KIND.opaque, text: 'x', flags: sound ? 0 : DETAIL.malformed }];
  const id = String(p.toolCallId);
  const name = type === 'dynamic-tool' ? String(p.toolName) : type.slice('tool-'.length);
  const own = p.providerExecuted === true ? FLAG.provider : 0;
  /** @type {ProjectedPart[]} */
  const parts = [{ kind: KIND.call, text: 'x', id, name, flags: own | (sound ? 0 : DETAIL.malformed) }];
  if (typeof p.approval?.id === 'string') {
    parts.push({ kind: KIND.approvalRequest, text: '', id: p.approval.id, name: id });
    if (p.approval.approved !== undefined) parts.push({ kind: KIND.approvalResponse, text: '', id: p.approval.id });
  }
  if (finished) parts.push({ kind: KIND.result, text: 'x', id, name, flags: own });
  return parts;
}
