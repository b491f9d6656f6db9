// @ts-check
// Streams texts through the core's 64 KiB window, so that no text enters wasm memory whole.
//
// Any call into wasm may grow memory and detach the view, so it is taken afresh before each write. An
// unpaired surrogate crosses as U+FFFD; two texts that differ only there measure alike.

import { memory } from './boot.js';

const encoder = new TextEncoder();

export class Window {
  #core;
  /** @type {ArrayBuffer | undefined} */
  #buffer;
  /** @type {Uint8Array} */
  #bytes = new Uint8Array(0);

  /** @param {any} core */
  constructor(core) {
    this.#core = core;
  }

  #view() {
    const buffer = memory().buffer;
    if (this.#buffer !== buffer) {
      this.#buffer = /** @type {ArrayBuffer} */ (buffer);
      this.#bytes = new Uint8Array(buffer, this.#core.windowPtr(), this.#core.windowLen());
    }
    return this.#bytes;
  }

  /** Streams one text; the caller ends it as a part, a frame piece or a weight. @param {string} text */
  write(text) {
    for (let at = 0; at < text.length; ) {
      const view = this.#view();
      let piece = text;
      if (at > 0 || text.length > view.length) {
        const end = at + view.length;
        // A pair on the edge of a slice would be read as two halves.
        piece = text.slice(at, isHigh(text.charCodeAt(end - 1)) && isLow(text.charCodeAt(end)) ? end - 1 : end);
      }
      const { read, written } = encoder.encodeInto(piece, view);
      // A window that takes nothing would loop for ever.
      if (!read) throw new RangeError('gentle-cascade: the window takes nothing');
      this.#core.feed(written);
      at += read;
    }
  }
}

const isHigh = (/** @type {number} */ u) => u >= 0xd800 && u < 0xdc00;
const isLow = (/** @type {number} */ u) => u >= 0xdc00 && u < 0xe000;
