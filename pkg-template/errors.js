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

/** @param {string} message */
export const badInput = (message) => new CascadeError('bad_input', message);
