// @ts-check
// What the core asks of the outside, answered from the host and from the list of the running call.
//
// Decides how a host answer becomes the core's (a stored blob, a conflict, a redacted text). Holds the
// messages of the running call only; nothing of the host is kept between calls.

import { planRawCap } from './core_bg.js';
import { CascadeError } from './errors.js';
import { callHost } from './host.js';
import { Spans } from './spans.js';
import { inputOf, shortInputText } from './inputs.js';
import { leftOut, mediaOutput, shortenedWithoutMedia } from './media-left-out.js';
import { embed, rowTexts, search } from './recall.js';
import { jsonOutput, rawText, shorten, shortenText, textOutput } from './outputs.js';

/** Milliseconds a summarizer may take. */
const SUMMARIZE_MS = 120_000;

export class Bridge {
  /** @param {any} host @param {string} transcript */
  constructor(host, transcript) {
    this.host = host;
    this.transcript = transcript;
    /** @type {readonly any[]} */
    this.messages = [];
    /** @type {any} */
    this.format = undefined;
    /** @type {AbortSignal | undefined} */
    this.signal = undefined;
    /** Outputs as the redact hook left them, by message and part: the hook runs once. @type {WeakMap<object, Map<number, any>>} */
    this.redacted = new WeakMap();
    /** @type {{ message: object, part: number } | undefined} */
    this.place = undefined;
    /** Numbers an event and tells the host at once. @type {(event: any) => void} */
    this.onLive = () => {};
    /** The fold that is being made in the background. @type {Promise<unknown> | undefined} */
    this.running = undefined;
    /** Where facts go; set with the frame. @type {string | undefined} */
    this.agent = undefined;
    this.spans = new Spans();
  }

