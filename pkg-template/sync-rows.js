// @ts-check
// Brings the core's rows up to the host's list, touching only what changed.
//
// "Unchanged" means the same object and the same fingerprint of types and lengths, because hosts mutate
// messages in place. Which objects are the same is asked of every row in every call; the fingerprint of the
// newest rows and, in turn, of a stretch of the older ones, so that a step costs the same however long the
// session is. No host object is kept: identity is a number in a WeakMap. A fresh copy with the same content
// is recognised by the core and changes nothing.

import { EarlierList, commonRows } from './earlier-list.js';
import { badInput } from './errors.js';
import { fingerprint, identity } from './fingerprint.js';
import { FORMAT_NAMES } from './formats/index.js';
import { FLAG } from './formats/parts.js';
import { inputFlag } from './inputs.js';
import { mediaLoad } from './media-left-out.js';
import { NOTICE, originOf } from './origins.js';

/** Roles that some format has. */
const ROLES = new Set(['system', 'developer', 'user', 'human', 'assistant', 'ai', 'model', 'tool', 'function']);
/** A format's code for the role of a system message. */
const SYSTEM = 0;
/** Newest rows whose fingerprint is taken in every call: these are what hosts write to. */
const NEWEST = 64;
/** Older rows whose fingerprint is taken in a call, in turn; with the newest ones, all of most sessions. */
const STRETCH = 448;

export class RowSync {
  #core;
  #window;
  /** @type {{ id: number, print: number, position: number, owner: number, system: boolean }[]} */
  #rows = [];
  /** The last list. @type {EarlierList<{ messages: any[], positions: any[] | undefined }>} */
  #earlier = new EarlierList();
  /** Where the next stretch begins. */
  #turn = 0;
  #stable = 0;

  /** @param {any} core @param {import('./project.js').Window} window */
  constructor(core, window) {
    this.#core = core;
    this.#window = window;
  }

  /** What media weigh; set before a push. @type {import('./formats/parts.js').Price | undefined} */
  price;
  /** Positions of the messages that became several rows, by row. @type {readonly (number | null)[] | undefined} */
  owners;

  /** Forgets what was pushed, so that everything is measured anew. */
  reset() {
    this.#core.rewind(0);
    this.#forget();
  }

