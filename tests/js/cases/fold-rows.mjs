// What the cases about folds need of rows: lists that are worth a fold, rows known by position, the parts of a head.
import { textOf } from './messages.mjs';

/**
 * The same row with so much more to read. A fold that does not pay is declined, and the rows of most cases are smaller
 * than any briefing. What a person wrote stays as it is.
 * @param {any} message @param {number} [chars]
 */
export function longer(message, chars = 6_000) {
  if (!Array.isArray(message.content) || !['assistant', 'tool'].includes(message.role)) return message;
  const grow = (/** @type {any} */ part) => {
    if (part.type === 'text') return { ...part, text: `${part.text} `.padEnd(chars, 'y') };
    return part.type === 'tool-result' ? { ...part, output: { ...part.output, value: `${part.output.value} `.padEnd(chars, 'y') } } : part;
  };
  return { ...message, content: message.content.map(grow) };
}

/** Positions of the durable rows in a view, in its order. @param {readonly any[]} view @param {readonly any[]} messages @param {readonly any[]} positions */
export function rowsInView(view, messages, positions) {
  return view.map((m) => messages.indexOf(m)).filter((i) => i >= 0 && positions[i] !== null).map((i) => positions[i]);
}

/** Texts of ours in a view, by origin. @param {readonly any[]} view @param {string} origin */
export function partsOfOrigin(view, origin) {
  const marked = (/** @type {any} */ own) => own?.providerOptions?.['gentle-cascade']?.origin === origin;
  return view.flatMap((m) => (Array.isArray(m.content) ? m.content.filter(marked) : [])).map((p) => p.text);
}

/** The rendered orders of a view. @param {readonly any[]} view */
export const ordersIn = (view) => partsOfOrigin(view, 'orders').join('\n');

/** Everything a request hands to the summarizer's model. @param {any} request */
export const asked = (request) => [request.system, request.prompt].join('\n');

/** @param {unknown} value */
export const tokensOf = (value) => Math.ceil(textOf(value).length / 4);
