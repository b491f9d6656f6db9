// @ts-check
// Events on their way out: numbered once, told to the host, and handed out by the call during which they happened.
//
// Decides that each is told once, in order, and that a listener's own mistake stops nothing.

import { stamper } from './events.js';

export class Delivery {
  #host;
  #stamp = stamper();
  /** Who hands out what happens now: the running call, a background fold. @type {Set<any[]>} */
  #sinks = new Set();
  #warned = false;

  /** @param {any} host */
  constructor(host) {
    this.#host = host;
  }

  /** Collects what happens while something runs. @template T @param {any[]} live @param {() => Promise<T>} job @returns {Promise<T>} */
  async during(live, job) {
    this.#sinks.add(live);
    try {
      return await job();
    } finally {
      this.#sinks.delete(live);
    }
  }

  /** What just happened, for all that run now. @param {any} event */
  happened(event) {
    const told = this.tell([event]);
    for (const sink of this.#sinks) sink.push(...told);
  }

  /** Events the host hears at once. @param {any[]} events */
  tell(events) {
    const numbered = this.number(events);
    this.deliver(numbered);
    return numbered;
  }

  /** @param {any[]} events */
  number(events) {
    return events.map(this.#stamp);
  }

  /** @param {any[]} events */
  deliver(events) {
    const host = this.#host;
    if (typeof host.onEvent !== 'function') return;
    for (const event of events) {
      try {
        const answer = host.onEvent(event);
        if (typeof answer?.then === 'function') answer.then(undefined, (/** @type {unknown} */ error) => this.#warn(error));
      } catch (error) {
        this.#warn(error);
      }
    }
  }

  /** Reported once. @param {unknown} error */
  #warn(error) {
    if (this.#warned) return;
    this.#warned = true;
    console.warn('gentle-cascade: `host.onEvent` threw', error);
  }
}
