// How much of what an agent needs next stays in its window, and what that costs: this package and its peers on real
// sessions at equal budgets. See tests/bench/relief/README.md for the metric and the policies.
//
//   node tests/bench/relief/run.mjs [DATA] [--json] [--budgets 0.25,0.4,0.6] [--policies ours,…] [--only NAME] [--min-steps 40]

import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { commonNames, reuseOf } from './events.mjs';
import { ours } from './ours.mjs';
import { PEERS, oracle } from './peers.mjs';
import { replay } from './replay.mjs';
import { loadSessions } from './sessions.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const args = process.argv.slice(2);
const option = (/** @type {string} */ name, /** @type {string} */ fallback) => {
  const at = args.indexOf(`--${name}`);
  return at < 0 ? fallback : (args[at + 1] ?? fallback);
};
const json = args.includes('--json');
const say = (/** @type {string} */ text) => json || console.log(text);
const shared = process.env.GENTLE_SHARED ?? path.join(root, '..', 'shared');
const data = args[0] && !args[0].startsWith('--') ? args[0] : path.join(shared, 'data');
const LOWS = [0.5, 0.7, 0.9];
const MIN_EVENTS = 5;

if (!existsSync(data)) {
  console.error(`bench-relief: SKIPPED, there are no sessions at ${data}; pass a folder of session logs: make bench-relief DATA=folder`);
  if (json) console.log('[]');
  process.exit(0);
}

const sessions = await loadSessions(data);
// Which names every project has is better known the more sessions there are.
const others = data === path.join(shared, 'data') || !existsSync(path.join(shared, 'data')) ? [] : await loadSessions(path.join(shared, 'data'));
const common = commonNames([...sessions, ...others]);
const prune = await pruneMessages();
const wanted = option('policies', [...Object.keys(PEERS), 'ours', 'oracle'].join(',')).split(',');
const policies = [...Object.keys(PEERS), 'ours', 'oracle'].filter((p) => wanted.includes(p) && (p !== 'ai-prune' || prune));
const budgets = option('budgets', '0.25,0.4,0.6').split(',').map(Number);
const extra = JSON.parse(option('eviction', '{}'));
const rows = [];

for (const session of sessions) {
  if (session.steps < Number(option('min-steps', '40')) || !session.name.includes(option('only', ''))) continue;
  const reuse = reuseOf(session, common);
  if (reuse.events.length < MIN_EVENTS) continue;
  const tokens = session.items.reduce((sum, item) => sum + item.size, 0);
  say(`${session.name}: ${session.steps} steps, ${tokens} tokens, ${reuse.events.length} reuses, ${reuse.events.filter((e) => e.fragile).length} fragile`);
  const whole = await replay(session, reuse, PEERS.full(session, Infinity), Infinity);
  for (const share of budgets) {
    const budget = Math.round(tokens * share);
    for (const policy of policies) {
      const { result, stateBytes } = policy === 'full' ? { result: whole, stateBytes: 0 } : await run(policy, session, reuse, budget);
      rows.push({
        policy,
        session: session.name,
        budget: share,
        hit: round(result.hits / result.events),
        fragile: result.fragile > 0 ? round(result.fragileHits / result.fragile) : null,
        events: result.events,
        window: round(result.window / whole.window),
        cost: round(result.cost / whole.cost),
        breaks: round((100 * result.breaks) / session.steps),
        back: result.removed > 0 ? round(result.back / result.removed) : null,
        pool: { ...result, steps: session.steps, stateBytes },
      });
    }
  }
}

if (json) console.log(JSON.stringify(rows.map(({ pool: _pool, ...row }) => row)));
else print();

/** @param {string} policy @param {import('./sessions.mjs').Session} session @param {import('./events.mjs').Reuse} reuse @param {number} budget */
async function run(policy, session, reuse, budget) {
  if (policy === 'ours') {
    const own = await ours(session, budget, extra);
    try {
      return { result: await replay(session, reuse, own, budget), stateBytes: own.stateBytes() };
    } finally {
      own.close();
    }
  }
  if (policy !== 'oracle') return { result: await replay(session, reuse, PEERS[policy](session, budget, prune), budget), stateBytes: 0 };
  // It also knows which setting will turn out best.
  const all = [];
  for (const low of LOWS) all.push(await replay(session, reuse, oracle(session, budget, reuse, low), budget));
  all.sort((a, b) => b.hits - a.hits || a.cost - b.cost);
  return { result: all[0], stateBytes: 0 };
}

/** The peer is installed in a folder of its own; without it the rest still runs. */
async function pruneMessages() {
  try {
    return (await import(path.join(root, 'tests', 'sdk', 'node_modules', 'ai7', 'dist', 'index.js'))).pruneMessages;
  } catch {
    console.error('bench-relief: the policy ai-prune is SKIPPED; it needs the packages of tests/sdk and Node 22, which `make bench-relief` installs');
    return undefined;
  }
}

function print() {
  for (const share of budgets) {
    say(`\nBudget ${share * 100} % of the session. hit and fragile: over all events, mean of the sessions in brackets; the rest: means.`);
    say('policy             hit            fragile        window  cost  breaks/100  read back  over budget');
    for (const policy of policies) {
      const own = rows.filter((r) => r.policy === policy && r.budget === share);
      if (own.length === 0) continue;
      const pooled = (/** @type {(p: any) => number} */ a, /** @type {(p: any) => number} */ b) => own.reduce((s, r) => s + a(r.pool), 0) / own.reduce((s, r) => s + b(r.pool), 0);
      const mean = (/** @type {(r: any) => number | null} */ f) => {
        const list = own.map(f).filter((x) => x !== null);
        return list.reduce((s, x) => s + x, 0) / list.length;
      };
      const back = pooled((p) => p.back, (p) => p.removed);
      const over = own.reduce((s, r) => s + r.pool.over, 0);
      say(
        `${policy.padEnd(18)} ${pooled((p) => p.hits, (p) => p.events).toFixed(3)} (${mean((r) => r.hit).toFixed(3)})  ${pooled((p) => p.fragileHits, (p) => p.fragile).toFixed(3)} (${mean((r) => r.fragile).toFixed(3)})  ` +
          `${mean((r) => r.window).toFixed(2)}    ${mean((r) => r.cost).toFixed(2)}  ${mean((r) => r.breaks).toFixed(1).padStart(6)}      ${Number.isNaN(back) ? '   -' : back.toFixed(2)}       ${over > 0 && policy !== 'full' ? `${over} steps` : ''}`,
      );
    }
  }
  const largest = Math.max(0, ...rows.map((r) => r.pool.stateBytes));
  if (largest > 0) say(`\nLargest durable state of ours: ${largest} bytes.`);
}

/** @param {number} n */
function round(n) {
  return Math.round(n * 10_000) / 10_000;
}
