// @ts-check
// The table of formats: how each is recognised by content and which reader takes it. Decides the order of the tests (the
// most telling first, plain messages last). Refuses to read anything itself.

import { isClaudeCode, readClaudeCode } from './claude-code.js';
import { isCline, readCline } from './cline.js';
import { isCodex, readCodex } from './codex.js';
import { isGeminiCli, readGeminiJson, readGeminiLines } from './gemini-cli.js';
import { isLangChain, readLangChain } from './langchain.js';
import { isOpencodeEvent, readOpencodeEvents } from './opencode-events.js';
import { isOpencode, readOpencode } from './opencode.js';
import { chosen, isOpenHands, isOpenHandsEvent, readOpenHands, readOpenHandsLines } from './openhands.js';
import { list, object } from './parts.js';
import { isPi, readPi } from './pi.js';
import { fitsPlain, plainFormatOf, readPlain } from './plain.js';
import { PLAIN_FORMATS } from './plain-detect.js';
import { isSweAgent, readSweAgent } from './swe-agent.js';

/**
 * @typedef {import('./json-text.js').Line} Line
 * @typedef {import('./index.js').Session} Session
 * @typedef {{ conversation?: number }} ReadOptions
 * @typedef {{
 *   name: string,
 *   isLines?: (lines: Line[]) => boolean, fromLines?: (lines: Line[], findings: any, options: ReadOptions) => Session,
 *   isJson?: (value: any, options: ReadOptions) => boolean, fromJson?: (value: any, findings: any, options: ReadOptions) => Session,
 * }} Format
 */

/** Detection looks at this many records from the start: headers and snapshots may come before the first telling one. */
const LOOK = 200;

/** @param {(value: any) => boolean} is @returns {(lines: Line[]) => boolean} */
const some = (is) => (lines) => lines.slice(0, LOOK).some(({ value }) => is(value));

/** @type {Format[]} */
export const LOGS = [
  { name: 'codex', isLines: some(isCodex), fromLines: readCodex },
  { name: 'pi', isLines: (lines) => isPi(lines[0]?.value), fromLines: readPi },
  { name: 'claude-code', isLines: some(isClaudeCode), fromLines: readClaudeCode },
  { name: 'opencode', isLines: some(isOpencodeEvent), fromLines: readOpencodeEvents, isJson: isOpencode, fromJson: readOpencode },
  { name: 'gemini-cli', isLines: (lines) => isGeminiCli(lines[0]?.value), fromLines: readGeminiLines, isJson: (value) => isGeminiCli(value) && Array.isArray(value.messages), fromJson: readGeminiJson },
  { name: 'openhands', isLines: (lines) => some(isOpenHandsEvent)(lines) || some(isOpenHands)(lines), fromLines: readOpenHandsLines, isJson: isOpenHands, fromJson: readOpenHands },
  { name: 'swe-agent', isJson: isSweAgent, fromJson: readSweAgent },
  { name: 'cline', isJson: isCline, fromJson: readCline },
  { name: 'langchain', isJson: isLangChain, fromJson: readLangChain },
];

/** Plain messages: as one JSON document, or one message per line. @type {Format[]} */
export const PLAIN = PLAIN_FORMATS.map((name) => ({
  name,
  isJson: (value, options) => fitsPlain(conversationIn(value, options) ?? value, name),
  fromJson: (value, findings, options) => readPlain(conversationIn(value, options) ?? value, name, findings),
  isLines: (lines) => fitsPlain(valuesOf(lines), name),
  fromLines: (lines, findings) => readPlain(valuesOf(lines), name, findings),
}));

/** @param {Line[]} lines */
const valuesOf = (lines) => lines.map(({ value }) => value);

/**
 * The plain format of a document, when it is certain.
 * @param {{ json?: any, lines?: Line[] }} parsed @param {ReadOptions} options
 * @throws {Error} CascadeError `bad_input` when several formats fit
 */
export function detectPlain(parsed, options) {
  if ('json' in parsed) {
    const found = plainFormatOf(conversationIn(parsed.json, options) ?? parsed.json);
    if (found) return found;
  }
  return plainFormatOf(valuesOf(parsed.lines ?? []));
}

/** A benchmark file of runs, each with its messages in `traj`. @param {any} value @param {ReadOptions} options @returns {any[] | undefined} */
function conversationIn(value, options) {
  const runs = list(value).flatMap((run) => (Array.isArray(object(run).traj) ? [run.traj] : []));
  if (runs.length === 0) return Array.isArray(object(value).traj) ? value.traj : undefined;
  return chosen(runs, options);
}
