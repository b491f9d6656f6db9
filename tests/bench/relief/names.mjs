// What the bench counts as an identifier, and when a text holds one. Deliberately not the package's own code: a metric
// that shared it would share its blind spots.

const ENDINGS = new Set(
  'ts tsx js jsx mjs cjs py rs go java kt c h cc cpp hpp cs rb php pony swift md mdx json jsonl yaml yml toml txt log csv sql sh bash html css scss vue svg png jpg pdf xml lock cfg ini conf env wasm proto ipynb'.split(' '),
);
const RUN = /[A-Za-z0-9_]+(?:[./-][A-Za-z0-9_]+)*/g;

/** Paths, file names, symbols, ids, numbers of four digits and more. @param {string} run */
export function isName(run) {
  if (run.length < 4 || run.length > 200) return false;
  const digits = run.replace(/[^0-9]/g, '').length;
  if (digits === run.replace(/[./-]/g, '').length) return digits >= 4;
  if (run.includes('/')) return run.length >= 6 && (run.split('/').length > 2 || /[A-Z0-9._-]/.test(run));
  if (run.includes('.')) return ENDINGS.has(run.slice(run.lastIndexOf('.') + 1).toLowerCase());
  if (run.includes('-')) return run.length >= 6 && (digits > 0 || run.split('-').length > 2);
  if (run.length >= 5 && (/[a-z0-9][A-Z]/.test(run) || (run.includes('_') && /[A-Za-z]/.test(run)))) return true;
  return run.length >= 6 && digits > 0;
}

/** The text as a reader sees it: JSON escapes are white space. @param {string} text */
export const plain = (text) => text.replace(/\\[nrtbf"/]/g, ' ');

/** The names of a plain text. @param {string} text @param {Set<string>} common names that need no memory */
export function namesIn(text, common) {
  const found = new Set();
  for (const run of text.match(RUN) ?? []) {
    // What is no name as a whole is read word by word.
    const pieces = isName(run) ? [run] : /[./-]/.test(run) ? run.split(/[./-]/).filter(isName) : [];
    for (const name of pieces) if (!common.has(name)) found.add(name);
  }
  return found;
}

const inWord = (/** @type {string} */ c) => c !== '' && /[A-Za-z0-9_]/.test(c);

/** Whether a name stands in a text literally, at word boundaries. @param {string} text @param {string} name */
export function holds(text, name) {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!inWord(text.charAt(at - 1)) && !inWord(text.charAt(at + name.length))) return true;
  }
  return false;
}

/** Weaker names for the same thing: shorter ends of a path, then the names inside. @param {string} name @returns {string[][]} */
export function weaker(name) {
  const out = [];
  for (let rest = name; rest.includes('/'); ) {
    rest = rest.slice(rest.indexOf('/') + 1);
    if (isName(rest)) out.push([rest]);
  }
  const inside = name.split(/[./-]/).filter((piece) => piece !== name && isName(piece));
  return inside.length > 0 ? [...out, inside] : out;
}
