// @ts-check
// `gentle-cascade count FILE|-`: exact tokens of a file or of standard input, of any size, in memory that does not grow
// with it. Decides which vocabulary counts; gzip is unpacked on the way. Refuses to know sessions: it counts bytes of text.

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { grouped } from '../panel/format.js';
import { counter, encodingFor, loadVocabulary } from '../tokens.js';
import { InputError } from './args.js';

const DEFAULT_ENCODING = 'o200k_base';
/** Read at a time. */
const CHUNK = 256 << 10;

/** @type {Record<string, () => Promise<{ bytes: () => Promise<Uint8Array> }>>} */
const VOCABULARIES = {
  o200k: () => import('../vocab/o200k.js'),
  cl100k: () => import('../vocab/cl100k.js'),
  p50k: () => import('../vocab/p50k.js'),
  r50k: () => import('../vocab/r50k.js'),
};

/**
 * @param {{ file: string, json: boolean, model?: string }} args
 * @param {import('./terminal.js').Terminal} term
 * @param {{ stdin?: any, signal?: AbortSignal }} io
 * @returns {Promise<number>} the exit code
 * @throws {InputError} for a file that cannot be read
 */
export async function run(args, term, io) {
  const known = args.model === undefined ? undefined : encodingFor(args.model);
  const encoding = known ?? DEFAULT_ENCODING;
  const report = { file: args.file, encoding, exact: args.model === undefined || known !== undefined, ...(await countStream(args.file, encoding, term, io)) };
  if (args.json) term.out(JSON.stringify(report));
  else {
    const note = report.exact ? encoding : `${encoding}; ${args.model} has a vocabulary of its own, this is an estimate`;
    term.out(`${report.exact ? '' : '~'}${grouped(report.tokens)} tokens, ${grouped(report.bytes)} bytes (${note})`);
  }
  return 0;
}

export { run as runCount };

/** @param {string} file @param {import('../tokens.js').EncodingName} encoding @param {import('./terminal.js').Terminal} term @param {{ stdin?: any, signal?: AbortSignal }} io */
async function countStream(file, encoding, term, { stdin, signal }) {
  const source = file === '-' ? { stream: stdin, size: 0 } : await open(file, signal);
  await loadVocabulary(encoding, (await VOCABULARIES[encoding.replace(/_(base|harmony)$/, '')]()).bytes());
  const tokens = counter({ encoding });
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const progress = /** @type {any} */ (term).progress('count', 'MB');
  const megabytes = (/** @type {number} */ n) => Math.ceil(n / 1e6);
  let bytes = 0;
  try {
    for await (const chunk of unpacked(source.stream, (/** @type {number} */ read) => progress.at(megabytes(read), megabytes(source.size)))) {
      signal?.throwIfAborted();
      bytes += chunk.length;
      tokens.add(decoder.decode(chunk, { stream: true }));
    }
    tokens.add(decoder.decode());
    return { tokens: tokens.tokens, bytes };
  } catch (error) {
    throw unreadable(file, error);
  } finally {
    progress.end();
    tokens.free();
  }
}

/** @param {string} file @param {AbortSignal} [signal] */
async function open(file, signal) {
  try {
    const { size } = await stat(file);
    const stream = createReadStream(file, { highWaterMark: CHUNK, signal });
    return { stream, size };
  } catch (error) {
    throw unreadable(file, error);
  }
}

/**
 * The chunks of a stream, unpacked when it begins like a gzip file.
 * @param {AsyncIterable<Uint8Array>} stream @param {(read: number) => void} onRead bytes read so far
 */
async function* unpacked(stream, onRead) {
  let read = 0;
  /** @type {import('node:zlib').Gunzip | undefined} */
  let gunzip;
  async function* rest(/** @type {AsyncIterator<Uint8Array>} */ from, /** @type {Uint8Array} */ first) {
    for (let chunk = first; ; ) {
      read += chunk.length;
      onRead(read);
      yield chunk;
      const next = await from.next();
      if (next.done) return;
      chunk = next.value;
    }
  }
  const iterator = stream[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done) return;
  const all = rest(iterator, first.value);
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
    yield* all;
    return;
  }
  const { pipeline, Readable } = await import('node:stream');
  gunzip = createGunzip();
  pipeline(Readable.from(all), gunzip, () => {});
  yield* gunzip;
}

/** @param {string} file @param {any} error */
function unreadable(file, error) {
  if (error?.name === 'AbortError' || error instanceof InputError) return error;
  const why = /** @type {Record<string, string>} */ ({ ENOENT: 'no such file', EISDIR: 'is a directory, expected a file', EACCES: 'may not be read', Z_DATA_ERROR: 'is damaged gzip', Z_BUF_ERROR: 'is cut-off gzip' })[error?.code];
  return why ? new InputError(`${file}: ${why}`) : error;
}
