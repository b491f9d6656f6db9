// The element in a real browser: what a person sees, reaches by keyboard and hears, and
// what a framework does to it before it is defined.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, missing } from './chromium.mjs';

const USAGE = {
  type: 'context.usage', contextLimit: 200_000, used: 15_900, usable: 136_000, provenance: 'exact', reclaimed: 11_400,
  thresholds: { evict: 100_000, soft: 120_000, hard: 122_400 },
  segments: [
    { category: 'system', label: 'System prompt', tokens: 1200 },
    { category: 'tools', label: 'Tools bound', tokens: 3000, items: [{ label: 'bash', tokens: 1000, source: 'builtin' }, { label: 'issue', tokens: 2000, source: 'github' }] },
    { category: 'deferred', label: 'Tools deferred', tokens: 5000 },
    { category: 'messages', label: 'Messages', tokens: 11_110 },
  ],
};

/** A strict policy: the panel may need no inline style or script. */
const BLANK = `<!doctype html><html lang="en"><meta charset="utf-8"><title>panel</title><link rel="icon" href="data:,">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; img-src data:"><body></body></html>`;

/** @type {Awaited<ReturnType<typeof launch>>} */
let lab;
before(async () => { if (!missing) lab = await launch(); });
after(() => lab?.close());

/** @param {import('playwright-core').BrowserContextOptions} [options] */
async function blank(options) {
  const { page, wrong } = await lab.open(options);
  await page.route('**/blank', (route) => route.fulfill({ contentType: 'text/html', body: BLANK }));
  await page.goto(new URL('/blank', lab.address).href);
  return { page, wrong };
}

/** @param {import('playwright-core').Page} page @param {object} [options] */
function mount(page, options = {}) {
  return page.evaluate(async ({ usage, attributes, labels }) => {
    const { define } = await import('/pkg-template/panel.js');
    define();
    const panel = document.createElement('context-usage-panel');
    for (const name of attributes) panel.toggleAttribute(name, true);
    panel.labels = labels;
    panel.usage = usage;
    globalThis.heard = [];
    for (const type of ['contexttoggle', 'contextcompact', 'contextnewsession']) {
      document.addEventListener(type, (event) => globalThis.heard.push([type, event.detail]));
    }
    document.body.append(panel);
  }, { usage: USAGE, attributes: [], labels: null, ...options });
}

test('opens and closes by keyboard, and says so', { skip: missing }, async () => {
  const { page, wrong } = await blank();
  await mount(page);
  const trigger = page.getByRole('button', { name: /15,900 of 200,000 tokens, 8%/ });
  assert.equal(await trigger.getAttribute('aria-expanded'), 'false');
  assert.equal(await page.getByRole('meter').count(), 0);

  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  assert.equal(await trigger.getAttribute('aria-expanded'), 'true');
  const meter = page.getByRole('meter', { name: 'Context window' });
  assert.equal(await meter.getAttribute('aria-valuenow'), '15900');
  assert.equal(await meter.getAttribute('aria-valuemax'), '200000');
  assert.equal(await page.getByText('+590').isVisible(), true);
  assert.equal(await page.getByText('11.4k reclaimed').isVisible(), true);
  assert.equal(await page.getByText('ctx 16k/200k').isVisible(), true);

  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  assert.equal(await page.getByText('github').isVisible(), true, 'sources of bound tools open in place');

  await page.keyboard.press('Escape');
  assert.equal(await trigger.getAttribute('aria-expanded'), 'false');
  assert.equal(await page.evaluate(() => document.activeElement.shadowRoot.activeElement.getAttribute('part')), 'trigger');
  assert.deepEqual(await page.evaluate(() => globalThis.heard), [['contexttoggle', { open: true }], ['contexttoggle', { open: false }]]);
  assert.deepEqual(wrong, []);
  await page.close();
});

test('buttons are there when asked for, and speak as plain events', { skip: missing }, async () => {
  const { page } = await blank();
  await mount(page, { attributes: ['inline'] });
  assert.equal(await page.getByRole('button').count(), 0);
  await page.evaluate(() => {
    const panel = document.querySelector('context-usage-panel');
    panel.setAttribute('compactable', '');
    panel.setAttribute('new-session', '');
  });
  await page.getByRole('button', { name: 'Compact now' }).click();
  await page.getByRole('button', { name: 'New session' }).click();
  assert.deepEqual(await page.evaluate(() => globalThis.heard), [['contextcompact', {}], ['contextnewsession', {}]]);

  await page.evaluate(() => document.querySelector('context-usage-panel').receive({ type: 'context.folding' }));
  assert.equal(await page.getByRole('button', { name: 'Compact now' }).isDisabled(), true);
  assert.equal((await page.getByRole('status').textContent()), 'Compacting…');
  await page.evaluate(() => document.querySelector('context-usage-panel').receive({ type: 'context.folded' }));
  assert.equal(await page.getByText('ctx –/200k').isVisible(), true);
  assert.equal(await page.getByRole('meter').count(), 0, 'no value, no meter');
  await page.close();
});

