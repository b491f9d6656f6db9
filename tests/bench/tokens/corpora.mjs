// The texts the counters are timed on: prose, code, tool output and multilingual text from what is installed here, and
// agent transcripts from a folder. Decides what goes in and in which order, the same on every run on one machine.
// Every corpus comes in two halves that share no file: one to warm up on, one to time.

import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
export const root = path.join(here, '..', '..', '..');

/** Files below a folder, sorted by path, links not followed. */
function* files(folder, wanted, depth = 9) {
  if (depth === 0 || !existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== '.git' && entry.name !== 'target') yield* files(at, wanted, depth - 1);
    } else if (entry.isFile() && wanted.test(entry.name)) yield at;
  }
}

/** Texts in a fixed order that mixes neighbours. */
function shuffled(list) {
  const key = (s) => [...s].reduce((h, c) => Math.imul(h ^ c.charCodeAt(0), 0x01000193), 0x811c9dc5) >>> 0;
  return list.map((s) => [key(s), s]).sort((a, b) => a[0] - b[0]).map(([, s]) => s);
}

const installed = [path.join(here, 'node_modules'), path.join(root, 'node_modules')];
const docs = ['/usr/share/doc/nodejs', path.join(path.dirname(process.execPath), '..', 'lib', 'node_modules', 'npm')];
const read = (file, most) => readFileSync(file, 'utf8').slice(0, most);

function prose() {
  return [...installed, ...docs].flatMap((f) => [...files(f, /\.md$/i)]).map((f) => () => read(f, 40_000));
}

function code() {
  const own = ['src', 'xtask', 'pkg-template', 'tests'].map((d) => path.join(root, d));
  const found = [...own, ...installed, ...docs].flatMap((f) => [...files(f, /\.(js|mjs|ts|rs|py|h)$/, 7)]);
  // Vocabularies in source form are no code.
  return found.filter((f) => statSync(f).size < 200_000 && !/ranks|encoding|diagnosticMessages|bpeRanks/i.test(f)).map((f) => () => read(f, 12_000));
}

function tool() {
  const listings = [...installed, ...docs].filter(existsSync).map((folder) => () => {
    let out = '';
    for (const file of files(folder, /./, 5)) {
      const s = statSync(file);
      out += `-rw-r--r-- 1 root root ${String(s.size).padStart(8)} ${s.mtime.toISOString().slice(0, 16).replace('T', ' ')} ${path.relative(folder, file)}\n`;
      if (out.length > 300_000) break;
    }
    return out;
  });
  const json = [...installed, ...docs, root].flatMap((f) => [...files(f, /(package|package-lock|tsconfig)\.json$|Cargo\.lock$/, 5)]).map((f) => () => read(f, 20_000));
  const grep = [...files(path.join(root, 'src'), /\.rs$/), ...docs.flatMap((f) => [...files(f, /\.js$/)])].map((f) => () => {
    const lines = read(f, 60_000).split('\n');
    return lines.map((line, i) => `${path.relative(root, f)}:${i + 1}:${line}`).filter((line) => /fn |function|const /.test(line)).join('\n');
  });
  return [...listings, ...json, ...grep];
}

function multilingual() {
  const lib = path.join(here, 'node_modules', 'typescript', 'lib');
  return ['ja', 'zh-cn', 'zh-tw', 'ru', 'ko', 'pl', 'fr', 'tr'].map((l) => path.join(lib, l, 'diagnosticMessages.generated.json')).filter(existsSync).flatMap((f) => {
    const text = Object.values(JSON.parse(readFileSync(f, 'utf8'))).join('\n');
    return Array.from({ length: Math.ceil(text.length / 8_000) }, (_, i) => () => text.slice(i * 8_000, i * 8_000 + 8_000));
  });
}

/** Every string of a JSON value that is long enough to be said rather than named. */
function leaves(value, out) {
  if (typeof value === 'string') {
    if (value.length > 20) out.push(value);
  } else if (value !== null && typeof value === 'object') for (const inner of Object.values(value)) leaves(inner, out);
  return out;
}

function parsed(text) {
  try {
    return leaves(JSON.parse(text), []);
  } catch {
    return undefined;
  }
}

function transcripts(folder) {
  return [...files(folder, /\.(json|jsonl|txt|md)$/)].map((f) => () => {
    const text = readFileSync(f, 'utf8');
    const whole = parsed(text);
    if (whole) return whole.join('\n');
    const lines = text.split('\n').map(parsed);
    return lines.some(Boolean) ? lines.flatMap((l) => l ?? []).join('\n') : text;
  });
}

/**
 * @param {{ size?: number, data?: string }} options bytes per half; a folder of transcripts or texts
 * @returns {{ name: string, warm: string, text: string, bytes: number }[]}
 */
export function corpora({ size = 600_000, data } = {}) {
  const folder = data ?? path.join(root, '..', 'shared', 'data');
  const sources = { prose: prose(), code: code(), tool: tool(), multilingual: multilingual(), agent: existsSync(folder) ? transcripts(folder) : [] };
  const made = [];
  for (const [name, makers] of Object.entries(sources)) {
    if (!makers.length) {
      console.error(`corpus ${name} is left out: nothing to make it from${name === 'agent' ? ` (no folder ${folder}; pass DATA=folder)` : ''}`);
      continue;
    }
    const order = shuffled(makers.map((_, i) => `${name} ${i}`)).map((s) => Number(s.split(' ')[1]));
    const halves = [[], []];
    order.forEach((i, at) => halves[at % 2].push(makers[i]));
    const [warm, text] = halves.map((half) => fill(half, size));
    made.push({ name, warm, text, bytes: Buffer.byteLength(text) });
  }
  return made;
}

/** The first `size` bytes; names of special tokens are broken, some counters throw on them. */
function fill(makers, size) {
  let text = '';
  let bytes = 0;
  for (const make of makers) {
    const part = make().replaceAll('<|', '<I');
    text += part;
    bytes += Buffer.byteLength(part);
    if (bytes >= size) break;
  }
  return Buffer.from(text).subarray(0, size).toString('utf8').replace(/\ufffd+$/, '');
}
