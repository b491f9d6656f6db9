// @ts-check
// The calls of one conversation, in line: one at a time, first come first served.
//
// Decides who runs when, what waits for the running call to end, and when nothing may run any more. Knows
// nothing of what a call does.

import { CascadeError, isTrap } from './errors.js';

export class CallLine {
  /** @type {Promise<unknown>} */
  #queue = Promise.resolve();
  /** @type {'open' | 'closed' | 'dead'} */
  #life = 'open';
  #busy = false;
  /** Calls that have not ended. */
  #waiting = 0;
  /** What came while a call was running. @type {(() => void)[]} */
  #later = [];

  get open() {
    return this.#life === 'open';
  }

  /** Whether no call is running or waits to. */
  get idle() {
    return this.#waiting === 0;
  }

  check() {
    if (this.#life === 'closed') throw new CascadeError('closed', 'the session was closed');
    if (this.#life === 'dead') throw new CascadeError('internal_error', 'the session failed inside; reopen it from its state');
  }

  /** A call that waits its turn. @template T @param {() => Promise<T>} job @returns {Promise<T>} */
  run(job) {
    try {
      this.check();
    } catch (error) {
      return Promise.reject(error);
    }
    this.#waiting += 1;
    const run = this.#queue.then(async () => {
      this.check();
      this.#busy = true;
      try {
        return await job();
      } catch (error) {
        throw this.judge(error);
      } finally {
        this.#busy = false;
        for (const apply of this.#later.splice(0)) this.#attempt(apply);
      }
    });
    // Without the value: what was handed out is the caller's alone.
    const ended = () => {
      this.#waiting -= 1;
    };
    this.#queue = run.then(ended, ended);
    return run;
  }

  /** A call that answers at once, whatever else is running. @template T @param {() => T} look @returns {T} */
  look(look) {
    this.check();
    try {
      return look();
    } catch (error) {
      throw this.judge(error);
    }
  }

  /** Now, or when the running call has ended: it keeps what it started with. @param {() => void} apply */
  between(apply) {
    if (this.#busy) this.#later.push(apply);
    else apply();
  }

  /** Nothing runs any more; `free` comes when what waits has been refused. @param {() => void} free */
  close(free) {
    if (this.#life !== 'open') return;
    this.#life = 'closed';
    void this.#queue.finally(free);
  }

  /** A trap leaves the instance in an unknown state; nothing of it may be used again. @param {unknown} error */
  judge(error) {
    if (!isTrap(error)) return error;
    this.#life = 'dead';
    return new CascadeError('internal_error', 'the session failed inside; reopen it from its state');
  }

  /** What was checked when it came in. @param {() => void} apply */
  #attempt(apply) {
    if (this.#life === 'dead') return;
    try {
      apply();
    } catch (error) {
      this.judge(error);
    }
  }
}
