// @ts-check
// One plan: the host's list goes in, the core decides, a view over the host's own objects comes out.
//
// Decides in which order a list is checked, pushed, planned on and laid out, and what of it is remembered for the
// next one. Everything about relief is decided in the core.

import { formatByName, formatOf, listRows } from './formats/index.js';
import { callHost } from './host.js';
import { ViewLayer } from './lay-view.js';
import { refuseViews } from './origins.js';
import { run } from './run-job.js';
import { ShownTexts } from './shown-texts.js';

export class Planning {
  #core;
  #bridge;
  #rows;
  #frame;
  /** Named, or seen for certain. @type {import('./formats/parts.js').Format | undefined} */
  #format;
  #layer = new ViewLayer();
  #shown = new ShownTexts();
  #restarted = true;
  /** Position of the newest stored row of the last list. */
  #newest = 0;

  /** @param {any} core @param {import('./bridge.js').Bridge} bridge @param {import('./sync-rows.js').RowSync} rows @param {import('./frame-in-force.js').FrameInForce} frame @param {string | undefined} format */
  constructor(core, bridge, rows, frame, format) {
    this.#core = core;
    this.#bridge = bridge;
    this.#rows = rows;
    this.#frame = frame;
    this.#format = format === undefined ? undefined : formatByName(format);
  }

  get format() {
    return this.#format;
  }

  get newest() {
    return this.#newest;
  }

  /**
   * @param {import('./checked-input.js').NextInput & { read: () => readonly any[], frame?: any }} input
   * @param {any} ask what `compact` asks for, undefined for `next`
   * @returns {Promise<any>} what `next` returns, its events and its background fold as the core gave them
   */
  async plan({ read, positions, signal, idleMs, frame }, ask) {
    signal?.throwIfAborted();
    const messages = read();
    // What passed once and is the same object still passes.
    const known = this.#rows.known(messages);
    refuseViews(messages, known);
    const host = this.#formatOf(messages);
    const listed = listRows(host, messages, positions);
    const { format } = listed;
    if (frame !== undefined) this.#frame.take(frame);
    this.#frame.promote(messages, format);
    this.#shown.refuse(listed.messages, host.rows ? 0 : known, format);
    const bridge = this.#bridge;
    bridge.messages = listed.messages;
    bridge.format = format;
    bridge.signal = signal;
    try {
      // A vocabulary that came since the last call counts exactly what was estimated before.
      if (this.#core.takeVocabulary()) this.#rows.reset();
      this.#rows.owners = listed.owners;
      this.#rows.push(listed.messages, listed.positions, format, { whole: ask !== undefined, ...(!host.rows && { known }) });
      this.#newest = newestPosition(listed.positions, listed.messages.length);
      this.#core.setIdle(idleMs ?? -1);
      const report = await run(this.#core.next(ask));
      const fresh = this.#layer.take(report.steps, this.#rows.takeStable());
      this.#shown.take(fresh, format);
      // What a view of an earlier process showed is known only now.
      if (this.#restarted) this.#shown.refuse(listed.messages, 0, format);
      this.#restarted = false;
      await this.#redactAgain(fresh, listed.messages, format);
      const { recipe, view } = this.#layer.lay(listed.messages, format, (row, part) => bridge.output(row, part), (row) => this.#rows.printOf(row));
      const { steps: _steps, record, folded, ...rest } = report;
      const pending = folded ? await this.#pending(view, recipe) : 0;
      return {
        ...rest,
        view,
        recipe,
        frame: this.#frame.names,
        ...(host.rows && { messages: listed.messages }),
        ...(record === undefined ? {} : { record: [host.userMessage([{ text: record, origin: 'user' }], 'user')] }),
        ...(pending > 0 ? { pending } : {}),
      };
    } finally {
      bridge.messages = [];
      bridge.signal = undefined;
      bridge.place = undefined;
    }
  }

  /** What was typed while the fold was made is read in this very request. @param {any[]} view @param {any[]} recipe */
  async #pending(view, recipe) {
    const { host, transcript, signal } = this.#bridge;
    if (typeof host.pending !== 'function') return 0;
    const more = (await callHost(host, host, 'pending', [], { transcript, signal })) ?? [];
    for (const message of more) {
      view.push(message);
      recipe.push({ insert: message, origin: 'user' });
    }
    return more.length;
  }

  /** @param {readonly any[]} messages */
  #formatOf(messages) {
    if (this.#format) return this.#format;
    const { format, certain } = formatOf(messages);
    if (certain) this.#format = format;
    return format;
  }

  /** After a restart the redact hook has to see its texts again; what it leaves is the same as before. @param {any[]} steps @param {readonly any[]} messages @param {any} format */
  async #redactAgain(steps, messages, format) {
    for (const step of steps) {
      for (const replace of step.set ?? []) {
        if (!replace.redacted || replace.text !== undefined || this.#bridge.redacted.get(messages[step.row])?.has(replace.part)) continue;
        const output = this.#bridge.output(step.row, replace.part);
        const name = format.parts(messages[step.row])[replace.part]?.name ?? '';
        await this.#bridge.redact(name, output);
      }
    }
  }
}

/** Position of the newest row that is stored; rows without positions are stored under their index. @param {readonly any[] | undefined} positions @param {number} rows */
function newestPosition(positions, rows) {
  if (!positions) return Math.max(0, rows - 1);
  for (let i = positions.length - 1; i >= 0; i -= 1) if (positions[i] !== null && positions[i] !== undefined) return positions[i];
  return 0;
}
