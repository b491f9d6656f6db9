// @ts-check
// What a host would have heard during a recorded session at a window of your choice: every event, in order.
//
// Decides the script: `next` before each model call of the log, a fold in the background is run at once,
// `settle` after it. No model takes part, so the briefing is scripted: it says which rows it stands for and
// nothing of them. The log's own token counts belong to the log's own window and are not used as the gauge.

import { breather, calibrate, frameOf, measureFrame, measureRows, opener } from './calibrate.js';
import { badInput } from './errors.js';
import { memoryStore } from './stores/memory.js';

/**
 * @param {any} session what `readSession` returns
 * @param {{ window?: number, maxOutput?: number, config?: any, open?: import('./calibrate.js').Open, signal?: AbortSignal, onEvent?: (event: any) => void }} [options]
 *   window: tokens, default the log's own
 * @returns {Promise<any[]>} the events; `onEvent` got each of them when it happened
 * @throws CascadeError `bad_input` without any window
 */
export async function replayEvents(session, { window, maxOutput, config = {}, open: given, signal, onEvent } = {}) {
  const open = await opener(given);
  const tokens = window ?? session.model?.window;
  if (!Number.isSafeInteger(tokens) || tokens <= 0) throw badInput(window === undefined ? 'window: the log does not state one; give the number of tokens' : 'window: expected a whole number of tokens above 0');
  const messages = session.rows.map((/** @type {any} */ row) => row.message);
  const frame = frameOf(session);
  const { overhead, ratio, samples } = calibrate(session, measureRows(messages), await measureFrame(open, frame));
  const estimate = { ...(samples > 0 && { overhead, ratio }), ...config.estimate };
  /** @type {any[]} */
  const events = [];
  const host = {
    ...memoryStore(),
    summarize: scripted,
    onEvent(/** @type {any} */ event) {
      events.push(event);
      onEvent?.(event);
    },
  };
  const { id, provider } = session.model ?? {};
  const cascade = await open({
    transcript: 'replay',
    format: 'ai-sdk',
    model: { ...(id && { id }), ...(provider && { provider }), window: tokens, ...(maxOutput && { maxOutput }) },
    host,
    config: { ...config, ...(Object.keys(estimate).length > 0 && { estimate }) },
  });
  const breathe = breather();
  try {
    for (const { row } of session.steps) {
      signal?.throwIfAborted();
      const next = await cascade.next({ messages: messages.slice(0, row), ...(frame && { frame }), ...(signal && { signal }) });
      await next.background?.run();
      await cascade.settle({});
      await breathe();
    }
  } finally {
    cascade.close();
  }
  return events;
}

/** @param {{ kind: string, reason: string, covered: string }} request */
function scripted({ kind, reason, covered }) {
  const rows = [...covered.matchAll(/^\[\w+, row (\d+)\]/gm)].map((m) => Number(m[1]));
  const span = rows.length > 0 ? `rows ${Math.min(...rows)} to ${Math.max(...rows)}` : 'earlier rows';
  return { text: `## Objective\n- (scripted briefing, no model took part)\n\n## Decisions & Facts\n- ${kind}, ${reason}: stands for ${span}\n\n## Next Step\n- go on\n` };
}
