// @ts-check
// Folds that are due, as the host gets them: `run` makes one here, once, however often it is called; the ticket makes
// it anywhere else.
//
// Decides where the rows come from and who learns that a fold is being made. When one is due is decided in the core.

import { foldTicket } from './run-fold.js';
import { run } from './run-job.js';

export class DueFolds {
  #core;
  #bridge;
  #line;
  #delivery;

  /** @param {any} core @param {import('./bridge.js').Bridge} bridge who waits for a fold finds it there @param {import('./call-line.js').CallLine} line @param {import('./delivery.js').Delivery} delivery */
  constructor(core, bridge, line, delivery) {
    this.#core = core;
    this.#bridge = bridge;
    this.#line = line;
    this.#delivery = delivery;
  }

  /** The one that `next` saw coming, made over the rows of its call. @param {any} ticket */
  ofCall(ticket) {
    const fold = () =>
      run(this.#core.background()).catch((error) => {
        throw this.#line.judge(error);
      });
    return this.#due(ticket, (live) => this.#delivery.during(live, fold));
  }

  /** One that is due at rest: its rows come from the host's store, since none of the host's objects are kept. @param {any} ticket */
  atRest(ticket) {
    return this.#due(ticket, async (live) => {
      this.#line.check();
      this.#core.setFolding(true);
      try {
        await foldTicket(ticket, this.#bridge.host, { onEvent: (event) => live.push(...this.#delivery.tell([event])) });
      } finally {
        if (this.#line.open) {
          this.#core.setFolding(false);
          await run(this.#core.catchUp());
        }
      }
    });
  }

  /** @param {any} ticket @param {(live: any[]) => Promise<unknown>} make collects its events in `live` */
  #due(ticket, make) {
    /** @type {Promise<any[]> | undefined} */
    let started;
    return {
      ticket,
      run: () => {
        started ??= this.#running(make);
        return started;
      },
    };
  }

  /** @param {(live: any[]) => Promise<unknown>} make */
  async #running(make) {
    /** @type {any[]} */
    const live = [];
    const done = make(live);
    this.#bridge.running = done;
    try {
      await done;
    } finally {
      if (this.#bridge.running === done) this.#bridge.running = undefined;
    }
    return live;
  }
}
