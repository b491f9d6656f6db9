// Builders for conversations whose sizes are known by hand: the chars4 counter weighs a text by a
// quarter of its UTF-16 length, a call's arguments by their JSON, and nothing else.

import { open } from '../../pkg/inline.js';
import { memoryStore } from '../../pkg/stores/memory.js';

export const user = (text) => ({ role: 'user', content: text });
export const says = (text) => ({ role: 'assistant', content: [{ type: 'text', text }] });
export const calls = (...ids) => ({ role: 'assistant', content: ids.map((id) => ({ type: 'tool-call', toolCallId: id, toolName: 'read', input: {} })) });
export const result = (id, text, type = 'text') => ({ role: 'tool', content: [{ type: 'tool-result', toolCallId: id, toolName: 'read', output: { type, value: text } }] });

/** A text of exactly `chars` code units that no other call returns. */
let serial = 0;
export const filler = (chars) => {
  serial += 1;
  return `${serial}:`.padEnd(chars, String.fromCharCode(97 + (serial % 26)));
};

/** `n` closed rounds, each one call and one result of `chars`. */
export const rounds = (n, chars, prefix = 'c') => Array.from({ length: n }, (_, i) => [calls(`${prefix}${i}`), result(`${prefix}${i}`, filler(chars))]).flat();

export const chars4 = (message) =>
  (typeof message.content === 'string' ? [message.content] : message.content.map((p) => p.text ?? (p.input ? JSON.stringify(p.input) : p.output?.value ?? '')))
    .reduce((n, text) => n + Math.ceil(text.length / 4), 0);

/** What was configured, so that `reach` can switch the stages off and on again. @type {WeakMap<object, any>} */
const opened = new WeakMap();
const off = { eviction: { enabled: false }, cascade: { enabled: false }, summarize: { enabled: false } };
const on = (part) => ({ enabled: part.enabled ?? true });

/** Opens a session with the chars4 counter over a memory store and counts the host's calls. */
export async function session({ window = 10_000, maxOutput = 1_000, config = {}, host = {}, store = memoryStore(), ...rest } = {}) {
  const counts = {};
  const counted = {};
  const all = { ...store, ...host };
  for (const [name, fn] of Object.entries(all)) {
    counted[name] =
      typeof fn !== 'function'
        ? fn
        : function (...args) {
            counts[name] = (counts[name] ?? 0) + 1;
            return fn.apply(all, args);
          };
  }
  const events = [];
  const cascade = await open({
    transcript: 't',
    format: 'ai-sdk',
    model: { id: 'm', window, maxOutput },
    host: { onEvent: (e) => events.push(e), ...counted },
    config: { orders: { enabled: false }, ...config, estimate: { counter: 'chars4', ...config.estimate }, summarize: { keepRecent: 0, keepRounds: 0, ...config.summarize } },
    ...rest,
  });
  opened.set(cascade, { model: { id: 'm', window, maxOutput }, config: { eviction: config.eviction ?? {}, cascade: config.cascade ?? {}, summarize: config.summarize ?? {} } });
  return { c: cascade, counts, events, store };
}

/** Sends the whole list once in a roomy window, says what it weighs, and makes the `next` that is looked at. */
export async function reach(c, messages, tokens, extra = {}) {
  const { model, config } = opened.get(c);
  c.set({ config: off, model: { ...model, window: 100_000_000 } });
  await c.next({ messages, ...extra });
  await c.settle({ usage: { inputTokens: tokens } });
  c.set({ config: { eviction: on(config.eviction), cascade: on(config.cascade), summarize: on(config.summarize) }, model });
  return c.next({ messages, ...extra });
}

export const roles = (view) => view.map((m) => m.role[0]).join('');
export const texts = (view) => view.flatMap((m) => (typeof m.content === 'string' ? [m.content] : m.content.map((p) => p.text ?? p.output?.value ?? '')));
export const outcome = (n, stage) => n.outcomes.find((o) => o.stage === stage);
