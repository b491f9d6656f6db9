// The occupancy chart: two lines over the steps, the thresholds, and a lane of marks per
// thing the cascade did. Plain SVG, because lines, dashes and lanes are all it needs and
// its colours then follow the page's stylesheet. It knows steps and pixels, no replay.

import { grouped, thousands } from '../pkg/panel/format.js';

const SVG = 'http://www.w3.org/2000/svg';
const HEIGHT = 300;
const LANE = 18;
const MARGIN = { top: 14, right: 94, bottom: 24, left: 66 };
/** A history that outgrows the window more than this is cut at the top, so that the rest stays legible. */
const TALLEST = 2.5;
const LANES = /** @type {const} */ (['clamped', 'evicted', 'folded']);
const LINES = /** @type {const} */ (['evict', 'soft', 'hard', 'window']);

/** @param {string} tag @param {Record<string, string | number>} attributes @param {(Node | string)[]} children */
function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** Round numbers from 0 to `most`, about `wanted` of them. */
export function niceTicks(most, wanted) {
  const rough = most / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const size = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough) ?? power;
  return Array.from({ length: Math.floor(most / size) + 1 }, (_, i) => i * size);
}

/** Moves labels apart that would overlap, from the bottom up. @param {{ y: number }[]} labels */
function spread(labels, apart) {
  labels.sort((a, b) => b.y - a.y);
  for (let i = 1; i < labels.length; i += 1) labels[i].y = Math.min(labels[i].y, labels[i - 1].y - apart);
}

const marks = {
  evicted: (x, y) => svg('path', { d: `M${x - 4} ${y - 4}h8l-4 8z` }),
  clamped: (x, y) => svg('rect', { x: x - 3.5, y: y - 3.5, width: 7, height: 7, rx: 1 }),
  folded: (x, y) => svg('path', { d: `M${x} ${y - 5}l5 5l-5 5l-5 -5z` }),
};

/**
 * @param {HTMLElement} figure gets the drawing after what it holds
 * @param {{ onPick(step: number): void }} options
 */
