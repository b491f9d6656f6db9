// @ts-check
// What promotion asks of the host: facts of a span, and the writing of one.
//
// Decides that the extractor sees the host's own messages of the span, and of a redacted result only what
// the redact hook left. A span is held from its plan to the end of its fold and no longer.

import { badInput } from './errors.js';
import { edited } from './apply.js';
import { callHost } from './host.js';
import { textOutput } from './outputs.js';

/** Milliseconds an extractor may take. */
const EXTRACT_MS = 60_000;
/** Longer texts are no facts. */
const LONGEST = 20_000;
/** Spans held at once: one in the background, one that a request could not wait for. */
const MOST_SPANS = 2;

export class Spans {
  /** @type {Map<string, any[]>} */
  #held = new Map();

  /**
   * @param {string} id @param {readonly any[]} messages @param {number[]} rows
   * @param {number[]} redacted row and part, one after the other
   * @param {{ format: any, clean: WeakMap<object, Map<number, any>> }} side
   */
  capture(id, messages, rows, redacted, { format, clean }) {
    /** @type {Map<number, number[]>} */
    const parts = new Map();
    for (let i = 0; i + 1 < redacted.length; i += 2) parts.set(redacted[i], [...(parts.get(redacted[i]) ?? []), redacted[i + 1]]);
    const shown = (/** @type {number} */ row) => {
      const message = messages[row];
      const hidden = parts.get(row);
      if (!hidden) return message;
      const set = hidden.map((part) => format.leaf(message, part, clean.get(message)?.get(part) ?? textOutput('[redacted]')));
      return edited(message, { edit: row, set });
    };
    this.#held.delete(id);
    this.#held.set(id, rows.map(shown));
    for (const old of this.#held.keys()) if (this.#held.size > MOST_SPANS) this.#held.delete(old);
  }

  /** @param {string} id */
  release(id) {
    this.#held.delete(id);
  }

  /** @param {string} id @param {any} host @param {string} transcript @returns {Promise<string[]>} */
  async extract(id, host, transcript) {
    const rows = this.#held.get(id);
    if (!rows || rows.length === 0) return [];
    // The fold is in force: cancelling the request that made it does not cancel this.
    const found = (await callHost(host, host, 'extract', [{ rows }], { transcript, ms: EXTRACT_MS })) ?? [];
    if (!Array.isArray(found)) throw badInput('`host.extract` must return an array of strings');
    return found.filter((fact) => typeof fact === 'string' && fact.length <= LONGEST);
  }
}
