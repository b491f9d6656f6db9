// @ts-check
// Texts on their way into the counter: once, through a resident window of 64 KiB, so that no text, whatever its size,
// enters the wasm memory whole.
import * as core from './counter_bg.js';
import { memory } from './boot.js';

const encoder = new TextEncoder();

/** @type {{ buffer: ArrayBufferLike | undefined, bytes: Uint8Array }} */
const view = { buffer: undefined, bytes: new Uint8Array(0) };

/** The window; a call may have grown the memory and detached the last view. */
export function windowBytes() {
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
export function stream(text, take) {
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
export function pass(text, take) {
  for (let at = 0; at < text.length; ) {
    const bytes = windowBytes();
    const piece = text.subarray(at, at + bytes.length);
    bytes.set(piece);
    at += piece.length;
    take(piece.length);
  }
}

/** Writes a text that fits for certain: three bytes is the most a UTF-16 unit takes. Undefined where it may not fit. @param {string} text */
export function writeWhole(text) {
  const bytes = windowBytes();
  return text.length * 3 <= bytes.length ? encoder.encodeInto(text, bytes).written : undefined;
}
