// @ts-check
// Bytes to text. Decides compression by magic number and inflates gzip with the platform's DecompressionStream, so the
// same code runs in browsers and Node. Refuses to know what the text means.

import { badInput } from './bad-input.js';

/** A log larger than this cannot become one JavaScript string on every runtime. */
const MAX_BYTES = 512 * 1024 * 1024 - 64;

/**
 * @param {Uint8Array | ArrayBuffer | string} input
 * @returns {Promise<string>} the text, without a byte order mark
 * @throws {Error} CascadeError `bad_input` for anything that is not text or gzip of text
 */
export async function textOf(input) {
  if (typeof input === 'string') return input.charCodeAt(0) === 0xfeff ? input.slice(1) : input;
  let bytes = viewOf(input);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = await inflate(bytes);
  if (bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd) {
    throw badInput('This file is compressed with zstd, which browsers and Node 20 cannot inflate. Decompress it first (zstd -d FILE) and pass the .jsonl.');
  }
  if (bytes.length > MAX_BYTES) throw badInput(`This file holds ${bytes.length} bytes; at most ${MAX_BYTES} can be read as one text.`);
  if (bytes.subarray(0, 4096).includes(0)) {
    throw badInput('This file holds NUL bytes near its start, so it is not a text log. Expected UTF-8 JSON or JSONL, or gzip of it.');
  }
  return new TextDecoder('utf-8').decode(bytes);
}

/** @param {unknown} input @returns {Uint8Array} */
function viewOf(input) {
  if (input instanceof Uint8Array) return input;
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  if (Object.prototype.toString.call(input) === '[object ArrayBuffer]') return new Uint8Array(/** @type {ArrayBuffer} */ (input));
  throw badInput(`bytes is ${input === null ? 'null' : typeof input}; expected a Uint8Array, an ArrayBuffer or a string.`);
}

/** @param {Uint8Array} bytes */
async function inflate(bytes) {
  const stream = new Blob([/** @type {BlobPart} */ (bytes)]).stream().pipeThrough(new DecompressionStream('gzip'));
  try {
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw badInput('This file starts like gzip but does not inflate: it is cut off or damaged. Expected a complete gzip stream.');
  }
}
