// @ts-check
// The one error class of the package. Decides its shape: a stable `code`, a sentence that names the
// field. Refuses transcript text. `isCascadeError` goes by name and code, so that it also works when two
// copies of the package are loaded.

export class CascadeError extends Error {
  /**
   * @param {string} code one of the codes documented in `index.d.ts`
   * @param {string} message lower-case, no full stop, names in backticks
   * @param {Record<string, unknown>} [fields] e.g. `bound`, `over`, `change` of `budget_impossible`
   */
  constructor(code, message, fields) {
    super(message);
    this.name = 'CascadeError';
    this.code = code;
    if (fields) Object.assign(this, fields);
  }
}

/** @param {unknown} value */
export function isCascadeError(value) {
  return value instanceof Error && value.name === 'CascadeError' && typeof (/** @type {any} */ (value).code) === 'string';
}

/** Errors that came from the host, whatever they are; they are never taken for a defect of ours. @type {WeakSet<object>} */
export const fromHost = new WeakSet();

/** Whether the core itself broke: then nothing of that instance may be used again. @param {unknown} error */
export function isTrap(error) {
  const broke = error instanceof WebAssembly.RuntimeError || (error instanceof RangeError && /call stack/i.test(error.message));
  return broke && !fromHost.has(error);
}

/** @param {string} message */
export const badInput = (message) => new CascadeError('bad_input', message);
