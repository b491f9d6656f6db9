// Of the names an agent uses after a fold, how many are still in the text that stands for the folded rows? Every real
// session is cut at several steps; everything but the verbatim tail leaves the view by rule, without a model. Names that
// still stand in the tail do not count: nobody has to keep them. The simpler ways get as many tokens.
//
//   make bench-digest [DATA=folder] [JSON=1]

import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { commonNames, reuseOf } from '../relief/events.mjs';
import { holds, plain } from '../relief/names.mjs';
import { loadSessions } from '../relief/sessions.mjs';
import { oursAt, simplerAt } from './digests.mjs';
import { compareLogs, printLogs } from './logs.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const args = process.argv.slice(2);
const json = args.includes('--json');
const own = path.join(process.env.GENTLE_SHARED ?? path.join(root, '..', 'shared'), 'data');
const data = args[0] && !args[0].startsWith('--') ? args[0] : own;
/** Where a session is folded, as parts of its steps; shorter sessions are never folded. */
const PLACES = [0.3, 0.5, 0.7, 0.85];
const MIN_STEPS = 20;
const MIN_NAMES = 3;

if (!existsSync(data)) {
  console.error(`bench-digest: SKIPPED, there are no sessions at ${data}; pass a folder of session logs: make bench-digest DATA=folder`);
  if (json) console.log('{"folds":[],"logs":[]}');
  process.exit(0);
}

const sessions = await loadSessions(data);
const common = commonNames(data === own || !existsSync(own) ? sessions : [...sessions, ...(await loadSessions(own))]);
const folds = [];
for (const session of sessions) {
  if (session.steps < MIN_STEPS) continue;
  const reuse = reuseOf(session, common);
  for (const place of PLACES) {
    const step = Math.round(session.steps * place);
    const folded = await oursAt(session, step);
    if (!folded) continue;
    const names = namesUsedAfter(session, reuse, step, folded);
    if (names.length < MIN_NAMES) continue;
    const texts = { ours: folded.text, ...simplerAt(session, folded) };
    const kept = Object.fromEntries(Object.entries(texts).map(([way, text]) => [way, share(names, text)]));
    folds.push({ session: session.name, step, tokens: folded.hidden.reduce((sum, at) => sum + session.items[at].size, 0), size: folded.size, names: names.length, kept });
  }
}
const logs = await compareLogs(data);
if (json) console.log(JSON.stringify({ folds, logs }));
else {
  print();
  printLogs(logs);
}

/** Names the agent writes from a step on, that stood before it and stand nowhere in what is still shown. */
function namesUsedAfter(session, reuse, step, { hidden, visible }) {
  const left = new Set(hidden);
  const shown = visible.map(plain);
  const later = new Set(reuse.uses.slice(step).flat());
  return [...later].filter((name) => {
    const before = reuse.places(name).filter((at) => at < session.start[step]);
    return before.length > 0 && before.every((at) => left.has(at)) && !shown.some((text) => holds(text, name));
  });
}

/** @param {string[]} names @param {string} text */
function share(names, text) {
  const read = plain(text);
  return Math.round((names.filter((name) => holds(read, name)).length / names.length) * 10_000) / 10_000;
}

function print() {
  const ways = Object.keys(folds[0]?.kept ?? {});
  console.log(`${folds.length} folds in ${new Set(folds.map((f) => f.session)).size} sessions; names used afterwards that the text in place of the folded rows still holds.\n`);
  console.log(`${'session'.padEnd(52)} step  tokens    in  names  ${ways.map((w) => w.padStart(11)).join('  ')}`);
  for (const f of folds) {
    const name = f.session.length > 50 ? `…${f.session.slice(-49)}` : f.session;
    console.log(`${name.padEnd(52)} ${String(f.step).padStart(4)} ${String(f.tokens).padStart(7)} ${String(f.size).padStart(5)}  ${String(f.names).padStart(5)}  ${ways.map((w) => f.kept[w].toFixed(2).padStart(11)).join('  ')}`);
  }
  const all = folds.reduce((sum, f) => sum + f.names, 0);
  const line = (title, value) => console.log(`${title.padEnd(75)}${ways.map((w) => value(w).padStart(11)).join('  ')}`);
  console.log();
  line('of all names', (w) => (folds.reduce((sum, f) => sum + f.kept[w] * f.names, 0) / all).toFixed(3));
  line('mean of the folds', (w) => (folds.reduce((sum, f) => sum + f.kept[w], 0) / folds.length).toFixed(3));
  line('folds in which ours keeps more / as many / fewer', (w) => (w === 'ours' ? '' : [1, 0, -1].map((s) => folds.filter((f) => Math.sign(f.kept.ours - f.kept[w]) === s).length).join(' / ')));
}
