// @ts-check
// The formats by name, and the one a list of messages is in: named by the host, or seen from its content.

import { badInput } from '../errors.js';
import { aiSdkUi } from './ai-sdk-ui.js';
import { aiSdk } from './ai-sdk.js';
import { anthropic } from './anthropic.js';
import { detectFormat } from './detect.js';
import { gemini } from './gemini.js';
import { openaiChat } from './openai-chat.js';
import { openaiResponses } from './openai-responses.js';

export { detectFormat, FORMAT_NAMES } from './detect.js';

/** @typedef {import('./parts.js').Format} Format */

/** @type {ReadonlyMap<string, Format>} */
const FORMATS = new Map([aiSdk, aiSdkUi, anthropic, openaiChat, openaiResponses, gemini].map((format) => [format.name, format]));

/** @param {string} name @returns {Format} */
export function formatByName(name) {
  const format = FORMATS.get(name);
  if (!format) throw badInput(`\`format\` is \`${name}\`, but must be one of ${[...FORMATS.keys()].join(', ')}`);
  return format;
}

/**
 * The rows that messages of a format are, and the format of those rows: the messages themselves, or what UIMessages convert to.
 * @param {Format} format @param {readonly any[]} messages @param {readonly any[]} [positions]
 * @returns {import('./parts.js').Listed & { format: Format }}
 */
export function listRows(format, messages, positions) {
  const listed = format.rows ? format.rows(messages, positions) : { messages, positions };
  return { ...listed, format: format.rowFormat ?? format };
}

/** A tool of ours as a format's requests list it. @param {{ name: string, description: string, inputSchema: any }} tool @param {string} format */
export const toolDefinition = (tool, format) => formatByName(format).toolDefinition(tool);

const joined = (/** @type {import('./parts.js').Own[]} */ parts) => parts.map(({ text }) => text).join('\n\n');

/**
 * Plain texts that several formats read alike. What we add is a plain text too: every one of them takes it.
 * @type {Format}
 */
export const plainText = Object.freeze({
  ...aiSdk,
  name: 'plain text',
  userMessage: (/** @type {import('./parts.js').Own[]} */ parts) => ({ role: 'user', content: joined(parts) }),
  appended(/** @type {any} */ message, /** @type {import('./parts.js').Own[]} */ parts) {
    if (typeof message.content !== 'string') return aiSdk.appended(message, parts);
    return { set: [{ path: ['content'], value: `${message.content}\n\n${joined(parts)}` }] };
  },
});

/** @param {readonly any[]} messages @returns {{ format: Format, certain: boolean }} `certain` false while later messages may still tell */
export function formatOf(messages) {
  const name = detectFormat(messages);
  return name ? { format: formatByName(name), certain: true } : { format: plainText, certain: false };
}
