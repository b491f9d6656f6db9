// @ts-check
// Turns the core's steps into ops and a view over the host's objects.
//
// Decides object identity: what no step touches is the host's own object, the same edit is the same copy
// in every view, a message of ours is the same object as long as its text stands. Steps and rows that did
// not change since the view before are not laid again. Formats decide how an output or a text of ours looks
// in a message.

import { edited } from './apply.js';
import { EarlierList } from './earlier-list.js';
import { reasoningChange } from './formats/reasoning.js';
import { inputLeaf } from './inputs.js';
import { mediaLeaf, shortenedWithoutMedia } from './media-left-out.js';
import { handOut } from './origins.js';
import { shorten, textOutput } from './outputs.js';

/** @typedef {{ recipe: any[], view: any[], ends: number[] }} Laid the view's length behind each step in `ends` */

export class ViewLayer {
  /** @type {WeakMap<object, { key: string, op: any, copy: any }>} */
  #edits = new WeakMap();
  /** @type {Map<string, any>} */
  #inserts = new Map();
  /** The steps as the core told them, all of them. @type {any[]} */
  #steps = [];
  /** Steps at the beginning that are those of the view laid last. */
  #same = 0;
  /** Rows at the beginning that are what they were in it. */
  #stable = 0;
  /** What was laid last, for as long as the host holds those messages. @type {EarlierList<Laid>} */
  #laid = new EarlierList();

  /**
   * Takes what the core says of its steps: the first `same` are those it told before. Returns the steps that
   * are to be laid: all behind the first that is new, or that edits a row which is not what it was.
   * @param {{ same: number, steps: any[] }} told @param {number} stable rows at the beginning that are what they were
   */
  take({ same, steps }, stable) {
    this.#steps.length = same;
    for (const step of steps) this.#steps.push(step);
    let keep = Math.min(this.#same, same);
    while (keep > 0 && rowsEnd(this.#steps[keep - 1]) > stable) keep -= 1;
    this.#same = keep;
    this.#stable = Math.min(this.#stable, stable);
    return this.#steps.slice(keep);
  }

  /**
   * Lays the steps that were taken.
   * @param {readonly any[]} messages
   * @param {any} format
   * @param {(row: number, part: number) => any} outputAt a result's output as it may be shown (redacted where it was)
   * @param {(row: number) => number | undefined} [printOf] differs when a message was changed in place
   * @returns {{ recipe: any[], view: any[] }}
   */
  lay(messages, format, outputAt, printOf = () => undefined) {
    const laid = this.#laid.find(messages) ?? { recipe: [], view: [], ends: [] };
    // What is half laid is nothing to go on from.
    this.#laid.forget();
    const { recipe, view, ends } = laid;
    const from = ends.length === 0 ? 0 : this.#same;
    const start = from === 0 ? 0 : ends[from - 1];
    // A run of rows that only grew goes on where it ended.
    const grown = runBefore(recipe[from]?.keep, this.#steps[from], this.#stable);
    view.length = start + grown;
    recipe.length = from;
    ends.length = from;
    const inserts = from === 0 ? new Map() : this.#inserts;
    for (let s = from; s < this.#steps.length; s += 1) {
      const step = this.#steps[s];
      if (step.op === 'keep') {
        recipe.push(frozen({ keep: [step.from, step.to] }));
        for (let i = step.from + (s === from ? grown : 0); i < step.to; i += 1) view.push(messages[i]);
      } else if (step.op === 'drop') {
        recipe.push(frozen({ drop: [step.from, step.to] }));
      } else if (step.op === 'insert') {
        const message = this.#insert(step, format);
        inserts.set(JSON.stringify(step.parts), message);
        recipe.push(Object.freeze({ insert: message, origin: step.origin }));
        view.push(message);
      } else {
        const { op, copy } = this.#edit(step, messages[step.row], format, outputAt, printOf(step.row));
        recipe.push(frozen(op));
        view.push(copy);
      }
      ends.push(view.length);
    }
    this.#inserts = inserts;
    this.#same = this.#steps.length;
    this.#stable = Infinity;
    // The host gets arrays of its own: what it does to them is not done to the next view.
    this.#laid.remember(messages, laid);
    return { recipe: recipe.slice(), view: view.slice() };
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

/** Rows of the step that the run laid before it begins with. @param {[number, number] | undefined} keep @param {any} step @param {number} stable */
function runBefore(keep, step, stable) {
  if (!keep || step?.op !== 'keep' || keep[0] !== step.from) return 0;
  return Math.max(0, Math.min(keep[1], step.to, stable) - step.from);
}

/** Ops stay from view to view, so nobody may write to them. @param {any} op */
function frozen(op) {
  for (const list of [op.keep, op.drop, op.set, op.cut, op.append]) if (list) Object.freeze(list);
  return Object.freeze(op);
}

/** The row behind a step's rows; 0 for a message of ours, which depends on none. @param {any} step */
const rowsEnd = (step) => (step.op === 'edit' ? step.row + 1 : (step.to ?? 0));

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
