// Takes everything out of a recorded output that belongs to the machine it ran on or to the moment:
// absolute paths, host and user names, registry addresses, dates and durations. What is left depends on the
// project alone, so two recordings of the same tree are the same. Knows nothing of tools or messages.

import os from 'node:os';
import { realpathSync } from 'node:fs';

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** @param {string} root the project's directory @returns {(text: string) => string} */
export function scrubber(root) {
  const swaps = [];
  const path = (from, to) => {
    if (from && from.length > 1) swaps.push([new RegExp(escape(from) + '(?![\\w-])', 'g'), to]);
  };
  path(realpathSync(root), '/project');
  path(root, '/project');
  path(os.homedir(), '/home/dev');
  if (os.hostname().length > 3) swaps.push([new RegExp(`\\b${escape(os.hostname())}\\b`, 'g'), 'devbox']);
  const user = os.userInfo().username;
  if (user !== 'root' && user.length > 3) swaps.push([new RegExp(`\\b${escape(user)}\\b`, 'g'), 'dev']);
  swaps.push(
    [/https?:\/\/[\w.:-]+(?=\/[^\s"']*-\d[\w.-]*\.tgz)/g, 'https://registry.npmjs.org'],
    [/index\.crates\.io-[0-9a-f]{16}/g, 'index.crates.io'],
    [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?/g, '2026-01-01T00:00:00Z'],
    [/\bin \d+m? ?\d*\.?\d+s\b/g, 'in 0.50s'],
    [/\bduration_ms:? [\d.]+/g, 'duration_ms 1'],
    [/\b\d+\.\d+ ?ms\b/g, '1 ms'],
    [/-[0-9a-f]{16}\b/g, '-0000000000000000'], // hashes in the names of built files
    [/\r\n/g, '\n'],
  );
  return (text) => swaps.reduce((left, [from, to]) => left.replace(from, to), text);
}
