// The four tools of the recorded session, run for real on this project's own tree: list files, read a file,
// search, run a shell command. Each answers with an AI SDK tool output. Knows nothing of the story around them.

import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const SKIP = new Set(['.git', 'target', 'node_modules', 'pkg', 'sample', 'coverage', 'dist', '.cache', 'test-results']);
const TEXT = /\.(rs|js|mjs|ts|json|toml|md|html|css|yml|yaml|txt)$|(^|\/)(Makefile|LICENSE)$/;
const LOCK = /(package-lock\.json|Cargo\.lock)$/;

/** Every text file below `from`, as paths relative to `root`, in a fixed order. */
export function walk(root, from = '.') {
  const found = [];
  const visit = (dir) => {
    let names;
    try {
      names = readdirSync(path.join(root, dir), { withFileTypes: true });
    } catch {
      return;
    }
    for (const entry of names.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = path.posix.join(dir, entry.name);
      if (entry.isDirectory()) {
        if (!SKIP.has(entry.name)) visit(name);
      } else if (entry.isFile() && TEXT.test(name)) found.push(name);
    }
  };
  visit(from);
  return found;
}

/** @param {string} root @param {(text: string) => string} scrub */
export function tools(root, scrub) {
  const text = (name) => scrub(readFileSync(path.join(root, name), 'utf8'));
  return {
    list_files({ path: from = '.' }) {
      const files = walk(root, from).map((name) => ({
        path: name,
        bytes: statSync(path.join(root, name)).size,
        lines: text(name).split('\n').length - 1,
      }));
      return { type: 'json', value: files };
    },

    read_file({ path: name, offset = 1, limit = 320 }) {
      let lines;
      try {
        lines = text(name).split('\n');
      } catch {
        return { type: 'error-text', value: `No such file: ${name}` };
      }
      const part = lines.slice(offset - 1, offset - 1 + limit);
      const rest = lines.length - (offset - 1 + part.length);
      const body = part.map((line, i) => `${String(offset + i).padStart(5)}\t${line}`).join('\n');
      return { type: 'text', value: rest > 0 ? `${body}\n(${rest} more lines)` : body };
    },

    search({ pattern, path: from = '.', max = 80 }) {
      const wanted = new RegExp(pattern);
      const matches = [];
      let total = 0;
      for (const name of walk(root, from)) {
        if (LOCK.test(name)) continue;
        text(name).split('\n').forEach((line, i) => {
          if (!wanted.test(line)) return;
          total += 1;
          if (matches.length < max) matches.push({ file: name, line: i + 1, text: line.trim().slice(0, 140) });
        });
      }
      return { type: 'json', value: { pattern, total, shown: matches.length, matches } };
    },

    bash({ command }) {
      const run = spawnSync('bash', ['-c', `{ ${command}\n} 2>&1`], {
        cwd: root,
        encoding: 'utf8',
        maxBuffer: 64e6,
        timeout: 600_000,
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          RUSTUP_HOME: process.env.RUSTUP_HOME,
          CARGO_HOME: process.env.CARGO_HOME,
          LANG: 'C.UTF-8',
          TZ: 'UTC',
        },
      });
      const out = scrub(run.stdout ?? '');
      if (run.status === 0) return { type: 'text', value: out };
      return { type: 'error-text', value: `${out}\nexit code ${run.status ?? 'none (timed out)'}` };
    },
  };
}
