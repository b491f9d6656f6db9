// @ts-check
// Calls the host: bounded by a deadline and a signal, always settling, the host as `this`.
//
// Decides how long we wait and what a cancelled call rejects with (the signal's own reason). Refuses to
// interpret the answer. Timers exist only while a call runs, so an edge runtime sees none outside a
// request.

import { CascadeError, badInput, fromHost } from './errors.js';

/** Milliseconds a store call may take. */
export const STORE_MS = 30_000;

/**
 * @param {any} host
 * @param {any} owner the object the method is on: the host, or its `raw`
 * @param {string} name
 * @param {any[]} args
 * @param {{ transcript: string, signal?: AbortSignal, ms?: number }} context
 */
export async function callHost(host, owner, name, args, { transcript, signal, ms = STORE_MS }) {
  signal?.throwIfAborted();
  const method = owner[name];
  if (typeof method !== 'function') throw new CascadeError('bad_input', `\`host.${owner === host ? '' : 'raw.'}${name}\` must be a function`);
  const deadline = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {(() => void) | undefined} */
  let stop;
  try {
    const bounded = new Promise((_, reject) => {
      timer = setTimeout(() => {
        const error = new CascadeError('timeout', `\`host.${name}\` did not answer within ${ms} ms`);
        deadline.abort(error);
        reject(error);
      }, ms);
      if (signal) {
        stop = () => {
          deadline.abort(signal.reason);
          reject(signal.reason);
        };
        signal.addEventListener('abort', stop, { once: true });
      }
    });
    // Nobody waits for it when the method throws at once.
    bounded.catch(() => {});
    return await Promise.race([method.call(owner, ...args, { transcript, signal: deadline.signal }), bounded]);
  } catch (error) {
    if (error !== null && typeof error === 'object') fromHost.add(error);
    throw error;
  } finally {
    clearTimeout(timer);
    if (stop) signal?.removeEventListener('abort', stop);
  }
}

/** A signal, or nothing. @param {unknown} signal @returns {AbortSignal | undefined} */
export function checkSignal(signal) {
  if (signal === undefined || signal === null) return undefined;
  if (typeof (/** @type {any} */ (signal).throwIfAborted) !== 'function') throw badInput('`signal` must be an AbortSignal');
  return /** @type {AbortSignal} */ (signal);
}

/** Checks a host once, when it is handed in. @param {any} host */
export function checkHost(host) {
  if (host === undefined || host === null) return {};
  if (typeof host !== 'object' && typeof host !== 'function') throw new CascadeError('bad_input', '`host` must be an object with methods');
  for (const name of ['load', 'commit', 'rows', 'redact', 'pending', 'authority', 'summarize', 'embed', 'search', 'extract', 'addFact', 'onEvent', 'measure']) {
    const value = host[name];
    if (value !== undefined && value !== null && typeof value !== 'function') throw new CascadeError('bad_input', `\`host.${name}\` must be a function`);
  }
  if (host.raw !== undefined && host.raw !== null) {
    for (const name of ['put', 'get', 'has']) if (typeof host.raw[name] !== 'function') throw new CascadeError('bad_input', `\`host.raw.${name}\` must be a function`);
  }
  return host;
}
