// Sessions and probes of a data folder. Knows where their files are, and nothing of how they are judged.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readSession } from '../../../pkg/readers/index.js';

const NO_SESSIONS = new Set(['LICENSES', 'usage-curves', 'usage-probes', 'provider-compaction', 'schema-drift']);

/** Every session with usage and with its texts, sub-agents written into their parent's file as sessions of their own. @param {string} folder */
export async function* sessionsIn(folder) {
  for (const file of files(folder, '')) {
    const bytes = readFileSync(path.join(folder, file));
    // A log whose texts were taken out has nothing to estimate.
    if (bytes.includes('[REDACTED_TEXT')) continue;
    for (const [name, part] of [[file, bytes], ...sidechains(file, bytes)]) {
      const session = await readSession(part).catch(() => undefined);
      const counted = session?.steps.filter((/** @type {any} */ step) => step.usage?.input > 0).length ?? 0;
      if (counted > 5) yield { name, session };
    }
  }
}

/** @param {string} folder @param {string} inside @returns {string[]} */
function files(folder, inside) {
  return readdirSync(path.join(folder, inside), { withFileTypes: true })
    .filter((entry) => !NO_SESSIONS.has(entry.name))
    .flatMap((entry) => (entry.isDirectory() ? files(folder, path.join(inside, entry.name)) : /\.(json|jsonl|traj)$/.test(entry.name) ? [path.join(inside, entry.name)] : []))
    .sort();
}

/** @param {string} file @param {Buffer} bytes @returns {[string, string][]} */
function sidechains(file, bytes) {
  if (!file.endsWith('.jsonl') || !bytes.includes('"isSidechain":true')) return [];
  /** @type {any[]} */
  const lines = bytes.toString().split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
  const known = new Map(lines.filter((line) => line.uuid).map((line) => [line.uuid, line]));
  if (lines.every((line) => line.isSidechain !== false)) return [];
  /** @type {Map<string, any[]>} */
  const chains = new Map();
  for (const line of lines.filter((one) => one.isSidechain)) {
    let root = line;
    while (known.get(root.parentUuid)?.isSidechain) root = known.get(root.parentUuid);
    chains.set(root.uuid, [...(chains.get(root.uuid) ?? []), line]);
  }
  return [...chains.values()].map((chain, i) => [`${file}#${i + 1}`, `${chain.map((line) => JSON.stringify(line)).join('\n')}\n`]);
}

/** Requests with the provider's own count. @param {string} folder @returns {any[]} */
export function probesIn(folder) {
  const inside = path.join(folder, 'usage-probes');
  if (!existsSync(inside)) return [];
  return readdirSync(inside).filter((name) => name.endsWith('.jsonl')).sort().flatMap((name) =>
    readFileSync(path.join(inside, name), 'utf8').split('\n').filter(Boolean).map((line) => ({ ...JSON.parse(line), wire: name.replace(/(-count-tokens|-input-tokens|-compact)?\.jsonl$/, '') })));
}
