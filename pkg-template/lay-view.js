// @ts-check
// Turns the core's steps into ops and a view over the host's objects.
//
// Decides object identity: what no step touches is the host's own object, the same edit is the same copy
// in every view, a message of ours is the same object as long as its text stands. Formats decide how an
// output or a text of ours looks in a message.

import { edited } from './apply.js';
import { reasoningChange } from './formats/reasoning.js';
import { inputLeaf } from './inputs.js';
import { mediaLeaf, shortenedWithoutMedia } from './media-left-out.js';
import { handOut } from './origins.js';
import { shorten, textOutput } from './outputs.js';

export class ViewLayer {
  /** @type {WeakMap<object, { key: string, op: any, copy: any }>} */
  #edits = new WeakMap();
  /** @type {Map<string, any>} */
  #inserts = new Map();

  /**
   * @param {any[]} steps
   * @param {readonly any[]} messages
   * @param {any} format
   * @param {(row: number, part: number) => any} outputAt a result's output as it may be shown (redacted where it was)
   * @param {(row: number) => number | undefined} [printOf] differs when a message was changed in place
   * @returns {{ recipe: any[], view: any[], handles: boolean }} `handles`: whether the view names any
   */
  lay(steps, messages, format, outputAt, printOf = () => undefined) {
    const recipe = [];
    const view = [];
    const inserts = new Map();
    let handles = false;
    for (const step of steps) {
      if (step.op === 'keep') {
        recipe.push({ keep: [step.from, step.to] });
        for (let i = step.from; i < step.to; i += 1) view.push(messages[i]);
      } else if (step.op === 'drop') {
        recipe.push({ drop: [step.from, step.to] });
      } else if (step.op === 'insert') {
        const message = this.#insert(step, format);
        inserts.set(JSON.stringify(step.parts), message);
        recipe.push({ insert: message, origin: step.origin });
        view.push(message);
        handles = true;
      } else {
        const { op, copy } = this.#edit(step, messages[step.row], format, outputAt, printOf(step.row));
        recipe.push(op);
        view.push(copy);
        handles ||= step.set.some((/** @type {any} */ r) => r.handle);
      }
    }
    this.#inserts = inserts;
    return { recipe, view, handles };
  }

  /** @param {any} step @param {any} format */
  #insert(step, format) {
    const known = this.#inserts.get(JSON.stringify(step.parts));
    if (known) return known;
    const message = format.userMessage(step.parts, step.origin);
    handOut(message, step.origin);
    return message;
  }

  /** @param {any} step @param {any} message @param {any} format @param {(row: number, part: number) => any} outputAt @param {number | undefined} print */
  #edit(step, message, format, outputAt, print) {
    const key = JSON.stringify([print, step.set, step.append, step.cut, step.unname]);
    const known = this.#edits.get(message);
    if (known?.key === key) return { op: { ...known.op, edit: step.row }, copy: known.copy };
    const set = step.set.map((/** @type {any} */ r) => leafOf(r, message, format, () => outputAt(step.row, r.part)));
    const lost = step.cut || step.unname ? reasoningChange(format.name, message, step.cut ?? [], step.unname ?? []) : { set: [], cut: [] };
    const added = step.append?.length > 0 ? format.appended(message, step.append) : {};
    set.push(...lost.set, ...(added.set ?? []));
    const op = { edit: step.row, ...(set.length > 0 ? { set } : {}), ...(lost.cut.length > 0 ? { cut: lost.cut } : {}), ...(added.append ? { append: added.append } : {}) };
    const copy = edited(message, op);
    handOut(copy);
    this.#edits.set(message, { key, op, copy });
    return { op, copy };
  }
}

/** @param {any} replace @param {any} message @param {any} format @param {() => any} output */
function leafOf(replace, message, format, output) {
  if (replace.input) return inputLeaf(message, replace.part, replace.cap, replace.text, format);
  if (replace.media && replace.text !== undefined) return mediaLeaf(message, replace.part, replace.text, format);
  return format.leaf(message, replace.part, shownOutput(replace, output(), format));
}

/** The stub's text, or the original shortened to its cap. @param {any} replace @param {any} output @param {any} format */
function shownOutput(replace, output, format) {
  if (replace.text !== undefined) return textOutput(replace.text, output.error);
  const gap = { ...(replace.handle ? { handle: replace.handle } : {}), ...(replace.loss ? { loss: replace.loss } : {}) };
  return replace.media ? shortenedWithoutMedia(output, replace.cap, gap, format) : shorten(output, replace.cap, gap);
}
