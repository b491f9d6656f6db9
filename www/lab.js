// One replay: bytes in, the report and the gauge at every step out. It runs in this page
// and not in a worker, because a worker would not be held by the page's content policy.

import { init, open } from '../pkg/web.js';
import { readSession } from '../pkg/readers/index.js';
import { replaySession } from '../pkg/replay.js';

/** Assumed where neither the log nor the person says how large the window is. */
const ASSUMED_WINDOW = 128_000;
const SAMPLE = '../sample/session.json';

export async function fetchSample() {
  const answer = await fetch(new URL(SAMPLE, import.meta.url)).catch(() => null);
  if (!answer?.ok) throw new Error('The sample session is not beside this page. Is the server’s root the repository?');
  return new Uint8Array(await answer.arrayBuffer());
}

/** @param {string} text JSON of a configuration; empty means the defaults */
export function parseConfig(text) {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The configuration is not JSON: ${error.message}`);
  }
}

/** @param {{ evicted: number, clamped: number, folded: number }} step */
export const didAct = (step) => step.evicted > 0 || step.clamped > 0 || step.folded > 0;

/** What the panel shows of an inspection; the ledger of every step would be too much to keep. */
const gaugeOf = ({ breakdown, window, thresholds, nextRelief }) => ({ breakdown, window, thresholds, nextRelief });

/**
 * @param {{ bytes: Uint8Array | ArrayBuffer, name: string }} file
 * @param {{ window?: number, config?: any, signal: AbortSignal, onProgress(done: number, steps: number): void }} options
 *   without a window: the log's own, else the assumed one
 */
export async function replay(file, { window, config, signal, onProgress }) {
  await init();
  const session = await readSession(file.bytes, { name: file.name });
  const calls = session.steps.length;
  if (calls === 0) throw new Error('This session holds no model call, so there is nothing to replay.');
  const usages = [];
  const report = await replaySession(session, {
    window: window ?? session.model?.window ?? ASSUMED_WINDOW,
    config,
    signal,
    open,
    onStep: (step, { index, total, inspection }) => {
      usages.push(gaugeOf(inspection));
      onProgress(index + 1, total);
    },
  });
  const acted = report.steps.flatMap((step, at) => (didAct(step) ? [at] : []));
  const size = `${session.rows.length} messages, ${calls} model calls`;
  const title = [file.name, session.format, session.model?.id, size].filter(Boolean).join(' · ');
  return { report, session, usages, thresholds: usages.at(-1)?.thresholds ?? {}, acted, title };
}
