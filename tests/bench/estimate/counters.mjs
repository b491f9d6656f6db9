// The counters an estimate is compared with, and texts that weigh in the package what a counter says.
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { estimateTokenCount } from 'tokenx';
import { count } from '../../../pkg/pure.js';

const ordinary = { disallowedSpecial: new Set() };
/** @type {Map<string, number>} */
const known = new Map();

/** @param {string} text */
export function o200k(text) {
  if (text.length > 400) {
    let n = 0;
    for (let i = 0; i < text.length; i += 20_000) n += countTokens(text.slice(i, i + 20_000), ordinary);
    return n;
  }
  const n = known.get(text) ?? countTokens(text, ordinary);
  known.set(text, n);
  return n;
}

export const COUNTERS = { 'chars/4': (/** @type {string} */ text) => Math.ceil(text.length / 4), tokenx: estimateTokenCount, 'o200k': o200k };

/** Without a vocabulary the package counts classes; a text of as many short words stands for one of `tokens` tokens. */
const perThousand = count('a '.repeat(1_000)).tokens;
const sized = (/** @type {number} */ tokens) => (tokens === 0 ? '' : 'a '.repeat(Math.max(1, Math.floor((tokens * 1_000) / perThousand))));
export const asCounted = (/** @type {string} */ text) => sized(o200k(text));

/** The texts of a message: `[text, kind]`. @param {any} message @returns {[string, string][]} */
export function textsOf(message) {
  if (typeof message.content === 'string') return [[message.content, 'text']];
  return message.content.map((/** @type {any} */ part) => [partText(part), part.type]);
}

/** @param {any} part */
function partText(part) {
  if (part.type === 'tool-call') return typeof part.input === 'string' ? part.input : JSON.stringify(part.input) ?? '';
  if (part.type !== 'tool-result') return part.text ?? '';
  const { value, type } = part.output ?? {};
  if (type === 'content') return value.map((/** @type {any} */ v) => v.text ?? '').join('\n');
  return typeof value === 'string' ? value : JSON.stringify(value) ?? '';
}

/** The same message with texts of the same size by o200k. @param {any} message @returns {any} */
export function counted(message) {
  if (typeof message.content === 'string') return { ...message, content: asCounted(message.content) };
  return {
    ...message,
    content: message.content.map((/** @type {any} */ part) => {
      const text = asCounted(partText(part));
      if (part.type === 'tool-call') return { ...part, input: text };
      if (part.type === 'tool-result') {
        const media = part.output?.type === 'content' ? part.output.value.filter((/** @type {any} */ v) => v.text === undefined) : [];
        return { ...part, output: media.length > 0 ? { type: 'content', value: [{ type: 'text', text }, ...media] } : { type: 'text', value: text } };
      }
      return 'text' in part ? { ...part, text } : part;
    }),
  };
}
