// @ts-check
// Bytes of media in whatever form a message holds them, read one by one where they stand: base64 is never
// decoded as a whole to look at a header.

const TABLE = new Int16Array(128).fill(-1);
for (const [i, c] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) TABLE[c.charCodeAt(0)] = i;
TABLE['-'.charCodeAt(0)] = 62;
TABLE['_'.charCodeAt(0)] = 63;

/**
 * @typedef {object} Bytes
 * @property {number} length
 * @property {(at: number) => number} at the byte, or -1 where there is none
 * @property {(from: number, to: number) => string} text one character per byte
 */

/**
 * @param {unknown} data bytes, base64, a `data:` URL (as text or `URL`), or a tagged `{ data }`
 * @returns {Bytes | undefined} nothing for a reference to something elsewhere
 */
export function bytesAt(data) {
  if (typeof data === 'string') return ofText(data);
  if (data instanceof ArrayBuffer || (typeof SharedArrayBuffer === 'function' && data instanceof SharedArrayBuffer)) return ofArray(new Uint8Array(data));
  if (ArrayBuffer.isView(data)) return ofArray(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  if (data instanceof URL) return data.protocol === 'data:' ? ofText(data.href) : undefined;
  return undefined;
}

/** @param {string} text */
function ofText(text) {
  let base64 = text;
  if (text.startsWith('data:')) {
    const comma = text.indexOf(',');
    if (comma < 0 || comma > 200 || !/;base64$/i.test(text.slice(0, comma))) return undefined;
    base64 = text.slice(comma + 1);
  } else if (/^[a-z][a-z0-9+.-]*:/i.test(text.slice(0, 40))) return undefined;
  // Line breaks, where there are any, come within the first line's length.
  if (/\s/.test(base64.slice(0, 200))) base64 = base64.replace(/\s+/g, '');
  return ofBase64(base64);
}

/** @param {string} base64 @returns {Bytes} */
function ofBase64(base64) {
  const six = (/** @type {number} */ i) => {
    const code = base64.charCodeAt(i);
    return code < 128 ? TABLE[code] : -1;
  };
  const length = Math.floor((base64.length * 3) / 4) - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0);
  const at = (/** @type {number} */ n) => {
    if (n < 0 || n >= length) return -1;
    const first = Math.floor((n * 4) / 3);
    const [a, b] = [six(first), six(first + 1)];
    if (a < 0 || b < 0) return -1;
    return n % 3 === 0 ? (a << 2) | (b >> 4) : n % 3 === 1 ? ((a & 15) << 4) | (b >> 2) : ((a & 3) << 6) | b;
  };
  return { length, at, text: (from, to) => textOf(at, from, Math.min(to, length)) };
}

/** @param {Uint8Array} array @returns {Bytes} */
function ofArray(array) {
  const at = (/** @type {number} */ n) => array[n] ?? -1;
  return { length: array.length, at, text: (from, to) => textOf(at, from, Math.min(to, array.length)) };
}

/** @param {(at: number) => number} at @param {number} from @param {number} to */
function textOf(at, from, to) {
  const pieces = [];
  for (let i = from; i < to; i += 8_192) {
    const codes = [];
    for (let k = i; k < Math.min(to, i + 8_192); k += 1) codes.push(Math.max(0, at(k)));
    pieces.push(String.fromCharCode(...codes));
  }
  return pieces.join('');
}
