// Messages in a few words, and conversations that hold an exact number of tokens: one token is four characters.
import { open } from '../../pkg/inline.js';
import { memoryStore } from '../../pkg/stores/memory.js';

export const user = (text) => ({ role: 'user', content: text });
export const say = (text) => ({ role: 'assistant', content: [{ type: 'text', text }] });
export const call = (...ids) => ({ role: 'assistant', content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'read', input: {} })) });
export const answer = (id, value, type = 'text') => ({ type: 'tool-result', toolCallId: id, toolName: 'read', output: { type, value } });
export const result = (...parts) => ({ role: 'tool', content: parts });

/** So many characters, different for every n. */
export const text = (n, chars) => `${n} `.padEnd(chars, 'x');

/** A user row and n closed rounds with a result of `chars` characters each; ids c1, c2 … */
export function rounds(n, chars = 4_000) {
  const list = [user('go')];
  for (let i = 1; i <= n; i += 1) list.push(call(`c${i}`), result(answer(`c${i}`, text(i, chars))));
  return list;
}

export const W40 = { id: 'm', window: 40_000, maxOutput: 4_000 };
export const W10 = { id: 'm', window: 10_000, maxOutput: 1_000 };
export const chars4 = { estimate: { counter: 'chars4' } };

/** A host in memory that writes down what it was asked. */
export function countingHost(extra = {}) {
  const store = memoryStore();
  /** @type {string[]} */
  const log = [];
  const noted = (name, method) => (...args) => {
    log.push(typeof args[0] === 'string' ? `${name} ${args[0]}` : name);
    return method(...args);
  };
  const host = {
    load: noted('load', store.load),
    commit: noted('commit', store.commit),
    raw: { ...store.raw, put: noted('put', store.raw.put), has: noted('has', store.raw.has), get: store.raw.get },
    ...extra,
  };
  return { host, log, count: (name) => log.filter((line) => line.split(' ')[0] === name).length };
}

export const start = (options = {}) => open({ transcript: 't', model: W40, ...options, config: { ...chars4, ...options.config } });

/** Brings a conversation to exactly `tokens`: all but the last round was counted, the last round is appended. */
export async function fill(cascade, messages, tokens) {
  const before = messages.slice(0, -2);
  await cascade.next({ messages: before });
  const last = Math.ceil(messages.at(-1).content[0].output.value.length / 4) + 1;
  await cascade.settle({ usage: { inputTokens: tokens - last } });
  return cascade.next({ messages });
}

export const outputOf = (message, part = 0) => message.content[part].output.value;
export const tokensOf = (value) => Math.ceil(value.length / 4);
export const untouched = (view, messages) => messages.flatMap((m, i) => (view[i] === m ? [i] : []));
export const states = (cascade) => {
  const sums = {};
  for (const { state } of cascade.inspect().ledger) sums[state] = (sums[state] ?? 0) + 1;
  return sums;
};

export function deepFreeze(value) {
  if (value !== null && typeof value === 'object' && !ArrayBuffer.isView(value) && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
