// @ts-check
// The second line against views that were recorded: formats without room for a mark of ours know a message of ours, once
// it was stored as JSON, by its whole text. Decides nothing where a mark can stand; there a person may write the same.

import { CascadeError } from './errors.js';
import { KIND, MARKED, ROLE } from './formats/parts.js';

/** Shorter texts of ours do not exist; what a person types may be short. */
const SHORTEST = 20;
/** Texts that are remembered; older ones are folded away by then. */
const MOST = 256;

export class ShownTexts {
  /** @type {Set<string>} */
  #texts = new Set();

  /** Takes what a view shows of ours and the one before did not. @param {any[]} steps @param {any} format */
  take(steps, format) {
    if (MARKED.has(format.name)) return;
    for (const step of steps) for (const { text } of step.parts ?? step.append ?? []) if (text.length >= SHORTEST) this.#texts.add(text);
    for (const text of this.#texts) {
      if (this.#texts.size <= MOST) break;
      this.#texts.delete(text);
    }
  }

  /**
   * @param {readonly any[]} messages @param {number} from the first one that was not looked at before @param {any} format
   * @throws {CascadeError} `view_recorded`
   */
  refuse(messages, from, format) {
    if (this.#texts.size === 0 || MARKED.has(format.name)) return;
    for (let at = from; at < messages.length; at += 1) {
      if (format.role(messages[at]) === ROLE.user && this.#holds(messages[at], format)) {
        throw new CascadeError('view_recorded', `\`messages[${at}]\` is a message that an earlier view handed out; pass the rows as they were recorded`);
      }
    }
  }

  /** @param {any} message @param {any} format */
  #holds(message, format) {
    try {
      return format.parts(message).some((/** @type {any} */ part) => part.kind === KIND.text && this.#texts.has(part.text));
    } catch {
      return false;
    }
  }
}