test('an update keeps what is open and focused', { skip: missing }, async () => {
  const { page } = await blank();
  await mount(page, { attributes: ['inline'] });
  await page.getByText('Tools bound').click();
  await page.evaluate((usage) => {
    const panel = document.querySelector('context-usage-panel');
    const segments = usage.segments.map((segment) => (segment.category === 'tools'
      ? { ...segment, tokens: 3500, items: [...segment.items, { label: 'search', tokens: 500, source: 'web' }] } : segment));
    panel.usage = { ...usage, used: 16_400, segments };
  }, USAGE);
  assert.equal(await page.getByText('3,500').isVisible(), true);
  assert.equal(await page.getByText('github').isVisible(), true);
  assert.equal(await page.getByText('web').isVisible(), true);
  assert.equal(await page.evaluate(() => document.querySelector('context-usage-panel').shadowRoot.activeElement.tagName), 'SUMMARY');
  await page.close();
});

test('host text is text: markup in a label stays letters', { skip: missing }, async () => {
  const { page, wrong } = await blank();
  const evil = '<img src=x onerror="globalThis.bitten=1">';
  await mount(page, {
    attributes: ['inline'],
    labels: { title: evil, total: evil },
    usage: { ...USAGE, segments: [{ category: evil, label: evil, tokens: 5, items: [{ label: evil, tokens: 5, source: evil }] }] },
  });
  assert.equal(await page.evaluate(() => document.querySelector('context-usage-panel').shadowRoot.querySelectorAll('img').length), 0);
  assert.equal(await page.evaluate(() => globalThis.bitten), undefined);
  assert.ok(await page.getByText(evil).count() >= 3);
  assert.deepEqual(wrong, []);
  await page.close();
});

test('properties set before the element is defined are not lost', { skip: missing }, async () => {
  const { page } = await blank();
  await page.evaluate(async (usage) => {
    const early = document.createElement('context-usage-panel');
    early.usage = usage;
    early.labels = { free: 'Frei' };
    early.open = true;
    document.body.append(early);
    const { define } = await import('/pkg-template/panel.js');
    define();
    define();
    define('my-context');
    const second = document.createElement('my-context');
    second.setAttribute('inline', '');
    second.usage = { ...usage, used: 300_000 };
    document.body.append(second);
  }, USAGE);
  assert.equal(await page.getByText('Frei', { exact: true }).isVisible(), true);
  assert.equal(await page.getByText('+590').first().isVisible(), true);
  assert.equal(await page.locator('my-context').locator('.percent').textContent(), '150%', 'a second name works beside the first');
  await page.close();
});

test('at the bottom right corner it opens upwards and inside the page', { skip: missing }, async () => {
  const { page } = await blank({ viewport: { width: 390, height: 700 } });
  await mount(page);
  await page.evaluate(() => Object.assign(document.querySelector('context-usage-panel').style, { position: 'fixed', right: '4px', bottom: '4px' }));
  await page.getByRole('button').click();
  const box = await page.getByRole('group', { name: 'Context window' }).boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
  assert.ok(box.y >= 0 && box.y + box.height <= 700, JSON.stringify(box));
  await page.mouse.click(10, 10);
  assert.equal(await page.getByRole('group', { name: 'Context window' }).count(), 0, 'a click elsewhere closes it');
  await page.close();
});

test('colours follow the page, and a host’s own win', { skip: missing }, async () => {
  const { page } = await blank({ colorScheme: 'dark' });
  await mount(page, { attributes: ['inline'] });
  const background = () => page.getByRole('group', { name: 'Context window' }).evaluate((panel) => getComputedStyle(panel).backgroundColor);
  assert.equal(await background(), 'rgb(255, 255, 255)', 'a page that is not dark keeps a light panel');
  await page.evaluate(() => { document.documentElement.style.colorScheme = 'dark'; });
  assert.equal(await background(), 'rgb(29, 32, 38)');
  await page.evaluate(() => document.querySelector('context-usage-panel').style.setProperty('--context-bg', 'rgb(1, 2, 3)'));
  assert.equal(await background(), 'rgb(1, 2, 3)');
  await page.close();
});