export function createChart(figure, { onPick }) {
  const drawing = svg('svg', { role: 'img' });
  figure.append(drawing);
  let data = null;
  let selected = 0;
  let scale = null;
  let cursor = null;

  function measure() {
    const { steps, window } = data;
    const width = Math.max(280, figure.clientWidth);
    const highest = steps.reduce((most, step) => Math.max(most, step.before, step.after), 0);
    const top = Math.max(window, Math.min(highest, window * TALLEST)) * 1.04;
    const right = width - MARGIN.right;
    const bottom = HEIGHT - MARGIN.bottom;
    const span = Math.max(1, steps.length - 1);
    return {
      width, highest, top, right, bottom,
      cut: highest > top,
      x: (at) => (steps.length === 1 ? (MARGIN.left + right) / 2 : MARGIN.left + (at / span) * (right - MARGIN.left)),
      y: (tokens) => bottom - (tokens / top) * (bottom - MARGIN.top),
    };
  }

  function axes() {
    const { steps } = data;
    const { x, y, right, bottom, top } = scale;
    const rows = niceTicks(top, 5).map((tokens) => svg('g', {},
      svg('line', { class: 'grid', x1: MARGIN.left, x2: right, y1: y(tokens), y2: y(tokens) }),
      svg('text', { class: 'axis end', x: MARGIN.left - 8, y: y(tokens) + 4 }, thousands(tokens))));
    const columns = niceTicks(steps.length, Math.min(8, (right - MARGIN.left) / 70))
      .map((n) => Math.max(1, n)).filter((n, i, all) => n <= steps.length && all.indexOf(n) === i)
      .map((n) => svg('text', { class: 'axis middle', x: x(n - 1), y: bottom + 17 }, grouped(n)));
    return [...rows, ...columns];
  }

  function thresholds() {
    const { y, right } = scale;
    const lines = LINES.map((id) => ({ id, tokens: id === 'window' ? data.window : data.thresholds[id] }))
      .filter(({ tokens }) => typeof tokens === 'number')
      .map(({ id, tokens }) => ({ id, tokens, at: y(tokens), y: y(tokens) }));
    spread(lines, 13);
    return lines.map(({ id, tokens, at, y: label }) => svg('g', { class: `threshold ${id}` },
      svg('title', {}, `${id}: ${grouped(tokens)} tokens`),
      svg('line', { x1: MARGIN.left, x2: right, y1: at, y2: at }),
      svg('text', { x: right + 6, y: label + 4 }, `${id} ${thousands(tokens)}`)));
  }

  const path = (key) => data.steps
    .map((step, at) => `${at === 0 ? 'M' : 'L'}${scale.x(at).toFixed(1)} ${scale.y(step[key]).toFixed(1)}`).join('');

  function lines() {
    const { x, y, right, bottom, highest } = scale;
    const area = `${path('after')}L${x(data.steps.length - 1).toFixed(1)} ${y(0)}L${x(0).toFixed(1)} ${y(0)}Z`;
    const clip = svg('clipPath', { id: 'plot' }, svg('rect', { x: MARGIN.left - 2, y: MARGIN.top, width: right - MARGIN.left + 4, height: bottom - MARGIN.top + 1 }));
    return [clip, svg('g', { 'clip-path': 'url(#plot)' },
      svg('path', { class: 'area', d: area }),
      svg('path', { class: 'line without', d: path('before') }),
      svg('path', { class: 'line with', d: path('after') })),
    ...(scale.cut ? [svg('text', { class: 'axis', x: MARGIN.left + 6, y: MARGIN.top + 10 }, `↑ up to ${thousands(highest)} without`)] : [])];
  }

  function lanes() {
    const used = LANES.filter((kind) => data.steps.some((step) => step[kind] > 0));
    return used.flatMap((kind, row) => {
      const y = HEIGHT + row * LANE + LANE / 2;
      const acts = data.steps.flatMap((step, at) => {
        if (!(step[kind] > 0)) return [];
        const mark = marks[kind](scale.x(at), y);
        mark.append(svg('title', {}, `Step ${at + 1}: ${grouped(step[kind])} ${kind}`));
        return [mark];
      });
      return [
        svg('text', { class: 'axis end', x: MARGIN.left - 8, y: y + 4 }, kind),
        svg('line', { class: 'grid', x1: MARGIN.left, x2: scale.right, y1: y, y2: y }),
        svg('g', { class: `marks ${kind}` }, ...acts),
      ];
    });
  }

  function draw() {
    if (!data || figure.clientWidth === 0) return;
    scale = measure();
    const marked = lanes();
    const height = HEIGHT + LANES.filter((kind) => data.steps.some((step) => step[kind] > 0)).length * LANE + 4;
    drawing.setAttribute('viewBox', `0 0 ${scale.width} ${height}`);
    drawing.setAttribute('width', String(scale.width));
    drawing.setAttribute('height', String(height));
    const peak = (key) => thousands(data.steps.reduce((most, step) => Math.max(most, step[key]), 0));
    drawing.setAttribute('aria-label', `Tokens in the window over ${data.steps.length} steps: at most ${peak('before')} without the cascade and ${peak('after')} with it, in a window of ${thousands(data.window)}`);
    cursor = svg('g', { class: 'cursor' },
      svg('line', { y1: MARGIN.top, y2: height - 4 }),
      svg('circle', { class: 'without', r: 3.5 }),
      svg('circle', { class: 'with', r: 4 }));
    drawing.replaceChildren(...axes(), ...thresholds(), ...lines(), ...marked, cursor);
    moveCursor();
  }

  function moveCursor() {
    if (!cursor) return;
    const step = data.steps[selected];
    const x = scale.x(selected);
    const [line, before, after] = cursor.children;
    line.setAttribute('x1', x);
    line.setAttribute('x2', x);
    for (const [dot, tokens] of [[before, step.before], [after, step.after]]) {
      dot.setAttribute('cx', x);
      dot.setAttribute('cy', scale.y(Math.min(tokens, scale.top)));
    }
  }

  /** @param {PointerEvent} event */
  function pick(event) {
    if (!scale) return;
    const left = event.clientX - drawing.getBoundingClientRect().left - MARGIN.left;
    const at = Math.round((left / (scale.right - MARGIN.left)) * (data.steps.length - 1));
    onPick(Math.max(0, Math.min(data.steps.length - 1, at)));
  }

  drawing.addEventListener('pointerdown', (event) => {
    drawing.setPointerCapture(event.pointerId);
    pick(event);
  });
  drawing.addEventListener('pointermove', (event) => {
    if (drawing.hasPointerCapture(event.pointerId)) pick(event);
  });
  new ResizeObserver(draw).observe(figure);

  return {
    /** @param {{ steps: any[], window: number, thresholds: Record<string, number> }} next at least one step */
    show(next) {
      data = next;
      selected = Math.min(selected, next.steps.length - 1);
      draw();
    },
    /** @param {number} at index of a step */
    select(at) {
      selected = at;
      moveCursor();
    },
  };
}
