// One replay: bytes in, the report and the gauge at every step out. It runs in this page
// and not in a worker, because a worker would not be held by the page's content policy.

import { init, open } from '../pkg/web.js';
import { readSession } from '../pkg/readers/index.js';
import { replaySession } from '../pkg/replay.js';

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

/** The window of a log that does not state one: its model's, else an assumption. @param {{ id?: string, window?: number } | undefined} model */
async function windowOf(model) {
  if (model?.window) return { tokens: model.window, source: 'log' };
  const probe = await open({ transcript: 'window', format: 'ai-sdk', model: { id: model?.id ?? 'unnamed' } });
  try {
    return probe.inspect().window;
  } finally {
    probe.close();
  }
}

/**
 * @param {{ bytes: Uint8Array | ArrayBuffer, name: string }} file
 * @param {{ window?: number, config?: any, signal: AbortSignal, onProgress(done: number, steps: number): void }} options
 *   without a window: the log's own, else its model's, else an assumed one, which the panel then says
 */
export async function replay(file, { window, config, signal, onProgress }) {
  await init();
  const session = await readSession(file.bytes, { name: file.name });
  const calls = session.steps.length;
  if (calls === 0) throw new Error('This session holds no model call, so there is nothing to replay.');
  const size = window ? { tokens: window, source: 'given' } : await windowOf(session.model);
  const usages = [];
  const report = await replaySession(session, {
    window: size.tokens,
    config,
    signal,
    open,
    onStep: (step, { index, total, inspection: { breakdown, thresholds, nextRelief } }) => {
      // Not the whole inspection: the ledgers of every step would be too much to keep.
      usages.push({ breakdown, thresholds, nextRelief, window: size });
      onProgress(index + 1, total);
    },
  });
  const acted = report.steps.flatMap((step, at) => (didAct(step) ? [at] : []));
  const length = `${session.rows.length} messages, ${calls} model calls`;
  const title = [file.name, session.format, session.model?.id, length].filter(Boolean).join(' · ');
  return { report, session, usages, thresholds: usages.at(-1)?.thresholds ?? {}, acted, title };
}
