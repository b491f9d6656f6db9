// @ts-check
// What is remembered of the list of the call before, for as long as the host itself holds its end: then a
// list that goes on from it is told by comparing objects, and only what was appended is looked at.
//
// Nothing of the host is kept alive: the record hangs on the newest messages of its list. Once the host lets
// go of them it is gone, and the whole list is walked once.

/** So many of the newest messages hold the record: the last ones are the likeliest to be replaced. */
const HOLDERS = 4;

/** @template R */
export class EarlierList {
  /** @type {WeakMap<object, R>} */
  #held = new WeakMap();
  #length = 0;

  /** The record of the list that this one may go on from. @param {readonly any[]} messages @returns {R | undefined} */
  find(messages) {
    const end = Math.min(this.#length, messages.length);
    for (let i = end - 1; i >= 0 && i >= end - HOLDERS; i -= 1) {
      const record = isObject(messages[i]) ? this.#held.get(messages[i]) : undefined;
      if (record) return record;
    }
    return undefined;
  }

  /** @param {readonly any[]} messages @param {R} record */
  remember(messages, record) {
    this.#held = new WeakMap();
    this.#length = messages.length;
    for (let i = Math.max(0, messages.length - HOLDERS); i < messages.length; i += 1) this.#held.set(messages[i], record);
  }

  forget() {
    this.#held = new WeakMap();
    this.#length = 0;
  }
}

/** How many messages at the beginning are the same objects. @param {readonly any[]} before @param {readonly any[]} now */
export function commonRows(before, now) {
  const end = Math.min(before.length, now.length);
  let i = 0;
  while (i < end && before[i] === now[i]) i += 1;
  return i;
}

const isObject = (/** @type {unknown} */ value) => typeof value === 'object' && value !== null;
