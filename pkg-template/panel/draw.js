// @ts-check
// Puts the panel's model into elements. The frame is built once and then only its texts
// and lists change, so that focus and opened drill-downs survive an update. Every word
// enters as a text node; nothing is ever parsed as HTML. It knows no events of the host.

/** @typedef {ReturnType<typeof import('./model.js').panelModel>} Model */

const SVG = 'http://www.w3.org/2000/svg';
const COLOURS = new Set(['system', 'index', 'tools', 'deferred', 'context', 'messages', 'attachments', 'overhead']);

/**
 * @param {string} tag
 * @param {Record<string, string>} [attributes]
 * @param {(Node | string)[]} [children]
 */
export function element(tag, attributes = {}, children = []) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function ring() {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 36 36');
  svg.setAttribute('class', 'ring');
  svg.setAttribute('aria-hidden', 'true');
  for (const name of ['track', 'fill']) {
    const circle = document.createElementNS(SVG, 'circle');
    for (const [key, value] of Object.entries({ class: name, cx: '18', cy: '18', r: '15.5', pathLength: '100' })) {
      circle.setAttribute(key, value);
    }
    svg.append(circle);
  }
  return svg;
}

/** The frame, and the places in it that change. */
export function buildFrame() {
  const at = {
    percent: element('span', { class: 'percent', part: 'percent' }),
    triggerText: element('span', { part: 'trigger-text' }),
    title: element('span', { class: 'title' }),
    assumed: element('span', { class: 'assumed', part: 'assumed' }),
    mark: element('span', { class: 'mark', part: 'provenance' }),
    gauge: element('span', { class: 'gauge', part: 'gauge' }),
    remark: element('p', { part: 'remark' }),
    fillings: element('div', { class: 'fillings' }),
    ticks: element('div', { class: 'ticks' }),
    ladder: element('ul', { class: 'ladder', part: 'thresholds' }),
    counted: element('ul', { class: 'rows', part: 'rows' }),
    sums: element('ul', { class: 'rows', part: 'sums' }),
    aside: element('ul', { class: 'rows', part: 'aside' }),
    reclaimed: element('p', { class: 'reclaimed', part: 'reclaimed' }),
    next: element('p', { class: 'next', part: 'next' }),
    compact: /** @type {HTMLButtonElement} */ (element('button', { type: 'button', part: 'compact' })),
    newSession: /** @type {HTMLButtonElement} */ (element('button', { type: 'button', part: 'new-session' })),
    status: element('span', { class: 'unseen', role: 'status' }),
  };
  const meter = element('div', { class: 'meter', part: 'bar' }, [at.fillings, at.ticks]);
  const trigger = /** @type {HTMLButtonElement} */ (
    element('button', { type: 'button', class: 'trigger', part: 'trigger', 'aria-controls': 'panel' }, [ring(), at.triggerText]));
  const notes = element('div', { class: 'notes' }, [at.reclaimed, at.next]);
  const actions = element('div', { class: 'actions', part: 'actions' }, [at.compact, at.newSession]);
  const panel = element('div', { id: 'panel', class: 'panel', part: 'panel', role: 'group' }, [
    element('div', { class: 'head' }, [at.title, at.assumed, at.mark]),
    element('div', { class: 'figure' }, [at.percent, at.gauge]),
    at.remark, meter, at.ladder, at.counted, at.sums, at.aside, notes, actions,
  ]);
  const root = element('div', { class: 'root' }, [trigger, at.status, panel]);
  return { root, trigger, panel, meter, notes, actions, ...at };
}

/** @param {HTMLElement} target @param {string | null} text null hides it */
function say(target, text, title = '') {
  target.hidden = text === null;
  if (target.textContent !== (text ?? '')) target.textContent = text ?? '';
  if (title) target.title = title;
}

/** @param {string} id */
const colour = (id) => `var(--${id === 'deferred' ? 'tools' : COLOURS.has(id) ? id : 'other'})`;

function swatch(row) {
  const shape = { overhead: ' hatched', reserve: ' hatched', aside: ' hollow', free: ' hollow', total: '' }[row.kind] ?? '';
  const made = element('i', { class: `swatch${shape}`, 'aria-hidden': 'true' });
  const of = { free: 'var(--_muted)', total: 'transparent', reserve: 'var(--_muted)' }[row.kind] ?? colour(row.id);
  made.style.setProperty('--_color', of);
  return made;
}

function drawGroups(groups) {
  const line = ({ label, text }, name) => element('div', { class: `line ${name}` }, [
    element('span', {}, [label]), element('span', {}, [text])]);
  return element('ul', { class: 'groups' }, groups.map((group) => element('li', {}, [
    line(group, group.items.length > 0 ? 'source' : ''),
    ...(group.items.length > 0 ? [element('ul', {}, group.items.map((item) => element('li', {}, [line(item, '')])))] : []),
  ])));
}

function drawRow(row) {
  const label = element('span', { class: 'label' }, [row.label]);
  if (row.note) label.append(element('span', { class: 'note' }, [row.note]));
  const cells = [swatch(row), label, element('span', { class: 'number' }, [row.text])];
  const classes = `row${row.tokens === 0 ? ' zero' : ''}`;
  if (row.groups.length === 0) return element('div', { class: classes, ...(row.title ? { title: row.title } : {}) }, cells);
  return element('details', {}, [element('summary', { class: classes }, cells), drawGroups(row.groups)]);
}