  /**
   * @param {readonly any[]} messages
   * @param {readonly (number | null | undefined)[] | undefined} positions
   * @param {import('./formats/parts.js').Format} format
   * @param {{ known?: number, whole?: boolean }} [look] `known`: as `known` said of this list; `whole`: takes the fingerprint of every row
   */
  push(messages, positions, format, { known = this.known(messages), whole = false } = {}) {
    // Lists of plain texts read alike in several formats; until one is certain, the core's own demands hold.
    if (FORMAT_NAMES.includes(/** @type {any} */ (format.name))) this.#core.setFormat(format.name);
    if (positions && positions.length !== messages.length) throw badInput(`\`positions\` has ${positions.length} entries for ${messages.length} messages`);
    this.#dropCovered(messages, positions, format);
    const earlier = this.#earlier.find(messages);
    let stable = earlier ? this.#unchanged(messages, positions, earlier.positions, known, whole) : 0;
    // A list that is refused half way is no list to go on from.
    this.#earlier.forget();
    const before = stable;
    try {
      for (let i = before; i < messages.length; i += 1) if (this.#take(messages[i], i, positions, format) && stable === i) stable = i + 1;
    } finally {
      this.#stable = Math.min(this.#stable, stable);
    }
    if (this.#core.rows() > messages.length) this.#core.rewind(messages.length);
    this.#rows.length = messages.length;
    this.#earlier.remember(messages, { messages: goOn(earlier?.messages, before, messages), positions: positions && goOn(earlier?.positions, before, positions) });
  }

  /** Brings one row up to date. Returns whether it was. @param {any} message @param {number} i @param {readonly any[] | undefined} positions @param {any} format */
  #take(message, i, positions, format) {
    if (message === null || typeof message !== 'object') throw badInput(`\`messages[${i}]\` must be a message object`);
    const position = positions ? positionOf(positions[i], i) : i;
    const id = identity(message);
    const print = readable(i, () => fingerprint(message));
    const known = this.#rows[i];
    if (known && i < this.#core.rows() && known.id === id && known.print === print && known.position === position) return true;
    this.#project(message, i, position, format);
    this.#rows[i] = { id, print, position, owner: this.owners?.[i] ?? position, system: format.role(message) === SYSTEM };
    return false;
  }

  /** Measures everything again at the next push, because prices changed; what weighs the same stays. */
  reprice() {
    this.#forget();
  }

  #forget() {
    this.#rows = [];
    this.#earlier.forget();
    this.#stable = 0;
  }

  /** Rows at the beginning that nothing happened to since this was asked last. */
  takeStable() {
    const stable = this.#stable;
    this.#stable = Infinity;
    return stable;
  }

  /**
   * The list as it is now, to be read later. One that only grew is not copied: what was appended is put behind
   * what is remembered, unless other calls come first.
   * @param {readonly any[]} messages @param {boolean} next whether no other call comes first @returns {() => readonly any[]}
   */
  snapshot(messages, next) {
    const earlier = next ? this.#earlier.find(messages) : undefined;
    const known = earlier ? commonRows(earlier.messages, messages) : 0;
    if (!earlier || known < earlier.messages.length) {
      const copy = messages.slice();
      return () => copy;
    }
    const appended = messages.slice(known);
    return () => {
      for (const message of appended) earlier.messages.push(message);
      return earlier.messages;
    };
  }

  /** How many messages at the beginning are those of the list before, the same objects. @param {readonly any[]} messages */
  known(messages) {
    const earlier = this.#earlier.find(messages);
    if (!earlier) return 0;
    return Math.min(earlier.messages === messages ? messages.length : commonRows(earlier.messages, messages), this.#rows.length);
  }

  /**
   * How many of them stand under the same positions and look the same, where they are looked at.
   * @param {readonly any[]} messages @param {readonly any[] | undefined} positions @param {readonly any[] | undefined} before their positions @param {number} known @param {boolean} whole
   */
  #unchanged(messages, positions, before, known, whole) {
    if (Boolean(before) !== Boolean(positions)) return 0;
    let same = Math.min(known, this.#rows.length, this.#core.rows());
    if (positions && before) same = Math.min(same, commonRows(before, positions));
    const newest = Math.max(0, same - NEWEST);
    if (whole || newest <= STRETCH) return this.#firstChanged(messages, 0, same);
    const start = this.#turn < newest ? this.#turn : 0;
    const end = Math.min(start + STRETCH, newest);
    this.#turn = end;
    const changed = this.#firstChanged(messages, start, end);
    return changed < end ? changed : this.#firstChanged(messages, newest, same);
  }

  /** @param {readonly any[]} messages @param {number} from @param {number} to */
  #firstChanged(messages, from, to) {
    for (let i = from; i < to; i += 1) if (readable(i, () => fingerprint(messages[i])) !== this.#rows[i].print) return i;
    return to;
  }

  /**
   * After a fold a host may pass the kept rows alone: then the covered ones go from the front, and nothing is
   * measured anew. A system row in front stays where it is.
   * @param {readonly any[]} messages @param {readonly any[] | undefined} positions @param {any} format
   */
  #dropCovered(messages, positions, format) {
    const rows = this.#rows;
    const lead = rows.findIndex((row) => !row.system);
    if (lead < 0 || this.#core.rows() !== rows.length) return;
    const first = messages.findIndex((message, i) => i >= lead && message !== null && typeof message === 'object' && readable(i, () => format.role(message)) !== SYSTEM);
    if (!positions) {
      const known = first < 0 ? -1 : rows.findIndex((row) => row.id === identity(messages[first]));
      if (known > first && first === lead) throw badInput(`\`messages\` lost its first ${known - first} rows; pass \`positions\` beside a list that does not begin at the beginning`);
      return;
    }
    const owner = first === lead ? this.owners?.[first] ?? positions[first] : undefined;
    if (!Number.isSafeInteger(owner) || rows[lead].owner === owner) return;
    let to = rows.findIndex((row) => row.owner === owner);
    if (to < 0 && rows.every((row) => row.owner < Number(owner))) to = rows.length;
    if (to > lead && this.#core.dropCovered(lead, to - lead)) {
      rows.splice(lead, to - lead);
      this.#earlier.forget();
      this.#stable = 0;
    }
  }

  /** @param {any} message @param {number} at @param {number} position @param {import('./formats/parts.js').Format} format */
  #project(message, at, position, format) {
    const role = readable(at, () => format.role(message));
    if (role === undefined) throw badInput(`\`messages[${at}]${ROLES.has(message.role ?? 'user') ? '\` is not a message' : '.role\` is not a role'} of the format ${format.name}`);
    // Everything is read before anything is pushed: a getter of the message must not run in between.
    const parts = readable(at, () => format.parts(message, this.price));
    const notice = readable(at, () => originOf(message)) === NOTICE ? FLAG.notice : 0;
    this.#core.row(role, position, this.owners?.[at] ?? -1);
    for (const part of parts) {
      this.#window.write(part.text);
      if (part.caller) this.#core.caller(part.caller);
      if (part.held) {
        const { count, chars, longest } = mediaLoad(part.held);
        this.#core.media(count, chars, longest);
      }
      this.#core.part(part.kind, (part.flags ?? 0) | notice | inputFlag(format, part), part.id ?? '', part.name ?? '', part.target ?? '', part.media ?? 0);
    }
    this.#core.endRow(at);
  }

  /** What `push` saw of a row; differs when the row was changed in place. @param {number} at */
  printOf(at) {
    return this.#rows[at]?.print;
  }
}

/** The list that was kept, from `from` on with what is there now: a long list is not copied for a few new rows. @param {any[] | undefined} kept @param {number} from @param {readonly any[]} now */
function goOn(kept, from, now) {
  if (!kept) return now.slice();
  if (kept === now) return kept;
  kept.length = from;
  for (let i = from; i < now.length; i += 1) kept.push(now[i]);
  return kept;
}

/** @template T @param {number} at @param {() => T} read @returns {T} */
function readable(at, read) {
  try {
    return read();
  } catch {
    throw badInput(`\`messages[${at}]\` cannot be read: it is a revoked proxy, or a getter of it throws`);
  }
}

/** @param {unknown} position @param {number} at */
function positionOf(position, at) {
  if (position === null || position === undefined) return -1;
  if (typeof position === 'string' || typeof position === 'bigint') throw badInput(`\`positions[${at}]\` is a ${typeof position}; convert it to a number (database drivers return big integers as strings, which compare by text)`);
  if (typeof position !== 'number' || !Number.isSafeInteger(position) || position < 0) throw badInput(`\`positions[${at}]\` must be a whole number of at least 0`);
  return position;
}
