// What the panel says about a usage event, before any pixel: BD-1 to BD-3, the reducer,
// the notices, and that importing it needs no DOM.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { define, defaultLabels, gauge, panelModel, panelState, toNotice } from '../../pkg-template/panel.js';

const SEGMENTS = [
  { category: 'system', label: 'System prompt', tokens: 1200 },
  { category: 'index', label: 'Capability index', tokens: 150 },
  {
    category: 'tools', label: 'Tools bound', tokens: 3000, items: [
      { label: 'read_file', tokens: 400, source: 'builtin' },
      { label: 'create_issue', tokens: 2000, source: 'github' },
      { label: 'bash', tokens: 600, source: 'builtin' },
    ],
  },
  { category: 'deferred', label: 'Tools deferred', tokens: 5000 },
  { category: 'context', label: 'Session context', tokens: 400 },
  { category: 'messages', label: 'Messages', tokens: 9000 },
  { category: 'attachments', label: 'Attachments', tokens: 1560 },
];

/** @param {object} [changes] */
const usage = (changes) => ({
  type: 'context.usage', seq: 7, persist: false, contextLimit: 200_000, used: 15_900, usable: 136_000,
  provenance: 'exact', approximate: false, segments: SEGMENTS,
  thresholds: { evict: 100_000, soft: 120_000, hard: 122_400 }, ...changes,
});
const breakdown = (changes) => ({
  total: 15_900, window: 200_000, usable: 136_000, provenance: 'exact', reclaimed: 0,
  buckets: SEGMENTS.map(({ category, ...bucket }) => ({ id: category, ...bucket, ...(category === 'deferred' ? { summed: false } : {}) })),
  ...changes,
});
const texts = (rows) => Object.fromEntries(rows.map(({ id, text }) => [id, text]));

test('BD-1: real 15,900 over measured 15,310 shows +590, the total, what is free and 8%', () => {
  for (const shown of [panelModel(usage()), panelModel(breakdown()), panelModel({ breakdown: breakdown(), window: { tokens: 200_000, source: 'model' } })]) {
    assert.deepEqual(texts(shown.counted), {
      system: '1,200', index: '150', tools: '3,000', context: '400', messages: '9,000', attachments: '1,560', overhead: '+590',
    });
    assert.deepEqual(texts(shown.sums), { total: '15,900', free: '120,100', reserve: '64,000' });
    assert.deepEqual(texts(shown.aside), { deferred: '5,000' }, 'deferred tools are shown apart, not counted');
    assert.equal(shown.aside[0].note, 'not counted');
    assert.equal(shown.percentText, '8%');
    assert.equal(shown.mark, 'exact');
    const counted = shown.counted.reduce((sum, { tokens }) => sum + tokens, 0);
    assert.equal(counted, 15_900);
  }
});

test('BD-1: a real count below the measure keeps its sign, and the bar is never longer than the total', () => {
  const shown = panelModel(usage({ used: 15_000 }));
  assert.equal(texts(shown.counted).overhead, '−310');
  const filled = shown.bar.segments.reduce((sum, { share }) => sum + share, 0);
  assert.ok(Math.abs(filled - 15_000 / 200_000) < 1e-9, String(filled));
  assert.ok(!shown.bar.segments.some(({ id }) => id === 'overhead' || id === 'deferred'));
});

test('BD-1: bound tools drill down by source, largest first', () => {
  const tools = panelModel(usage()).counted.find(({ id }) => id === 'tools');
  assert.deepEqual(tools.groups.map(({ label, text, items }) => [label, text, items.map((item) => item.label)]), [
    ['github', '2,000', ['create_issue']],
    ['builtin', '1,000', ['bash', 'read_file']],
  ]);
});

test('BD-2: without a real count the total is an estimate, marked ~, and the overhead a shown 0', () => {
  const shown = panelModel(usage({ used: 15_310, provenance: 'estimated', approximate: true }));
  assert.equal(texts(shown.sums).total, '~15,310');
  assert.equal(texts(shown.counted).overhead, '0');
  assert.equal(shown.percentText, '~8%');
  assert.equal(shown.mark, '~ estimated');
  assert.equal(panelModel(usage({ provenance: 'anchored' })).mark, 'anchored');
});

