// @ts-check
// Small conversions every reader needs: media to parts, results to outputs, counts to usage, and guards that turn a field
// of the wrong type into "absent". Decides how a picture is carried (base64 string and media type, never as text). Refuses
// to know any log format.

/** @typedef {import('./index.js').Usage} Usage */

/** @param {unknown} value @returns {string} */
export const text = (value) => (typeof value === 'string' ? value : '');
/** @param {unknown} value @returns {any[]} */
export const list = (value) => (Array.isArray(value) ? value : []);
/** @param {unknown} value @returns {Record<string, any>} */
export const object = (value) => (value !== null && typeof value === 'object' && !Array.isArray(value) ? /** @type {any} */ (value) : {});
/** @param {unknown} value @returns {number} a token count; anything else is 0 */
export const tokens = (value) => (typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0);

/**
 * Usage in one shape: `input` is the whole prompt, cached parts included; `output` includes reasoning. A prompt of 0 tokens
 * means the log does not know, so it is absent.
 * @param {{ input: number, cacheRead?: number, cacheWrite?: number, output?: number, reasoning?: number }} counts
 * @returns {Usage | undefined}
 */
export function usageOf(counts) {
  if (!(counts.input > 0)) return undefined;
  /** @type {Usage} */
  const usage = { input: counts.input };
  for (const key of /** @type {const} */ (['cacheRead', 'cacheWrite', 'output', 'reasoning'])) {
    if (counts[key] !== undefined) usage[key] = counts[key];
  }
  return usage;
}

/** Arguments are JSON text on several wires; what does not parse stays the text it was. @param {unknown} args */
export function argumentsOf(args) {
  if (typeof args !== 'string') return args ?? {};
  if (args.trim() === '') return {};
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}

/**
 * A `data:` URL in base64 taken apart, or null.
 * @param {unknown} url
 * @returns {{ mediaType: string, data: string } | null}
 */
export function dataUrl(url) {
  if (typeof url !== 'string' || !url.startsWith('data:')) return null;
  const comma = url.indexOf(',');
  const head = url.slice(5, comma < 0 ? 5 : Math.min(comma, 205));
  if (comma < 0 || !/;base64$/i.test(head)) return null;
  return { mediaType: head.slice(0, head.indexOf(';')) || 'application/octet-stream', data: url.slice(comma + 1) };
}

/**
 * A user part for a picture or a file.
 * @param {string} mediaType
 * @param {string} data base64, or a URL the log only points at
 * @param {string} [filename]
 */
export function mediaPart(mediaType, data, filename) {
  if (mediaType.startsWith('image/')) return { type: 'image', image: data, mediaType };
  return { type: 'file', data, mediaType, ...(filename ? { filename } : {}) };
}

/**
 * A user part for a URL: a `data:` URL is opened, any other is carried as it is.
 * @param {unknown} url @param {string} [mediaType] @param {string} [filename]
 */
export function urlPart(url, mediaType, filename) {
  if (typeof url !== 'string' || url === '') return null;
  const inline = dataUrl(url);
  return mediaPart(mediaType || inline?.mediaType || 'image/*', inline ? inline.data : url, filename);
}

/**
 * The output of a tool result from user-style parts (text, image, file).
 * @param {any[]} parts @param {boolean} [isError]
 */
export function outputOf(parts, isError = false) {
  const onlyText = parts.every((part) => part.type === 'text');
  if (onlyText && (isError || parts.length < 2)) {
    return { type: isError ? 'error-text' : 'text', value: parts.map((part) => part.text).join('\n') };
  }
  return { type: 'content', value: parts.map(contentPart) };
}

/** @param {any} part */
function contentPart(part) {
  if (part.type === 'text') return part;
  const data = part.type === 'image' ? part.image : part.data;
  const kind = part.type === 'image' ? 'image' : 'file';
  if (/^https?:/.test(data)) return { type: `${kind}-url`, url: data, ...(kind === 'file' ? { mediaType: part.mediaType } : {}) };
  return { type: `${kind}-data`, data, mediaType: part.mediaType, ...(part.filename ? { filename: part.filename } : {}) };
}

/**
 * Result of a tool as one value: text stays text, a value becomes JSON.
 * @param {unknown} value @param {boolean} [isError]
 */
export function valueOutput(value, isError = false) {
  if (typeof value === 'string') return { type: isError ? 'error-text' : 'text', value };
  return { type: isError ? 'error-json' : 'json', value: value ?? null };
}
