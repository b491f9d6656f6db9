// @ts-check
// What a log's real token counts say about the package's own measure, and the log's windows they belong to.
// Shared by inspect and replay; decides no relief and prints nothing.

import { count } from './pure-plan.js';

/** @typedef {typeof import('./inline.js').open} Open */

/** The package's own `open` unless the caller hands one in (a page that loads the wasm its own way). @param {Open} [open] */
export const opener = async (open) => open ?? (await import('./inline.js')).open;

/**
 * The log's windows: for each step the segment it belongs to.
 * @param {any} session @returns {{ start: number, head: any[], cause: string, steps: number[] }[]}
 */
export function segmentsWithSteps(session) {
  const segments = (session.segments?.length ? session.segments : [{ start: 0, head: [], cause: 'start' }])
    .map((segment) => ({ ...segment, steps: /** @type {number[]} */ ([]) }));
  session.steps.forEach((step, s) => {
    const segment = segments.findLast((one) => one.start <= step.row) ?? segments[0];
    segment.steps.push(s);
  });
  return segments;
}

/** Tokens of each row by the package's own measure, uncorrected. @param {any[]} messages @returns {number[]} */
export function measureRows(messages) {
  const all = count(messages);
  if (Array.isArray(all?.rows)) return all.rows;
  return messages.map((message) => {
    const one = count([message]);
    return typeof one === 'number' ? one : one.tokens;
  });
}

/** What surrounds the messages, as far as the log states it. @param {any} session */
export function frameOf({ system, tools }) {
  return system || tools ? { ...(system && { system }), ...(tools && { tools }) } : undefined;
}

/** Tokens of the frame by the package's own measure, uncorrected. @param {Open} open @param {any} frame */
export async function measureFrame(open, frame) {
  if (!frame) return 0;
  const cascade = await open({ transcript: 'frame', format: 'ai-sdk', model: { id: 'unnamed' }, host: {}, config: { estimate: { overhead: 0, ratio: 1 } } });
  try {
    await cascade.next({ messages: [{ role: 'user', content: '.' }], frame });
    const around = cascade.inspect().breakdown.buckets.filter(({ id, summed }) => summed !== false && id !== 'messages' && id !== 'attachments');
    return around.reduce((sum, bucket) => sum + bucket.tokens, 0);
  } finally {
    cascade.close();
  }
}

/**
 * What the log's real counts say about the measure: `real ≈ overhead + ratio · measured`. The ratio comes from
 * growth within one window (overhead cancels out), the overhead from the median of what is left.
 * @param {any} session @param {number[]} rowTokens tokens of each row, uncorrected @param {number} [frameTokens] default 0
 * @returns {{ overhead: number, ratio: number, samples: number }} samples: steps with a real count
 */
export function calibrate(session, rowTokens, frameTokens = 0) {
  const sums = [0];
  for (const tokens of rowTokens) sums.push(sums[sums.length - 1] + tokens);
  const points = [];
  let grownReal = 0;
  let grown = 0;
  for (const segment of segmentsWithSteps(session)) {
    const head = frameTokens + (segment.head.length ? measureRows(segment.head).reduce((a, b) => a + b, 0) : 0);
    let previous;
    for (const s of segment.steps) {
      const { row, usage, model } = session.steps[s];
      if (!(usage?.input > 0)) continue;
      const point = { real: usage.input, measured: head + sums[row] - sums[segment.start], model };
      points.push(point);
      if (previous && previous.model === model) {
        grown += point.measured - previous.measured;
        grownReal += point.real - previous.real;
      }
      previous = point;
    }
  }
  if (points.length === 0) return { overhead: 0, ratio: 1, samples: 0 };
  const bounded = (ratio) => Math.min(5, Math.max(0.2, Math.round(ratio * 1e4) / 1e4));
  const ratio = grown > 0 && grownReal > 0 ? bounded(grownReal / grown) : 1;
  const overhead = Math.round(percentile(points.map((point) => point.real - ratio * point.measured), 0.5));
  if (overhead >= 0) return { overhead, ratio, samples: points.length };
  const total = points.reduce((sum, point) => [sum[0] + point.real, sum[1] + point.measured], [0, 0]);
  return { overhead: 0, ratio: total[1] > 0 ? bounded(total[0] / total[1]) : 1, samples: points.length };
}

/** Nearest-rank percentile. @param {number[]} values @param {number} p 0..1 @returns {number} 0 for an empty list */
export function percentile(values, p) {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)];
}

/** Lets timers, painting and signals in once in a while on long work. */
export function breather(everyMs = 40) {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < everyMs) return;
    await new Promise((resolve) => setTimeout(resolve));
    last = performance.now();
  };
}
