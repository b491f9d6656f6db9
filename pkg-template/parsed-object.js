// @ts-check
// JSON text that is an object, or nothing.

/** @param {string} text @returns {Record<string, unknown> | undefined} */
export function parsedObject(text) {
  if (!/^\s*\{/.test(text.slice(0, 100))) return undefined;
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