test('BD-2: over the window is said, not clamped', () => {
  const shown = panelModel(usage({ contextLimit: 256_000, used: 300_000, usable: 224_000, segments: [{ category: 'messages', tokens: 290_000 }] }));
  assert.equal(shown.percentText, '117%');
  assert.equal(shown.over, true);
  assert.equal(texts(shown.sums).free, '0');
  const end = shown.bar.ticks.find(({ id }) => id === 'window');
  assert.ok(Math.abs(end.share - 256 / 300) < 1e-9);
  const filled = shown.bar.segments.reduce((sum, { share }) => sum + share, 0);
  assert.ok(Math.abs(filled - 1) < 1e-9);
});

test('BD-2: the gauge', () => {
  assert.equal(gauge(80_000, 256_000), 'ctx 80k/256k');
  assert.equal(gauge(79_500, 255_600), 'ctx 80k/256k');
  assert.equal(gauge(999, 8_192), 'ctx 999/8k');
  assert.equal(gauge(0, 128_000), 'ctx 0/128k');
  assert.equal(gauge(null, 256_000), 'ctx –/256k');
});

test('BD-3: reclaimed is a line only when there is some, with one decimal, and not part of the total', () => {
  assert.equal(panelModel(usage({ reclaimed: 0 })).reclaimed, null);
  assert.equal(panelModel(usage()).reclaimed, null);
  const shown = panelModel(usage({ reclaimed: 11_400 }));
  assert.equal(shown.reclaimed, '11.4k reclaimed');
  assert.equal(texts(shown.sums).total, '15,900');
  assert.equal(panelModel(usage({ reclaimed: 950 })).reclaimed, '950 reclaimed');
});

test('thresholds are ticks with their number and share in the title', () => {
  const { ticks } = panelModel(usage({ used: 121_000 })).bar;
  assert.deepEqual(ticks.map(({ id, text, reached }) => [id, text, reached]), [
    ['evict', '100k', true], ['soft', '120k', true], ['hard', '122.4k', false],
  ]);
  assert.equal(ticks[0].share, 0.5);
  assert.match(ticks[2].title, /122,400 tokens \(61%\)/);
  assert.equal(panelModel(usage({ used: 121_000 })).level, 'soft');
  assert.equal(panelModel(usage({ used: 99_999 })).level, 'calm');
});

test('an unknown total is neutral, not 0 %', () => {
  for (const nothing of [null, undefined, 'soon', usage({ used: null }), usage({ used: Number.NaN })]) {
    const shown = panelModel(nothing);
    assert.equal(shown.known, false);
    assert.equal(shown.percentText, '–');
    assert.equal(shown.level, 'unknown');
    assert.deepEqual(shown.bar.segments, []);
    assert.equal(texts(shown.sums).total, '–');
    assert.equal(texts(shown.counted).overhead, '–', 'overhead keeps its row');
  }
});

test('an assumed window is marked; proven wrong, it gives no percentage', () => {
  const fits = panelModel(usage({ assumed: true }));
  assert.equal(fits.assumed, 'assumed window');
  assert.equal(fits.percentText, '8%');
  const wrong = panelModel(usage({ contextLimit: 32_768, used: 35_000, usable: 28_672, assumed: true, percent: null }));
  assert.equal(wrong.percentText, '–');
  assert.equal(wrong.gauge, 'ctx 35k/33k');
  assert.equal(texts(wrong.sums).total, '35,000');
  assert.match(wrong.warning, /larger request succeeded/);
});

test('what the next step would evict', () => {
  assert.equal(panelModel(usage({ nextRelief: { stage: 'evict', resultCount: 12, reclaimedTokens: 11_400 } })).next,
    'The next step would evict 12 results, 11.4k tokens');
  assert.equal(panelModel(usage({ nextRelief: { stage: 'evict', resultCount: 1, reclaimedTokens: 950 } })).next,
    'The next step would evict 1 result, 950 tokens');
  assert.equal(panelModel(usage()).next, null);
});

