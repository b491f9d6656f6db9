// @ts-check
// Reads a file of the package, wherever the package lies: on disk or on a server.

/**
 * @param {URL} url
 * @returns {Promise<Uint8Array>}
 */
export async function read(url) {
  if (url.protocol === 'file:') {
    const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ 'node:fs/promises');
    return readFile(url);
  }
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`gentle-cascade: loading a vocabulary failed with HTTP ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}
