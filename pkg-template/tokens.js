// @ts-check
// Exact token counts for OpenAI's encodings. Decides how texts cross (once, through a resident window of
// 64 KiB, so that no text, whatever its size, enters the wasm memory whole) and how a vocabulary is loaded
// (in slices of a few milliseconds). Refuses to fetch anything: the caller brings the vocabulary's bytes,
// for example from `gentle-cascade/vocab/o200k`.
import '#counter';
import * as core from './tokens/counter_bg.js';
import { memory } from './tokens/boot.js';
import { badInput } from './errors.js';
import { offerExact } from './exact.js';
import { specialTokens } from './tokens/special.js';
import { textsOf } from './tokens/texts.js';
import { longestFit } from './tokens/fit.js';

const encoder = new TextEncoder();
/** Tokens built per step at first, while the engine still runs its quick first translation, and later. */
const FIRST_STEP = 512;
const STEP = 2048;
/** How long one slice of loading may block, in milliseconds. */
const SLICE_MS = 3;

/** @type {{ buffer: ArrayBufferLike | undefined, bytes: Uint8Array }} */
const view = { buffer: undefined, bytes: new Uint8Array(0) };

/** The window; a call may have grown the memory and detached the last view. */
function windowBytes() {
  const { buffer } = memory();
  if (view.buffer !== buffer) {
    const [at, length] = core.tokenWindow();
    view.buffer = memory().buffer;
    view.bytes = new Uint8Array(view.buffer, at, length);
  }
  return view.bytes;
}

/**
 * Passes a text through the window. An unpaired surrogate becomes U+FFFD, as in any UTF-8 encoder.
 * @param {string} text
 * @param {(bytes: number) => boolean | void} take called with the bytes in the window; true stops
 */
function stream(text, take) {
  for (let at = 0; at < text.length; ) {
    const bytes = windowBytes();
    let end = Math.min(text.length, at + bytes.length);
    // A pair must not fall between two chunks.
    if (end < text.length && isPairAt(text, end)) end -= 1;
    const { read, written } = encoder.encodeInto(at === 0 && end === text.length ? text : text.slice(at, end), bytes);
    if (!read) throw new RangeError('the token window is gone');
    at += read;
    if (take(written)) return;
  }
}

/** Whether a surrogate pair lies around `at`. @param {string} text @param {number} at */
const isPairAt = (text, at) => (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;

/** Bytes on their way from the core, window by window. @param {Uint8Array} text @param {(bytes: number) => void} take */
function pass(text, take) {
  for (let at = 0; at < text.length; ) {
    const bytes = windowBytes();
    const piece = text.subarray(at, at + bytes.length);
    bytes.set(piece);
    at += piece.length;
    take(piece.length);
  }
}

offerExact((encoding) => {
  if (!core.hasVocabulary(encoding)) return undefined;
  const stream = () => {
    const inner = new core.TokenCounter(encoding);
    return { feed: (/** @type {Uint8Array} */ chunk) => pass(chunk, (n) => inner.feed(n)), tokens: () => inner.tokens(), free: () => inner.free() };
  };
  return {
    stream,
    count(text) {
      if (text.length <= windowBytes().length) {
        view.bytes.set(text);
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

/** @type {string | undefined} */
let usual;

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
  if (usual === undefined) throw badInput("no vocabulary is loaded; call loadVocabulary('o200k', bytes) first");
  return usual;
}

/** @param {string} text @param {string} encoding */
function countPlain(text, encoding) {
  // Most texts fit the window in one piece: three bytes is the most a UTF-16 unit takes.
  if (text.length * 3 <= windowBytes().length) return core.countWindow(encoding, encoder.encodeInto(text, view.bytes).written);
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

/** @type {typeof import('./tokens.js').hasVocabulary} */
export function hasVocabulary(name) {
  return core.hasVocabulary(String(name));
}

/** @type {typeof import('./tokens.js').loadVocabularySync} */
export function loadVocabularySync(name, bytes) {
  const loader = open(name, bytes);
  if (!loader) return;
  for (let n = FIRST_STEP; !loader.step(n); ) n = STEP;
  close(loader, name);
}

/** Loads that are under way, by encoding: a second caller waits for the first. @type {Map<string, Promise<void>>} */
const underWay = new Map();

/** @type {typeof import('./tokens.js').loadVocabulary} */
export async function loadVocabulary(name, bytes) {
  const file = core.encodingName(String(name)).split('_')[0];
  const started = underWay.get(file) ?? load(name, bytes).finally(() => underWay.delete(file));
  underWay.set(file, started);
  await started;
}

/** @type {typeof import('./tokens.js').loadVocabulary} */
async function load(name, bytes) {
  const loader = open(name, await bytes);
  if (!loader) return;
  let since = performance.now();
  for (let n = FIRST_STEP; !loader.step(n); n = STEP) {
    if (performance.now() - since < SLICE_MS) continue;
    await pause();
    since = performance.now();
  }
  close(loader, name);
}

/** @param {any} name @param {any} bytes */
function open(name, bytes) {
  const full = core.encodingName(String(name));
  if (core.hasVocabulary(full)) return undefined;
  const array = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes;
  if (!ArrayBuffer.isView(array)) throw badInput('`bytes` must be the Uint8Array or ArrayBuffer of a vocabulary file');
  return new core.VocabularyLoader(full, new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
}

/** @param {any} loader @param {any} name */
function close(loader, name) {
  loader.finish();
  loader.free();
  usual ??= core.encodingName(String(name));
}

/** Lets the event loop run once. @returns {Promise<void>} */
function pause() {
  if (typeof setImmediate === 'function') return new Promise((resolve) => void setImmediate(resolve));
  if (typeof MessageChannel !== 'function') return new Promise((resolve) => void setTimeout(resolve, 0));
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });
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
