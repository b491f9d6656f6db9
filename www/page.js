// Wires the page: a file or the sample in, one replay, and everything that follows the
// scrubber. It decides no number: reading, replaying and measuring are the package's.

import { define } from '../pkg/panel.js';
import { createChart } from './chart.js';
import { healedLines, readingOf, totalsOf, violationLines } from './figures.js';
import { fetchSample, parseConfig, replay } from './lab.js';

/** Small enough that the sample needs relief, in tokens. */
const SAMPLE_WINDOW = 64_000;

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

/** The session to replay; `window` when it comes with one that suits it. @type {{ bytes: Uint8Array, name: string, window?: number } | null} */
let file = null;
/** @type {Awaited<ReturnType<typeof replay>> & { file: typeof file } | null} */
let shown = null;
/** @type {AbortController | null} */
let running = null;
/** Whether a person set the window; until then each session brings its own. */
let windowChosen = false;
let chart;

/** @param {HTMLElement} list @param {{ term: string, text: string, hint?: string, name: string, quiet?: boolean }[]} entries */
function drawTerms(list, entries) {
  list.replaceChildren(...entries.map(({ term, text, hint, name, quiet }) => {
    const box = document.createElement('div');
    box.dataset.name = name;
    if (hint) box.title = hint;
    if (quiet) box.className = 'quiet';
    const dt = document.createElement('dt');
    const dd = document.createElement('dd');
    dt.textContent = term;
    dd.textContent = text;
    box.append(dt, dd);
    return box;
  }));
}

/** @param {HTMLElement} details @param {string} title @param {string[]} lines */
function drawLines(details, title, lines) {
  details.hidden = lines.length === 0;
  details.firstElementChild.textContent = title;
  details.lastElementChild.replaceChildren(...lines.map((line) => {
    const item = document.createElement('li');
    item.textContent = line;
    return item;
  }));
}

/** @param {string | null} text */
function trouble(text) {
  $('trouble').hidden = text === null;
  $('trouble').textContent = text ?? '';
}

/** @param {string | null} text @param {number} [done] 0..1 */
function busy(text, done = 0) {
  $('busy').hidden = text === null;
  if ($('busy-text').textContent !== (text ?? '')) $('busy-text').textContent = text ?? '';
  $('progress').value = done;
}

/** @param {number} at index of a step */
function select(at) {
  if (!shown) return;
  const step = shown.report.steps[at];
  $('step').value = String(at + 1);
  $('step').setAttribute('aria-valuetext', `Step ${at + 1} of ${shown.report.steps.length}`);
  $('panel').usage = shown.usages[at] ?? null;
  drawTerms($('reading'), readingOf(step, shown.report.steps.length));
  chart.select(at);
  const acted = shown.acted;
  $('previous').disabled = !acted.some((i) => i < at);
  $('next').disabled = !acted.some((i) => i > at);
}

function show() {
  const { report, session, title, thresholds, acted } = shown;
  $('lab').hidden = false;
  $('name').textContent = title;
  drawTerms($('totals'), totalsOf(report));
  const healed = healedLines(session.healed ?? []);
  drawLines($('healed'), `${healed.length === 1 ? 'One thing' : `${healed.length} things`} in this log needed healing`, healed);
  drawLines($('violations'), `${report.violations.length} checks failed`, violationLines(report.violations));
  $('step').max = String(report.steps.length);
  chart.show({ steps: report.steps, window: report.window, thresholds });
  const telling = report.steps.findIndex((step) => step.evicted > 0 || step.folded > 0);
  select(telling >= 0 ? telling : acted[0] ?? report.steps.length - 1);
}

async function run() {
  if (!file) return;
  running?.abort();
  const mine = new AbortController();
  running = mine;
  trouble(null);
  if (shown?.file !== file) $('lab').hidden = true; // never the last session under this one's name
  busy('Reading the session…');
  try {
    const result = await replay(file, {
      window: windowChosen ? readWindow() : file.window,
      config: parseConfig($('config').value),
      signal: mine.signal,
      onProgress: (done, steps) => busy(`Replaying step ${done} of ${steps}…`, done / steps),
    });
    if (mine.signal.aborted) return;
    $('window').value = String(result.report.window);
    shown = { ...result, file };
    show();
  } catch (error) {
    if (mine.signal.aborted) return;
    trouble(error instanceof Error && error.message ? error.message : 'This file could not be replayed.');
  } finally {
    if (running === mine) busy(null);
  }
}

/** @returns {number} */
function readWindow() {
  const tokens = Number($('window').value);
  if (!Number.isInteger(tokens) || tokens < 1000) throw new Error('The window must be a whole number of at least 1,000 tokens.');
  return tokens;
}

/** @param {File | undefined} chosen */
async function take(chosen) {
  if (!chosen) return;
  try {
    file = { bytes: new Uint8Array(await chosen.arrayBuffer()), name: chosen.name };
  } catch {
    trouble('The browser could not read this file. Is it a folder, or was it moved?');
    return;
  }
  await run();
}

function acceptDrops() {
  const holdsFile = (/** @type {DragEvent} */ event) => [...(event.dataTransfer?.types ?? [])].includes('Files');
  document.addEventListener('dragover', (event) => {
    if (!holdsFile(event)) return;
    event.preventDefault();
    $('drop').classList.add('over');
  });
  document.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) $('drop').classList.remove('over');
  });
  document.addEventListener('drop', (event) => {
    if (!holdsFile(event)) return;
    event.preventDefault();
    $('drop').classList.remove('over');
    take(event.dataTransfer?.files[0]);
  });
}

export function start() {
  define();
  chart = createChart($('chart'), { onPick: select });
  acceptDrops();
  const takeChosen = () => {
    take($('file').files[0]);
    $('file').value = '';
  };
  $('file').addEventListener('change', takeChosen);
  takeChosen(); // one chosen while this page was still loading
  $('sample').addEventListener('click', async () => {
    try {
      file = { bytes: await fetchSample(), name: 'the sample', window: SAMPLE_WINDOW };
    } catch (error) {
      trouble(error.message);
      return;
    }
    run();
  });
  $('window').addEventListener('change', () => {
    windowChosen = $('window').value !== '';
    run();
  });
  $('apply').addEventListener('click', run);
  $('step').addEventListener('input', () => select(Number($('step').value) - 1));
  $('previous').addEventListener('click', () => select(shown.acted.findLast((i) => i < Number($('step').value) - 1)));
  $('next').addEventListener('click', () => select(shown.acted.find((i) => i > Number($('step').value) - 1)));
}
