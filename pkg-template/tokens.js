// @ts-check
// Exact token counts for OpenAI's encodings: of a text, of messages, up to a limit, piece by piece, or as much of a text
// as fits. How texts cross is in `tokens/window.js`, how a vocabulary is loaded in `tokens/load.js`.
import '#counter';
import * as core from './tokens/counter_bg.js';
import { badInput } from './errors.js';
import { offerExact } from './exact.js';
import { longestFit } from './tokens/fit.js';
import { usualEncoding } from './tokens/load.js';
import { specialTokens } from './tokens/special.js';
import { textsOf } from './tokens/texts.js';
import { pass, stream, windowBytes, writeWhole } from './tokens/window.js';

export { hasVocabulary, loadVocabulary, loadVocabularySync } from './tokens/load.js';

offerExact((encoding) => {
  if (!core.hasVocabulary(encoding)) return undefined;
  const stream = () => {
    const inner = new core.TokenCounter(encoding);
    return { feed: (/** @type {Uint8Array} */ chunk) => pass(chunk, (n) => inner.feed(n)), tokens: () => inner.tokens(), free: () => inner.free() };
  };
  return {
    stream,
    count(text) {
      const window = windowBytes();
      if (text.length <= window.length) {
        window.set(text);
        return core.countWindow(encoding, text.length);
      }
      const whole = stream();
      whole.feed(text);
      const tokens = whole.tokens();
      whole.free();
      return tokens;
    },
  };
});

/**
 * The encoding an option object asks for: `encoding`, else the one of `model`, else the first loaded.
 * @param {import('./tokens.js').CountOptions} [options]
 * @returns {string}
 */
function chosen(options) {
  if (options?.encoding !== undefined) return core.encodingName(String(options.encoding));
  if (options?.model !== undefined) {
    const name = encodingFor(options.model);
    if (name === undefined) throw badInput('`model` uses no known encoding; pass `encoding`, or estimate');
    return name;
  }
  const usual = usualEncoding();
  if (usual === undefined) throw badInput("no vocabulary is loaded; call loadVocabulary('o200k', bytes) first");
  return usual;
}

/** @param {string} text @param {string} encoding */
function countPlain(text, encoding) {
  // Most texts fit the window in one piece.
  const written = writeWhole(text);
  if (written !== undefined) return core.countWindow(encoding, written);
  const counter = new core.TokenCounter(encoding);
  try {
    stream(text, (bytes) => counter.feed(bytes));
    return counter.tokens();
  } finally {
    counter.free();
  }
}

/** @param {string} text @param {string} encoding @param {import('./tokens.js').CountOptions} [options] */
function countText(text, encoding, options) {
  if (options?.special !== 'tokens') return countPlain(text, encoding);
  const { parts, found } = specialTokens(text, encoding);
  return parts.reduce((sum, part) => sum + (part ? countPlain(part, encoding) : 0), found);
}

/** @type {typeof import('./tokens.js').count} */
export function count(input, options) {
  const encoding = chosen(options);
  if (typeof input === 'string') return countText(input, encoding, options);
  if (!Array.isArray(input)) throw badInput('`input` must be a string, an array of strings or an array of messages');
  const perMessage = options?.perMessage ?? 0;
  let sum = 0;
  input.forEach((item, i) => {
    if (typeof item === 'string') sum += countText(item, encoding, options);
    else if (item === null || typeof item !== 'object') throw badInput(`\`input[${i}]\` must be a string or a message`);
    else for (const text of textsOf(item)) sum += countText(text, encoding, options);
    if (typeof item !== 'string') sum += perMessage;
  });
  return sum;
}

/** @type {typeof import('./tokens.js').countUpTo} */
export function countUpTo(text, limit, options) {
  wholeNumber(limit, 'limit');
  const encoding = chosen(options);
  string(text);
  const counter = new core.TokenCounter(encoding);
  try {
    stream(text, (bytes) => {
      counter.feed(bytes);
      return counter.settled() > limit;
    });
    const tokens = counter.settled() > limit ? counter.settled() : counter.tokens();
    return { within: tokens <= limit, tokens };
  } finally {
    counter.free();
  }
}

/** @type {typeof import('./tokens.js').counter} */
export function counter(options) {
  const inner = new core.TokenCounter(chosen(options));
  // An open high surrogate waits for its other half.
  let half = '';
  return {
    add(text) {
      let all = half + string(text);
      half = all.length && (all.charCodeAt(all.length - 1) & 0xfc00) === 0xd800 ? all.slice(-1) : '';
      if (half) all = all.slice(0, -1);
      stream(all, (bytes) => inner.feed(bytes));
      return this;
    },
    get tokens() {
      if (!half) return inner.tokens();
      const whole = inner.copy();
      stream(half, (bytes) => whole.feed(bytes));
      const tokens = whole.tokens();
      whole.free();
      return tokens;
    },
    free() {
      inner.free();
    },
  };
}

/** @type {typeof import('./tokens.js').truncateToTokens} */
export function truncateToTokens(text, tokens, options) {
  wholeNumber(tokens, 'tokens');
  string(text);
  const encoding = chosen(options);
  return longestFit(text, tokens, { from: options?.from, share: options?.share, marker: options?.marker }, (part, limit) => {
    // A part so long that it cannot fit is not counted.
    if (part.length > limit * 128) return Infinity;
    return countPlain(part, encoding);
  });
}

/** @type {typeof import('./tokens.js').encodingFor} */
export function encodingFor(model) {
  if (typeof model !== 'string') throw badInput('`model` must be a string');
  return /** @type {any} */ (core.encodingForModel(model));
}

/** @param {unknown} text */
function string(text) {
  if (typeof text !== 'string') throw badInput('`text` must be a string');
  return text;
}

/** @param {unknown} value @param {string} name */
function wholeNumber(value, name) {
  if (!Number.isSafeInteger(value) || /** @type {number} */ (value) < 0) throw badInput(`\`${name}\` must be a whole number of tokens, 0 or more`);
}
