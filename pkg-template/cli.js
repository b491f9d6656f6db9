#!/usr/bin/env node
// @ts-check
// The command `gentle-cascade`: reads the arguments and the file, runs one report, prints it, sets the exit code
// (0 clean, 1 violations, 2 bad input). Decides nothing about tokens or relief; the reports do.

import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { realpathSync } from 'node:fs';
import { HELP, InputError, UsageError, readArgs } from './cli/args.js';
import { inspectReport } from './cli/inspect.js';
import { replayReport } from './cli/replay.js';
import { terminal } from './cli/terminal.js';

/** Codes of errors that are about what the caller gave, not about us. */
const CALLERS_FAULT = new Set(['bad_input', 'bad_config', 'budget_impossible']);

/**
 * @param {string[]} argv
 * @param {{ stdout: any, stderr: any, env: Record<string, string | undefined>, stdin?: any, signal?: AbortSignal }} io
 * @returns {Promise<number>} the exit code
 */
export async function main(argv, io) {
  let term = terminal(io);
  try {
    const args = readArgs(argv);
    if (args.color === false) term = terminal({ ...io, color: false });
    switch (args.command) {
      case 'help':
        term.out(HELP);
        return 0;
      case 'version':
        term.out(await ownVersion());
        return 0;
      case 'inspect':
        return await inspect(args, term, io.signal);
      case 'replay':
        return await replay(args, term, io.signal);
      default:
        return await other(args, term, io);
    }
  } catch (error) {
    return explain(error, term);
  }
}

async function inspect(args, term, signal) {
  const session = await load(args);
  const { inspectSession } = await import('./inspect.js');
  const progress = term.progress('inspect');
  let report;
  try {
    report = await inspectSession(session, { file: args.file, signal, onStep: (_, { index, total }) => progress.at(index + 1, total) });
  } finally {
    progress.end();
  }
  term.out(args.json ? JSON.stringify(report) : inspectReport(report, term));
  return 0;
}

async function replay(args, term, signal) {
  const config = args.config === undefined ? undefined : await readConfig(args.config);
  const session = await load(args);
  if (args.events) {
    const { replayEvents } = await import('./replay-events.js');
    await replayEvents(session, { window: args.window, maxOutput: args.maxOutput, config, signal, onEvent: (/** @type {any} */ event) => term.out(JSON.stringify(event)) });
    return 0;
  }
  const { replaySession } = await import('./replay.js');
  const progress = term.progress('replay');
  let fullest;
  let most = -1;
  let report;
  try {
    report = await replaySession(session, {
      file: args.file,
      window: args.window,
      maxOutput: args.maxOutput,
      config,
      summarize: args.summarize,
      signal,
      onStep: (step, { index, total, inspection }) => {
        progress.at(index + 1, total);
        if (step.after <= most) return;
        most = step.after;
        fullest = inspection;
      },
    });
  } finally {
    progress.end();
  }
  term.out(args.json ? JSON.stringify(report) : replayReport(report, term, { model: session.model?.id, fullest }));
  return report.violations.length ? 1 : 0;
}

/** `validate` and `count` live in files of their own, loaded only when asked for. */
async function other(args, term, io) {
  const module = args.command === 'validate' ? await import('./cli/validate.js') : await import('./cli/count.js');
  return module.run(args, term, io);
}

/** @param {ReturnType<typeof readArgs>} args */
async function load({ file, format, conversation }) {
  let bytes;
  try {
    bytes = await readFile(file);
  } catch (error) {
    throw new InputError(`${file}: ${reason(error)}`);
  }
  const { readSession } = await import('./readers/index.js');
  return readSession(bytes, /** @type {any} */ ({ name: file, ...(format && { format }), ...(conversation && { conversation }) }));
}

async function readConfig(file) {
  let text;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new InputError(`--config ${file}: ${reason(error)}`);
  }
  let config;
  try {
    config = JSON.parse(text);
  } catch {
    throw new InputError(`--config ${file}: not JSON; expected an object such as {"eviction":{"atFraction":0.5}}`);
  }
  if (config === null || typeof config !== 'object' || Array.isArray(config)) throw new InputError(`--config ${file}: expected a JSON object`);
  return config;
}

const reason = (error) => ({ ENOENT: 'no such file', EISDIR: 'is a directory, expected a file', EACCES: 'may not be read' })[error?.code] ?? 'cannot be read';

async function ownVersion() {
  return (await import('./inline.js')).version();
}

function explain(error, term) {
  if (error?.name === 'AbortError') {
    term.err('gentle-cascade: stopped');
    return 130;
  }
  if (error instanceof InputError || CALLERS_FAULT.has(error?.code)) {
    term.err(`gentle-cascade: ${error.message}`);
    if (error instanceof UsageError) term.err('Try gentle-cascade --help');
    return 2;
  }
  term.err(`gentle-cascade: ${error?.code ?? error?.name ?? 'error'}: ${error?.message ?? String(error)}`);
  return 70;
}

function isMain() {
  try {
    return import.meta.url === pathToFileURL(realpathSync(process.argv[1] ?? '')).href;
  } catch {
    return false;
  }
}

if (isMain()) {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  process.stdout.on('error', (error) => {
    if (/** @type {any} */ (error).code === 'EPIPE') process.exit(0);
    throw error;
  });
  process.exitCode = await main(process.argv.slice(2), { stdout: process.stdout, stderr: process.stderr, env: process.env, stdin: process.stdin, signal: stop.signal });
}
