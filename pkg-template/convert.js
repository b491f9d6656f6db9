// @ts-check
// Messages of one format as messages of another: every text, call, result and pairing stays; what the
// target has no place for is reported. The form in between is the AI SDK's, which can hold the most.
//
// Heals nothing: a broken history is broken after it, too. The originals are not changed.

import { writeAiSdkUi } from './convert/ai-sdk-ui.js';
import { writeAnthropic } from './convert/anthropic.js';
import { writeGemini } from './convert/gemini.js';
import { writeOpenaiChat } from './convert/openai-chat.js';
import { writeOpenaiResponses } from './convert/openai-responses.js';
import { readRows } from './convert/read.js';
import { badInput } from './errors.js';
import { formatByName } from './formats/index.js';

export { toModelMessages } from './formats/ai-sdk-ui.js';

/**
 * @typedef {object} Lost
 * @property {number} at index of the message it stood in
 * @property {string} what `reasoning`, `media`, `part`, `approval`, `system` …
 * @property {string} why
 *
 * @typedef {{ messages: any[], system?: string, lost: Lost[] }} Converted `system` where the target's requests carry it beside the messages
 */

/** @type {Record<string, (rows: import('./convert/read.js').Row[], note: import('./convert/read.js').Note) => { messages: any[], system?: string }>} */
const WRITERS = {
  'ai-sdk': (rows) => ({ messages: rows.map((row) => row.message) }),
  'ai-sdk-ui': writeAiSdkUi,
  anthropic: writeAnthropic,
  'openai-chat': writeOpenaiChat,
  'openai-responses': writeOpenaiResponses,
  gemini: writeGemini,
};

/**
 * @param {readonly any[]} messages
 * @param {string} from @param {string} to names of formats; the same name gives the same objects
 * @returns {Converted}
 * @throws {import('./errors.js').CascadeError} `bad_input` for an unknown format or what is no message of `from`
 */
export function convert(messages, from, to) {
  if (!Array.isArray(messages)) throw badInput('`messages` must be an array of messages');
  const source = formatByName(from);
  formatByName(to);
  messages.forEach((message, at) => {
    if (message === null || typeof message !== 'object' || source.role(message) === undefined) throw badInput(`\`messages[${at}]\` is not a message of the format ${from}`);
  });
  if (from === to) return { messages: messages.slice(), lost: [] };
  /** @type {Lost[]} */
  const lost = [];
  const note = (/** @type {number} */ at, /** @type {string} */ what, /** @type {string} */ why) => void lost.push({ at, what, why });
  const written = WRITERS[to](readRows(messages, source, note), note);
  return { ...written, lost: lost.sort((a, b) => a.at - b.at) };
}
