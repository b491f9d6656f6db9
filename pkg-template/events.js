// @ts-check
// The events of a conversation: their names, which of them belong into the host's history, how they are
// numbered, and how they go out as data parts of the AI SDK or as server-sent events.
//
// An event is plain JSON: it survives `structuredClone`, `postMessage` and a store. It never holds text of
// the conversation, but for the facts of a suggestion. Usable without the wasm.

/** Every event with what a host needs to know before it writes one: whether it belongs into the history. */
export const EVENTS = Object.freeze({
  'context.usage': Object.freeze({ persist: false }),
  'context.evicted': Object.freeze({ persist: false }),
  'context.handoff_suggested': Object.freeze({ persist: false }),
  'context.folding': Object.freeze({ persist: false }),
  'context.folded': Object.freeze({ persist: false }),
  'context.declined': Object.freeze({ persist: false }),
  'memory.suggestion': Object.freeze({ persist: true }),
});

/** Version of the payloads. A field is never renamed within one; new fields may appear. */
const VERSION = 1;

/** Numbers the events of one conversation, in the order of the calls. @param {() => number} [now] milliseconds of any clock @returns {(event: any) => any} */
export function stamper(now = () => performance.now()) {
  let seq = 0;
  /** @type {number | undefined} */
  let folding;
  return (event) => {
    seq += 1;
    const more = {};
    if (event.type === 'context.folding') folding = now();
    // The core has no clock; how long a fold took is measured between what it says.
    if (folding !== undefined && (event.type === 'context.folded' || event.type === 'context.declined')) {
      Object.assign(more, { ms: Math.max(0, Math.round(now() - folding)) });
      folding = undefined;
    }
    return { ...event, ...more, v: VERSION, seq, persist: EVENTS[/** @type {keyof typeof EVENTS} */ (event.type)]?.persist ?? false };
  };
}

const PREFIX = 'data-';
const partName = (/** @type {string} */ type) => PREFIX + type.replace(/[._]/g, '-');
const TYPES = new Set(Object.keys(EVENTS));

/**
 * An event as a data part of an AI SDK message stream: `writer.write(toDataPart(event))`. What is not to be
 * kept is `transient`: the client's `onData` sees it, its messages do not.
 * @param {any} event
 * @returns {{ type: `data-${string}`, id: string, data: any, transient?: true }}
 */
export function toDataPart(event) {
  const id = event.type === 'memory.suggestion' ? `${event.type}:${event.id}` : event.type;
  return { type: /** @type {`data-${string}`} */ (partName(event.type)), id, data: event, ...(event.persist ? {} : { transient: true }) };
}

/**
 * An event as one server-sent event; a client listens with `source.addEventListener('context.usage', …)`.
 * @param {any} event
 * @returns {string} ends with the empty line that ends the event
 */
export function toSse(event) {
  return `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/**
 * The event in what a client received: a data part, a message of an event source, JSON text, or the event
 * itself. Null for anything else, so that a client may pass on whatever comes.
 * @param {any} received
 * @returns {any}
 */
export function eventFrom(received) {
  let value = received;
  if (typeof value?.data === 'string') value = value.data;
  if (typeof value === 'string') {
    try {
      value = JSON.parse(value);
    } catch {
      return null;
    }
  }
  if (typeof value?.type === 'string' && value.type.startsWith(PREFIX)) value = value.data;
  return TYPES.has(value?.type) && Number.isSafeInteger(value.seq) ? value : null;
}
