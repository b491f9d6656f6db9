// @ts-check
// The frame of a conversation between two calls: what the host passed last, and the deferred tools that join it.
//
// Decides when the core is told again: a new frame, another model, a tool whose time has come.

import { badInput } from './errors.js';
import { pushFrame } from './frame.js';
import { bindPromoted, dueNow } from './promote.js';

export class FrameInForce {
  #core;
  #window;
  #bridge;
  /** As the host passed it. */
  #frame = /** @type {any} */ (undefined);
  /** Deferred tools to bind when the turn allows it. @type {string[]} */
  #wanted = [];
  /** What a view names of it. */
  names = { system: /** @type {string | undefined} */ (undefined), tools: /** @type {string[]} */ ([]) };

  /** @param {any} core @param {import('./project.js').Window} window @param {import('./bridge.js').Bridge} bridge */
  constructor(core, window, bridge) {
    this.#core = core;
    this.#window = window;
    this.#bridge = bridge;
  }

  get given() {
    return this.#frame;
  }

  /** @param {any} frame */
  take(frame) {
    this.names = pushFrame(this.#core, this.#window, bindPromoted(frame, this.#core.promoted()), this.#frame);
    this.#bridge.agent = agentOf(frame);
    this.#frame = frame;
  }

  /** Tells the core the same frame anew: what its pieces weigh, or which tools are bound, has changed. */
  again() {
    if (this.#frame === undefined) return;
    const frame = this.#frame;
    this.#frame = undefined;
    this.take(frame);
  }

  /** @param {readonly string[]} names */
  want(names) {
    this.#wanted = [...new Set([...this.#wanted, ...names])];
  }

  /** Binds the deferred tools whose time has come. @param {readonly any[]} messages @param {any} format */
  promote(messages, format) {
    const due = dueNow(this.#wanted, messages, format);
    if (due.length === 0) return;
    this.#wanted = this.#wanted.filter((name) => !due.includes(name));
    this.#core.promote(due);
    this.again();
  }
}

/** @param {any} frame */
function agentOf({ agent }) {
  if (agent !== undefined && agent !== null && (typeof agent !== 'string' || agent === '')) throw badInput('`frame.agent` must be a non-empty string');
  return agent ?? undefined;
}
