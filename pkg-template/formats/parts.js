// @ts-check
// The words a format uses to describe a message to the core: kinds, flags, and what a call is about.
// The numbers are those of the core's projector.

export const ROLE = Object.freeze({ system: 0, user: 1, assistant: 2, tool: 3 });
export const KIND = Object.freeze({ text: 0, reasoning: 1, call: 2, result: 3, media: 4, approvalRequest: 5, approvalResponse: 6, compaction: 7, opaque: 8 });
export const FLAG = Object.freeze({ error: 1, signed: 2, provider: 4, itemId: 8, json: 16, list: 32, unserialisable: 64, denied: 128 });

/**
 * @typedef {object} ProjectedPart
 * @property {number} kind
 * @property {string} text
 * @property {number} [flags]
 * @property {string} [id]
 * @property {string} [name]
 * @property {string} [target]
 * @property {number} [media] tokens of media, or minus the number of media whose size is not known
 */

const TARGET_KEYS = ['path', 'file_path', 'filePath', 'filename', 'file', 'command', 'cmd', 'pattern', 'query', 'url', 'uri', 'directory', 'dir', 'name', 'id'];

/** What a call is about: the path, command or pattern in its arguments. @param {any} input @param {unknown} [tool] */
export function targetOf(input, tool) {
  if (!input || typeof input !== 'object') return '';
  // A read-back is about a handle and a place in it; the core takes them apart again.
  if (tool === 'read_tool_output') return input.offset > 0 ? `${input.id}\n${Math.floor(input.offset)}` : String(input.id ?? '');
  for (const key of TARGET_KEYS) {
    const value = input[key];
    if (typeof value === 'string' && value !== '') return value.slice(0, 200);
    if (Array.isArray(value) && value.every((v) => typeof v === 'string') && value.length > 0) return value.join(' ').slice(0, 200);
  }
  return '';
}

/** A part that cannot be read (a getter that throws, a revoked proxy) is kept as it is and weighs nothing. @param {(p: any) => ProjectedPart} read */
export const guarded = (read) => (/** @type {any} */ p) => {
  try {
    return read(p);
  } catch {
    return { kind: KIND.opaque, text: '' };
  }
};

/** @param {any} data base64 text, bytes, URL or reference */
export function mediaBytes(data) {
  if (typeof data === 'string') return data.startsWith('data:') || !/^[a-z]+:/i.test(data) ? Math.floor((data.length * 3) / 4) : 0;
  if (ArrayBuffer.isView(data) || data instanceof ArrayBuffer) return data.byteLength;
  return 0;
}