test('labels: the host’s words win over the event’s, the event’s over ours', () => {
  const german = { free: 'Frei', messages: 'Nachrichten', reclaimed: '{tokens} zurückgewonnen' };
  const shown = panelModel(usage({ reclaimed: 11_400, segments: [
    { category: 'messages', label: 'Messages', tokens: 9000 },
    { category: 'skills', label: 'Skill bodies', tokens: 700 },
    { category: 'system', tokens: 1200 },
  ] }), { labels: german });
  assert.deepEqual(shown.counted.map(({ label }) => label), ['System prompt', 'Nachrichten', 'Skill bodies', 'Overhead']);
  assert.equal(shown.sums.find(({ id }) => id === 'free').label, 'Frei');
  assert.equal(shown.reclaimed, '11.4k zurückgewonnen');
  assert.equal(panelModel(usage(), { labels: { free: undefined, total: 5 } }).sums[1].label, defaultLabels.free);
});

test('numbers do not follow the machine’s locale', () => {
  const shown = panelModel(usage({ contextLimit: 2_000_000, used: 1_234_567 }));
  assert.equal(texts(shown.sums).total, '1,234,567');
});

test('panelState: usage, compacting, folded to neutral, declined back to the last numbers', () => {
  const first = panelState(undefined, usage());
  assert.deepEqual(first, { usage: usage(), state: 'idle' });

  const folding = panelState(first, { type: 'context.folding', seq: 8 });
  assert.equal(folding.state, 'compacting');
  assert.equal(folding.usage, first.usage);

  const folded = panelState(folding, { type: 'context.folded', seq: 9 });
  assert.equal(folded.state, 'idle');
  const neutral = panelModel(folded.usage);
  assert.equal(neutral.known, false);
  assert.equal(neutral.gauge, 'ctx –/200k', 'the window is still known');
  assert.equal(neutral.bar.ticks.length, 3);

  const declined = panelState(folding, { type: 'context.declined', seq: 9, reason: 'summarizer_failed' });
  assert.deepEqual(declined, first, 'a fold that did not happen changes no number');

  const again = panelState(folded, usage({ used: 40_000 }));
  assert.equal(panelModel(again.usage).percentText, '20%');
});

test('panelState: other events return the state itself, so a view need not update', () => {
  const state = panelState(null, usage());
  for (const type of ['context.evicted', 'memory.suggestion', 'context.handoff_suggested', 'something.else']) {
    assert.equal(panelState(state, { type }), state);
  }
  assert.equal(panelState(state, undefined), state);
  assert.deepEqual(panelState(null, { type: 'context.evicted' }), { usage: null, state: 'idle' });
});

test('toNotice: routine events are none, the nudge is a toast, a suggestion is a prompt', () => {
  assert.equal(toNotice({ type: 'context.evicted', reclaimedTokens: 11_400, resultCount: 12 }), null);
  assert.equal(toNotice(usage()), null);
  assert.equal(toNotice(undefined), null);

  const toast = toNotice({ type: 'context.handoff_suggested', usedFraction: 0.724, atFraction: 0.7 });
  assert.equal(toast.kind, 'toast');
  assert.match(toast.text, /72% full/);

  const facts = ['Tests run with make test', 'The API is versioned'];
  assert.deepEqual(toNotice({ type: 'memory.suggestion', scope: 'global', facts }), {
    kind: 'prompt', text: 'Remember these 2 things?', facts, scope: 'global', action: 'Save',
  });
  assert.equal(toNotice({ type: 'memory.suggestion', facts: ['one', ' ', 5] }).text, 'Remember this?');
  assert.equal(toNotice({ type: 'memory.suggestion', facts: [''] }), null);
  assert.equal(toNotice({ type: 'memory.suggestion', facts }, { labels: { rememberMany: '{n} Dinge merken?', save: 'Sichern' } }).text, '2 Dinge merken?');
});

test('a state and its model survive JSON, as they come over a wire', () => {
  const state = panelState(null, usage());
  assert.deepEqual(panelModel(JSON.parse(JSON.stringify(state)).usage), panelModel(state.usage));
});

test('without a DOM, define does nothing', () => {
  assert.equal(globalThis.customElements, undefined);
  assert.doesNotThrow(() => define());
});
