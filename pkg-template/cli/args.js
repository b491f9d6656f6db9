// @ts-check
// What may stand on the command line and what it means. Decides words and numbers; reads no file and prints nothing.

import { parseArgs } from 'node:util';

export const HELP = `gentle-cascade: what fills the context window of an agent session, and what relief would do

Usage
  gentle-cascade inspect FILE                what fills the window, step by step
  gentle-cascade replay FILE --window N      what the cascade would have done at every step
  gentle-cascade validate FILE --format F    is this list of messages one the provider accepts
  gentle-cascade count FILE                  tokens of a file, - for standard input

FILE is a session of a coding agent (Claude Code, Codex, opencode, pi and others) or a
list of messages; its format is detected, gzip is accepted.

Options
  --window N        tokens of the window to replay at: 120000 or 120k
  --max-output N    tokens kept free for the answer (default 4096)
  --summarize       fold, too, with a briefing made by rule instead of by a model
  --config FILE     JSON with the same fields as the config of open()
  --format F        the file's format, where detection is not wanted
  --conversation N  which one of a file that holds several, from 1
  --model M         model, for count
  --events          with replay: every event of the session as a line of JSON, and no report
  --json            one line of JSON instead of the report
  --no-color        plain text (NO_COLOR is respected, too)
  --help  --version

Exit code 0 when all is well, 1 on violations, 2 on bad input.`;

const COMMANDS = new Set(['inspect', 'replay', 'validate', 'count']);

/** What was given cannot be used: a message for the person at the terminal, exit code 2. */
export class InputError extends Error {}

/** The command line itself is wrong; the help text helps. */
export class UsageError extends InputError {}

/**
 * Tokens as people write them: `64000`, `64_000`, `64k`, `1m`.
 * @param {string | undefined} text @param {string} option its name in the message
 * @returns {number | undefined}
 */
export function tokens(text, option) {
  if (text === undefined) return undefined;
  const match = /^(\d[\d_]*)([km]?)$/i.exec(text.trim());
  const value = match ? Number(match[1].replaceAll('_', '')) * { '': 1, k: 1e3, m: 1e6 }[match[2].toLowerCase()] : NaN;
  if (!Number.isSafeInteger(value) || value <= 0) throw new UsageError(`${option}: expected a number of tokens above 0, such as 120000 or 120k, got ${JSON.stringify(text)}`);
  return value;
}

/** @param {string | undefined} text @param {string} option @returns {number | undefined} */
function ordinal(text, option) {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`${option}: expected a whole number from 1, got ${JSON.stringify(text)}`);
  return Number(text);
}

/**
 * @param {string[]} argv without node and script
 * @returns {{ command: 'help' | 'version' | 'inspect' | 'replay' | 'validate' | 'count', file: string, json: boolean, color?: false, events?: true,
 *   window?: number, maxOutput?: number, summarize?: true, config?: string, format?: string, conversation?: number, model?: string }}
 * @throws UsageError
 */
export function readArgs(argv) {
  let parsed;
  try {
    parsed = parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        window: { type: 'string' }, 'max-output': { type: 'string' }, config: { type: 'string' }, format: { type: 'string' }, conversation: { type: 'string' },
        model: { type: 'string' }, summarize: { type: 'boolean' }, events: { type: 'boolean' }, json: { type: 'boolean' }, 'no-color': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' },
      },
    });
  } catch (error) {
    throw new UsageError(/** @type {Error} */ (error).message.split(/\. To specify|\n/)[0].replace(/ argument is ambiguous\.?$/, ': expected a value after it'));
  }
  const { values, positionals } = parsed;
  const json = values.json === true;
  const [command, file, ...more] = positionals;
  if (values.version) return { command: 'version', file: '', json };
  if (values.help || command === 'help' || (command === undefined && argv.length === 0)) return { command: 'help', file: '', json };
  if (command === undefined) throw new UsageError('expected a command: inspect, replay, validate or count');
  if (!COMMANDS.has(command)) throw new UsageError(`unknown command ${JSON.stringify(command)}: expected inspect, replay, validate or count`);
  if (file === undefined) throw new UsageError(`${command}: expected a FILE`);
  if (more.length) throw new UsageError(`${command}: expected one FILE, got ${more.length + 1}`);
  if (values.events && command !== 'replay') throw new UsageError(`--events belongs to replay, not to ${command}`);
  return {
    command: /** @type {any} */ (command),
    file,
    json,
    ...(values.events && { events: /** @type {true} */ (true) }),
    ...(values['no-color'] && { color: /** @type {false} */ (false) }),
    window: tokens(values.window, '--window'),
    maxOutput: tokens(values['max-output'], '--max-output'),
    ...(values.summarize && { summarize: /** @type {true} */ (true) }),
    config: values.config,
    format: values.format,
    conversation: ordinal(values.conversation, '--conversation'),
    model: values.model,
  };
}