/** Puts fresh content into a drill-down without touching the summary element, which may hold the focus. */
function refill(details, fresh) {
  const [summary, groups] = [...fresh.children];
  details.firstElementChild.className = summary.className;
  details.firstElementChild.replaceChildren(...summary.childNodes);
  details.lastElementChild.replaceWith(groups);
}

/** Rows by id: one that did not change keeps its element, one that did keeps being open and focused. */
function drawRows(list, rows) {
  const before = new Map([...list.children].map((item) => [item.dataset.row, item]));
  rows.forEach((row, at) => {
    const first = rows.findIndex(({ id }) => id === row.id);
    const key = first === at ? row.id : `${row.id}~${at}`; // a host may use one category twice
    const print = JSON.stringify(row);
    const item = before.get(key) ?? element('li', { 'data-row': key, part: `row row-${row.id.replace(/[^\w-]/g, '-')}` });
    before.delete(key);
    if (item.dataset.print !== print) {
      const body = drawRow(row);
      const was = item.firstElementChild;
      if (was?.tagName === 'DETAILS' && body.tagName === 'DETAILS') refill(was, body);
      else item.replaceChildren(body);
      item.dataset.print = print;
    }
    if (list.children[at] !== item) list.insertBefore(item, list.children[at] ?? null);
  });
  for (const gone of before.values()) gone.remove();
}

function drawBar(frame, model) {
  const { bar } = model;
  frame.fillings.replaceChildren(...bar.segments.map(({ id, share }) => {
    const segment = element('i', { class: id === 'overhead' ? 'hatched' : '', 'data-segment': id });
    segment.style.setProperty('--_color', colour(id));
    segment.style.width = `${share * 100}%`;
    return segment;
  }));
  if (bar.reserve > 0) {
    const rest = element('i', { class: 'hatched reserve', 'data-segment': 'reserve' });
    rest.style.setProperty('--_color', 'var(--_line)');
    rest.style.width = `${bar.reserve * 100}%`;
    frame.fillings.append(rest);
  }
  frame.ticks.replaceChildren(...bar.ticks.map(({ id, share, title }) => {
    const tick = element('span', { class: 'tick', part: 'tick', 'data-tick': id, title });
    tick.style.setProperty('--_share', String(share));
    return tick;
  }));
  const named = bar.ticks.filter(({ label }) => label !== '');
  frame.ladder.hidden = named.length === 0;
  frame.ladder.replaceChildren(...named.map(({ label, text, title, reached }) => {
    return element('li', { title, ...(reached ? { class: 'reached' } : {}) }, [`${label} ${text}`]);
  }));
}

function drawMeter(meter, model) {
  const measurable = model.known && model.window !== null;
  // A meter must have a value: with none to give it is a picture with words.
  meter.setAttribute('role', measurable ? 'meter' : 'img');
  meter.setAttribute('aria-label', measurable ? model.words.title : `${model.words.title}: ${model.meterText}`);
  const values = { 'aria-valuemin': '0', 'aria-valuemax': String(model.window), 'aria-valuenow': String(Math.min(model.total ?? 0, model.window ?? 0)), 'aria-valuetext': model.meterText };
  for (const [name, value] of Object.entries(values)) {
    if (measurable) meter.setAttribute(name, value);
    else meter.removeAttribute(name);
  }
}

/**
 * @param {ReturnType<typeof buildFrame>} frame
 * @param {Model} model
 * @param {{ open: boolean, inline: boolean, compactable: boolean, newSession: boolean }} flags
 */
export function draw(frame, model, flags) {
  const { words } = model;
  const compacting = model.state === 'compacting';
  frame.root.dataset.level = model.level;
  frame.root.dataset.state = model.state;
  frame.root.dataset.share = model.percent === null ? 'unknown' : 'known';
  frame.root.toggleAttribute('data-over', model.over);
  frame.root.style.setProperty('--_share', String(Math.min(100, model.percent ?? 0)));

  frame.trigger.hidden = flags.inline;
  frame.trigger.setAttribute('aria-expanded', String(flags.open));
  frame.trigger.setAttribute('aria-label', `${words.trigger}: ${compacting ? words.compacting : model.meterText}`);
  say(frame.triggerText, compacting ? words.compacting : model.percentText);
  say(frame.status, compacting ? words.compacting : '');
  frame.panel.hidden = !flags.open && !flags.inline;
  frame.panel.setAttribute('aria-label', words.title);
  frame.panel.setAttribute('aria-busy', String(compacting));

  say(frame.title, compacting ? words.compacting : words.title);
  say(frame.assumed, model.assumed, words.assumedHint);
  say(frame.mark, model.mark, model.markTitle);
  frame.mark.dataset.mark = model.provenance;
  say(frame.percent, model.percentText);
  say(frame.gauge, model.gauge);
  say(frame.remark, model.warning ?? (model.known ? null : words.unknown));
  frame.remark.className = model.warning ? 'remark warning' : 'remark';
  drawBar(frame, model);
  drawMeter(frame.meter, model);
  drawRows(frame.counted, model.counted);
  drawRows(frame.sums, model.sums);
  drawRows(frame.aside, model.aside);
  say(frame.reclaimed, model.reclaimed);
  say(frame.next, model.next);
  frame.notes.hidden = model.reclaimed === null && model.next === null;

  say(frame.compact, flags.compactable ? words.compact : null);
  frame.compact.disabled = compacting;
  say(frame.newSession, flags.newSession ? words.newSession : null);
  frame.actions.hidden = !flags.compactable && !flags.newSession;
}