  get #context() {
    return { transcript: this.transcript, signal: this.signal };
  }

  /** @param {string} what */
  has(what) {
    if (what === 'raw') return Boolean(this.host.raw);
    return typeof this.host[what] === 'function';
  }

  /** The reason the running call was cancelled for, in a list; nothing when it was not. */
  cancelled() {
    return this.signal?.aborted ? [this.signal.reason] : undefined;
  }

  /** @param {number} row @param {number} part */
  output(row, part) {
    const message = this.messages[row];
    this.place = { message, part };
    return this.redacted.get(message)?.get(part) ?? this.format.output(message, part);
  }

  /** @param {any} output @param {number} cap @param {string | undefined} handle @param {string | undefined} loss @param {boolean} media whether images and files are left out, too */
  shorten(output, cap, handle, loss, media) {
    const gap = { ...(handle ? { handle } : {}), ...(loss ? { loss } : {}) };
    return media ? shortenedWithoutMedia(output, cap, gap, this.format) : shorten(output, cap, gap);
  }

  /** The image or file that a part is. @param {number} row @param {number} part */
  media(row, part) {
    const [one] = this.format.parts(this.messages[row])[part]?.held ?? [];
    return one && mediaOutput(one);
  }

  /** What stands in its place. @param {number} row @param {number} part @param {string | undefined} handle @param {string | undefined} loss */
  leftOut(row, part, handle, loss) {
    const [one] = this.format.parts(this.messages[row])[part]?.held ?? [];
    return one && leftOut(one, { handle, loss });
  }

  /** A part's text, shortened to `max` where one is given. @param {number} row @param {number} part @param {number | undefined} max @param {string | undefined} handle */
  excerpt(row, part, max, handle) {
    const message = this.messages[row];
    const projected = this.format.parts(message)[part];
    const text = this.redacted.get(message)?.get(part)?.text ?? projected?.text ?? '';
    return max === undefined || text.length <= max ? text : shortenText(text, max, handle ? { handle } : {});
  }

  /** @param {any} event */
  emit(event) {
    this.onLive(event);
  }

  /** @param {any} request */
  async summarize(request) {
    const answer = await callHost(this.host, this.host, 'summarize', [request], { ...this.#context, ms: SUMMARIZE_MS });
    if (typeof answer === 'string') return { text: answer };
    // Nothing, or an answer that holds no text: the judge says so.
    if (answer === null || answer === undefined || (typeof answer === 'object' && (answer.text === undefined || answer.text === null))) return { text: '' };
    if (typeof answer.text !== 'string') throw new CascadeError('bad_input', '`host.summarize` must return `{ text, finishReason? }`');
    return { text: answer.text, finishReason: typeof answer.finishReason === 'string' ? answer.finishReason : undefined };
  }

  async authority() {
    const blocks = (await callHost(this.host, this.host, 'authority', [], this.#context)) ?? {};
    const { rules, quality, lessons, memory } = blocks;
    for (const [name, value] of Object.entries({ rules, quality, lessons, memory })) {
      if (value !== undefined && value !== null && typeof value !== 'string') throw new CascadeError('bad_input', `\`${name}\` of \`host.authority\` must be a string`);
    }
    return { rules: rules ?? null, quality: quality ?? null, lessons: lessons ?? null, memory: memory ?? null };
  }

  /** Waits for the background fold, at most so long; what it comes to is seen in the state. @param {number} ms */
  async background(ms) {
    if (!this.running) return;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    try {
      await Promise.race([this.running.catch(() => {}), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param {string[]} texts */
  embed(texts) {
    return embed(this, texts);
  }

  /** @param {string} query @param {number} max */
  search(query, max) {
    return search(this, query, max);
  }

  /** @param {number} from @param {number} to */
  rows(from, to) {
    return rowTexts(this, from, to);
  }

  /** @param {string} id @param {number[]} rows @param {number[]} redacted */
  capture(id, rows, redacted) {
    this.spans.capture(id, this.messages, rows, redacted, { format: this.format, clean: this.redacted });
  }

  /** @param {string} id */
  release(id) {
    this.spans.release(id);
  }

  /** @param {string} id */
  extract(id) {
    return this.spans.extract(id, this.host, this.transcript);
  }

  scope() {
    return this.agent ?? 'global';
  }

  /** @param {string} fact @param {string} scope */
  addFact(fact, scope) {
    return callHost(this.host, this.host, 'addFact', [fact, scope], { transcript: this.transcript });
  }

  /** The arguments of a call, as a text to keep. @param {number} row @param {number} part */
  input(row, part) {
    const input = inputOf(this.messages[row], part, this.format);
    return input && jsonOutput(input);
  }

  /** @param {number} row @param {number} part @param {number} cap @param {string} marker */
  shortInput(row, part, cap, marker) {
    const input = inputOf(this.messages[row], part, this.format);
    return input && textOutput(shortInputText(input, cap, marker));
  }

  async load() {
    const found = await callHost(this.host, this.host, 'load', [], this.#context);
    if (found === null || found === undefined) return null;
    if (typeof found.version !== 'number' || found.blob === undefined) throw new CascadeError('bad_input', '`host.load` must return `{ blob, version }` or null');
    return { state: readBlob(found.blob), version: found.version };
  }

  /** @param {any} state @param {number | null} expect */
  async commit(state, expect) {
    const done = await callHost(this.host, this.host, 'commit', [{ blob: JSON.stringify(state), expect }], this.#context);
    if (done === 'conflict') return null;
    if (typeof done?.version !== 'number') throw new CascadeError('bad_input', "`host.commit` must return `{ version }` or 'conflict'");
    return done.version;
  }

  /** @param {string} tool @param {any} output */
  async redact(tool, output) {
    const place = this.place;
    const before = rawText(output);
    const after = await callHost(this.host, this.host, 'redact', [{ tool, text: before }], this.#context);
    if (typeof after !== 'string') throw new CascadeError('bad_input', '`host.redact` must return the text, changed or not');
    if (after === before) return null;
    const clean = redactedOutput(output, after);
    if (place) this.remember(place.message, place.part, clean);
    return clean;
  }

  /** @param {object} message @param {number} part @param {any} output */
  remember(message, part, output) {
    const known = this.redacted.get(message) ?? new Map();
    known.set(part, output);
    this.redacted.set(message, known);
  }

  /** @param {string} handle */
  rawHas(handle) {
    return callHost(this.host, this.host.raw, 'has', [handle], this.#context);
  }

  /**
   * Whether the store has this very output, or the one it is a shortened copy of: such a copy names its handle.
   * @param {string} handle @param {any} output
   */
  async rawIs(handle, output) {
    const text = rawText(output);
    const marker = `read_tool_output({ id: ${JSON.stringify(handle)}`;
    if (text.includes(marker) || text.includes(JSON.stringify(marker).slice(1, -1))) return true;
    return (await callHost(this.host, this.host.raw, 'get', [handle], this.#context)) === text;
  }

  /** @param {string} handle @param {any} output @param {number} capBytes */
  async rawPut(handle, output, capBytes) {
    const text = rawText(output);
    // UTF-8 needs at most three bytes per code unit, so most texts need no counting.
    const bytes = text.length * 3 <= capBytes ? 0 : utf8Length(text);
    const cut = bytes > capBytes ? /** @type {any} */ (planRawCap(text, bytes, capBytes)) : undefined;
    await callHost(this.host, this.host.raw, 'put', [handle, cut ? text.slice(0, cut.head) + cut.marker + text.slice(cut.tail) : text], this.#context);
    return Boolean(cut);
  }
}

/** The state as an object; stores keep it as text. @param {unknown} blob */
function readBlob(blob) {
  if (typeof blob !== 'string') return blob;
  try {
    return JSON.parse(blob);
  } catch {
    throw new CascadeError('bad_input', '`blob` of `host.load` is not the text that was committed');
  }
}

/** A redacted JSON output that still parses stays JSON. @param {any} output @param {string} text */
function redactedOutput(output, text) {
  if (output.form === 'json') {
    try {
      return jsonOutput(JSON.parse(text), output.error);
    } catch {
      // Redaction may break the JSON; the text is what counts.
    }
  }
  return textOutput(text, output.error);
}

/** @param {string} text */
function utf8Length(text) {
  let bytes = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      bytes += 4;
      i += 1;
    } else bytes += 3;
  }
  return bytes;
}
