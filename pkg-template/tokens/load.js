// @ts-check
// How a vocabulary is loaded: in one go, or in slices of a few milliseconds. Refuses to fetch anything: the caller brings
// its bytes, for example from `gentle-cascade/vocab/o200k`.
import * as core from './counter_bg.js';
import { badInput } from '../errors.js';

/** Tokens built per step at first, while the engine still runs its quick first translation, and later. */
const FIRST_STEP = 512;
const STEP = 2048;
/** How long one slice of loading may block, in milliseconds. */
const SLICE_MS = 3;

/** The first that was loaded. @type {string | undefined} */
let usual;

/** The encoding that counts where nobody names one. */
export const usualEncoding = () => usual;

/** @type {typeof import('../tokens.js').hasVocabulary} */
export function hasVocabulary(name) {
  return core.hasVocabulary(String(name));
}

/** @type {typeof import('../tokens.js').loadVocabularySync} */
export function loadVocabularySync(name, bytes) {
  const loader = open(name, bytes);
  if (!loader) return;
  for (let n = FIRST_STEP; !loader.step(n); ) n = STEP;
  close(loader, name);
}

/** Loads that are under way, by encoding: a second caller waits for the first. @type {Map<string, Promise<void>>} */
const underWay = new Map();

/** @type {typeof import('../tokens.js').loadVocabulary} */
export async function loadVocabulary(name, bytes) {
  const file = core.encodingName(String(name)).split('_')[0];
  const started = underWay.get(file) ?? load(name, bytes).finally(() => underWay.delete(file));
  underWay.set(file, started);
  await started;
}

/** @type {typeof import('../tokens.js').loadVocabulary} */
async function load(name, bytes) {
  const loader = open(name, await bytes);
  if (!loader) return;
  let since = performance.now();
  for (let n = FIRST_STEP; !loader.step(n); n = STEP) {
    if (performance.now() - since < SLICE_MS) continue;
    await pause();
    since = performance.now();
  }
  close(loader, name);
}

/** @param {any} name @param {any} bytes */
function open(name, bytes) {
  const full = core.encodingName(String(name));
  if (core.hasVocabulary(full)) return undefined;
  const array = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes;
  if (!ArrayBuffer.isView(array)) throw badInput('`bytes` must be the Uint8Array or ArrayBuffer of a vocabulary file');
  return new core.VocabularyLoader(full, new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
}

/** @param {any} loader @param {any} name */
function close(loader, name) {
  loader.finish();
  loader.free();
  usual ??= core.encodingName(String(name));
}

/** Lets the event loop run once. @returns {Promise<void>} */
function pause() {
  if (typeof setImmediate === 'function') return new Promise((resolve) => void setImmediate(resolve));
  if (typeof MessageChannel !== 'function') return new Promise((resolve) => void setTimeout(resolve, 0));
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });
}
