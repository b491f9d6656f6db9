// Real sessions as the bench replays them: messages for the package, items for the metric.
//
// An item is one part with a text. Reasoning and the log's own summaries are left out, compactions of the log are
// ignored. A session whose export is in parts is one session; chains of sub-agents inside a file are sessions.

import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readSession } from '../../../pkg/readers/index.js';
import { plain } from './names.mjs';
import { sizeOf } from './tokens.mjs';

/**
 * @typedef {object} Item
 * @property {number} at index
 * @property {'system' | 'user' | 'assistant' | 'tool'} role
 * @property {boolean} call
 * @property {string} text
 * @property {string} plain
 * @property {number} size
 * @property {number} bytes
 * @property {number} step 0 before the first response
 * @property {number} row
 * @property {string} [id]
 * @property {string} [tool]
 * @property {any} [input]
 * @property {boolean} pinned never dropped by the last resort
 *
 * @typedef {object} Session
 * @property {string} name
 * @property {string} project
 * @property {any[]} messages
 * @property {Item[]} items
 * @property {number[]} start start[s] = number of items before step s
 * @property {number[]} rowStart rowStart[s] = number of messages before step s
 * @property {number} steps
 */

/** Every session below a folder, in the order of the paths. @param {string} folder @returns {Promise<Session[]>} */
export async function loadSessions(folder) {
  const files = walk(folder).filter((file) => /\.(jsonl?|traj)(\.gz)?$/.test(file));
  /** @type {Map<string, string[]>} */
  const groups = new Map();
  for (const file of files) {
    const name = path.relative(folder, file).replace(/\.part\d+(?=\.)/, '');
    groups.set(name, [...(groups.get(name) ?? []), file]);
  }
  const sessions = [];
  for (const [name, parts] of [...groups].sort()) {
    const read = [];
    for (const file of parts) read.push(...(await readAll(file)));
    const main = read.filter((r) => !r.chain).map((r) => r.session);
    if (main.length > 0) sessions.push(toSession(name, main));
    for (const { chain, session } of read) if (chain) sessions.push(toSession(`${name}#${chain}`, [session]));
  }
  return sessions.filter((s) => s.steps > 0);
}

/** @param {string} folder @returns {string[]} */
function walk(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? walk(path.join(folder, entry.name)) : [path.join(folder, entry.name)]));
}

/** The sessions of a file; what is no session log is passed over. @param {string} file */
async function readAll(file) {
  const bytes = readFileSync(file);
  /** @type {{ chain?: string, session: any }[]} */
  const found = [];
  const attempt = async (/** @type {any} */ data, /** @type {string} */ chain = '') => {
    try {
      found.push({ ...(chain && { chain }), session: await readSession(data) });
    } catch (error) {
      if (/** @type {any} */ (error).code !== 'bad_input') throw error;
    }
  };
  await attempt(bytes);
  for (const [i, lines] of sideChains(bytes).entries()) await attempt(lines, String(i));
  return found;
}

/** Sub-agents that a log keeps in its main file: one list of lines per root of the parent tree. @param {Buffer} bytes */
function sideChains(bytes) {
  const text = bytes.toString('utf8');
  if (!text.includes('"isSidechain":true')) return [];
  const roots = new Map();
  const chains = new Map();
  for (const line of text.split('\n')) {
    if (!line.includes('"isSidechain":true')) continue;
    const record = JSON.parse(line);
    if (record.type !== 'user' && record.type !== 'assistant') continue;
    const root = roots.get(record.parentUuid) ?? record.uuid;
    roots.set(record.uuid, root);
    chains.set(root, [...(chains.get(root) ?? []), JSON.stringify({ ...record, isSidechain: false })]);
  }
  return chains.size > 1 || !text.includes('"isSidechain":false') ? [...chains.values()].map((lines) => lines.join('\n')) : [];
}

/** @param {string} name @param {any[]} logs @returns {Session} */
function toSession(name, logs) {
  const messages = [];
  const [first] = logs;
  if (first.system) messages.push({ role: 'system', content: first.system });
  if (first.tools?.length) messages.push({ role: 'system', content: JSON.stringify(first.tools.map((/** @type {any} */ t) => t.schema ?? t.name)) });
  for (const log of logs) for (const { message } of log.rows) {
    const kept = withoutReasoning(message);
    if (kept) messages.push(kept);
  }
  /** @type {Item[]} */
  const items = [];
  const start = [];
  const rowStart = [];
  let step = 0;
  let before = '';
  const mark = (/** @type {number} */ s, /** @type {number} */ row) => {
    start[s] = items.length;
    rowStart[s] = row;
  };
  mark(0, 0);
  for (const [row, message] of messages.entries()) {
    if (message.role === 'assistant' && before !== 'assistant') {
      step += 1;
      mark(step, row);
    }
    before = message.role;
    for (const part of partsOf(message)) items.push({ at: items.length, plain: plain(part.text), size: sizeOf(part.text), bytes: Buffer.byteLength(part.text), step, row, pinned: part.role === 'system', ...part });
  }
  mark(step + 1, messages.length);
  const ask = items.find((i) => i.role === 'user');
  if (ask) ask.pinned = true;
  return { name, project: projectOf(name), messages, items, start, rowStart, steps: step };
}

/** @param {any} message */
function withoutReasoning(message) {
  if (!Array.isArray(message.content)) return message;
  const content = message.content.filter((/** @type {any} */ p) => p.type !== 'reasoning');
  return content.length === 0 ? undefined : content.length === message.content.length ? message : { ...message, content };
}

/** The texts of a message, one per part. @param {any} message @returns {{ role: Item['role'], call: boolean, text: string, id?: string, tool?: string, input?: any }[]} */
export function partsOf(message) {
  if (!Array.isArray(message.content)) return [{ role: message.role, call: false, text: String(message.content ?? '') }];
  return message.content.map((/** @type {any} */ p) => {
    if (p.type === 'tool-call') return { role: 'assistant', call: true, text: p.toolName + (typeof p.input === 'string' ? p.input : JSON.stringify(p.input ?? {})), id: p.toolCallId, tool: p.toolName, input: p.input };
    if (p.type === 'tool-result') return { role: 'tool', call: false, text: outputText(p.output), id: p.toolCallId, tool: p.toolName };
    return { role: message.role, call: false, text: String(p.text ?? '') };
  });
}

/** @param {any} output */
function outputText(output) {
  if (typeof output?.value === 'string') return output.value;
  if (output?.type === 'content' && Array.isArray(output.value)) return output.value.map((/** @type {any} */ i) => (typeof i?.text === 'string' ? i.text : '[image]')).join('\n');
  return JSON.stringify(output?.value ?? output ?? '');
}

/** Sessions of one code base: the last word of the folder's name. @param {string} name */
function projectOf(name) {
  const folder = name.split(/[\\/]/)[0];
  return folder.split('-').at(-1) ?? folder;
}
