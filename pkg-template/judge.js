// @ts-check
// The strict validator and the repair, for any list of messages: no conversation, no host, no await.
//
// Decides nothing: the core judges, `repair/` lays its order of pieces over the host's own messages.

import { History } from './core_bg.js';
import { badInput } from './errors.js';
import { detectFormat, formatByName } from './formats/index.js';
import { pushHistory } from './judge/push.js';
import { layRepair } from './repair/lay.js';

/**
 * Everything the provider or SDK of a format would reject, drop or take badly.
 *
 * @param {readonly any[]} messages
 * @param {string} [format] detected from the content where absent; a list that several formats read alike has to be named
 * @param {{ phase?: 'stored' | 'request' }} [options] `request`: the list is what is sent now, so it may not end with an
 *   answer or a call that still runs; default `stored`
 * @returns {{ findings: { rule: string, level: 'E' | 'D' | 'S' | 'C', at: number, part?: number, detail: string, repairable: boolean }[], format: string }}
 * @throws {import('./errors.js').CascadeError} `bad_input`
 */
export function validate(messages, format, { phase = 'stored' } = {}) {
  const form = named(messages, format);
  return withHistory(form, messages, (history, origins) => ({ findings: placed(JSON.parse(history.validate(phase === 'request')), origins), format: form.name }));
}

/**
 * Heals what can be healed without inventing anything, and says what it did. Untouched messages are the same objects.
 *
 * @param {readonly any[]} messages
 * @param {string} [format] as in `validate`
 * @returns {{ messages: any[], repaired: { rule: string, at: number, did: string }[], refused?: ReturnType<typeof validate>['findings'], format: string }}
 *   `at` of a repair is an index of the input; `refused`: what would still be rejected, by its index in the answer
 * @throws {import('./errors.js').CascadeError} `bad_input`
 */
export function repair(messages, format) {
  const form = named(messages, format);
  // Display history is never edited: the model messages it converts to are what is repaired.
  const untouched = { messages: messages.slice(), repaired: /** @type {any[]} */ ([]) };
  const laid = form.name === 'ai-sdk-ui' ? untouched : withHistory(form, messages, (history) => layRepair(JSON.parse(history.repair()), messages, form.name));
  const refused = validate(laid.messages, form.name).findings.filter((finding) => finding.level === 'E').map((finding) => ({ ...finding, repairable: false }));
  return { ...laid, ...(refused.length > 0 ? { refused } : {}), format: form.name };
}

/** @param {readonly any[]} messages @param {string | undefined} format */
function named(messages, format) {
  if (!Array.isArray(messages)) throw badInput("`messages` must be the array of the conversation's rows");
  const name = format ?? detectFormat(messages);
  if (name === undefined) throw badInput('these messages read alike in several formats, which do not accept the same; name the one they are sent in with `format`');
  return formatByName(name);
}

/** @param {any} form @param {readonly any[]} messages @param {(history: any, origins: import('./judge/push.js').Origin[] | undefined) => any} use */
function withHistory(form, messages, use) {
  const history = new History(form.name);
  try {
    return use(history, pushHistory(history, messages, form));
  } finally {
    history.free();
  }
}

/** Findings about rows, as findings about the host's messages. @param {any[]} findings @param {import('./judge/push.js').Origin[] | undefined} origins */
function placed(findings, origins) {
  if (!origins) return findings;
  return findings.map((finding) => {
    const origin = origins[finding.at];
    const part = finding.part === undefined ? undefined : origin?.parts[finding.part];
    const { part: _row, ...rest } = finding;
    return { ...rest, at: origin?.at ?? finding.at, ...(part === undefined ? {} : { part }) };
  });
}
