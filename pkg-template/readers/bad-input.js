// @ts-check
// The one error a log reader throws. Decides its shape: name `CascadeError`, code `bad_input`, a message that says where
// and what would be right. Refuses to carry transcript text: callers pass line numbers, field names and types only.

/**
 * @param {string} message names the line or field and what was expected; never text from the log
 * @returns {Error & { code: 'bad_input' }}
 */
export function badInput(message) {
  return Object.assign(new Error(message), { name: 'CascadeError', code: /** @type {const} */ ('bad_input') });
}
