// @ts-check
// What the terminal at the other end can do: colours, width, a progress bar. Everything that prints asks here, so a
// pipe, NO_COLOR and a narrow window get the same text without the ornaments. Knows nothing of sessions.

import cliProgress from 'cli-progress';
import pc from 'picocolors';

const WIDEST = 100;
const NARROWEST = 36;

/**
 * @typedef {{ width: number, paint: ReturnType<typeof pc.createColors>, out(text: string): void, err(text: string): void,
 *   progress(label: string): { at(done: number, total: number): void, end(): void } }} Terminal
 */

/**
 * @param {{ stdout: any, stderr: any, env: Record<string, string | undefined>, color?: boolean }} io
 * @returns {Terminal}
 */
export function terminal({ stdout, stderr, env, color }) {
  const colours = color ?? (!env.NO_COLOR && (Boolean(env.FORCE_COLOR && env.FORCE_COLOR !== '0') || (stdout.isTTY === true && env.TERM !== 'dumb')));
  const asked = Number(stdout.columns ?? env.COLUMNS ?? 80);
  return {
    width: Math.max(NARROWEST, Math.min(WIDEST, Number.isFinite(asked) && asked > 0 ? asked : 80)),
    paint: pc.createColors(colours),
    out: (text) => stdout.write(`${text}\n`),
    err: (text) => stderr.write(`${text}\n`),
    progress: (label) => progress(label, stderr, env),
  };
}

/** A bar on stderr that appears only when the work takes a while, and only for people. */
function progress(label, stream, env) {
  if (!stream.isTTY || env.TERM === 'dumb') return { at() {}, end() {} };
  const PATIENCE_MS = 300;
  const begun = performance.now();
  let bar;
  return {
    at(done, total) {
      if (!bar) {
        if (performance.now() - begun < PATIENCE_MS || done >= total) return;
        bar = new cliProgress.SingleBar({
          stream, clearOnComplete: true, hideCursor: true, barsize: 28, barCompleteChar: '━', barIncompleteChar: '─',
          format: `  ${label} {bar} {value}/{total} steps`,
        });
        bar.start(total, done);
      }
      bar.update(done);
    },
    end() {
      bar?.stop();
    },
  };
}
