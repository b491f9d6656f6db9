// The page as a person uses it: drop a session, move the scrubber, read the numbers. What
// it shows must be what `gentle-cascade replay --json` says of the same file in Node.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { launch, missing, root } from './chromium.mjs';

const WINDOW = 24_000;
const skip = missing;

/** A pi session of 24 calls, each with a result of about 4,000 characters and one of 30,000. */
function session() {
  const lines = [
    { type: 'session', id: 's1', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/project', provider: 'anthropic', modelId: 'claude-sonnet-4-5' },
    { type: 'message', message: { role: 'user', content: [{ type: 'text', text: 'Read every chapter and list the names in it.' }] } },
  ];
  for (let i = 0; i < 24; i += 1) {
    const text = `Chapter ${i}. ${'the quick brown fox jumps over a lazy dog near the river. '.repeat(i === 9 ? 517 : 69)}`;
    lines.push(
      { type: 'message', message: { role: 'assistant', content: [{ type: 'toolCall', id: `call_${i}`, name: 'read', arguments: { path: `chapter-${i}.md` } }], stopReason: 'toolUse' } },
      { type: 'message', message: { role: 'toolResult', toolCallId: `call_${i}`, toolName: 'read', content: [{ type: 'text', text }], isError: false } },
    );
  }
  lines.push({ type: 'message', message: { role: 'assistant', content: [{ type: 'text', text: 'There are no names.' }], stopReason: 'stop' } });
  return lines.map((line) => JSON.stringify(line)).join('\n');
}

/** @type {Awaited<ReturnType<typeof launch>>} */
let lab;
let folder;
let file;
let expected;
before(async () => {
  if (skip) return;
  folder = mkdtempSync(path.join(tmpdir(), 'page-'));
  file = path.join(folder, 'chapters.jsonl');
  writeFileSync(file, session());
  expected = JSON.parse(execFileSync(process.execPath, [path.join(root, 'pkg/cli.js'), 'replay', file, '--window', String(WINDOW), '--json'], { encoding: 'utf8' }));
  lab = await launch();
});
after(async () => {
  await lab?.close();
  if (folder) rmSync(folder, { recursive: true });
});

/** Numbers as the page writes them. */
const grouped = (n) => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ',');
const reading = (page) => page.locator('#reading > div').evaluateAll((boxes) => Object.fromEntries(boxes.map((box) => [box.dataset.name, box.querySelector('dd').textContent])));
const idle = (page) => page.waitForFunction(() => document.querySelector('#busy').hidden && (!document.querySelector('#lab').hidden || !document.querySelector('#trouble').hidden));
const number = (text) => Number(text.replace('−', '-').replace(/[^\d-]/g, ''));

async function opened(options) {
  const { page, wrong } = await lab.open(options);
  await page.goto(lab.address);
  await page.waitForFunction(() => customElements.get('context-usage-panel'));
  return { page, wrong };
}

async function replayed(options) {
  const { page, wrong } = await opened(options);
  await page.locator('#window').fill(String(WINDOW));
  await page.locator('#window').press('Enter');
  await page.setInputFiles('#file', file);
  await idle(page);
  return { page, wrong };
}

test('every step shows the numbers of replay --json', { skip }, async () => {
  const { page, wrong } = await replayed();
  assert.ok(expected.steps.some(({ evicted }) => evicted > 0) && expected.steps.some(({ clamped }) => clamped > 0), 'the session is one that needs relief');
  const scrubber = page.getByRole('slider', { name: 'Step' });
  assert.equal(await scrubber.getAttribute('max'), String(expected.steps.length));

  await scrubber.focus();
  await page.keyboard.press('Home');
  for (const [at, step] of expected.steps.entries()) {
    const shown = await reading(page);
    assert.equal(shown.step, `${at + 1} of ${expected.steps.length}`);
    for (const key of ['row', 'before', 'after', 'evicted', 'clamped', 'prefix', 'cost']) {
      assert.equal(shown[key], grouped(step[key]), `step ${at}, ${key}`);
    }
    await page.keyboard.press('ArrowRight');
  }
  assert.deepEqual(wrong, []);
  await page.close();
});

test('the panel adds up to what is sent at that step', { skip }, async () => {
  const { page } = await replayed();
  for (const at of [1, 12, expected.steps.length]) {
    await page.locator('#step').fill(String(at));
    const rows = await page.locator('#panel [data-row]').evaluateAll((items) => items.map((item) => [item.dataset.row, item.querySelector('.number').textContent, item.closest('ul').getAttribute('part')]));
    const counted = rows.filter(([, , part]) => part === 'rows').reduce((sum, [, text]) => sum + number(text), 0);
    const total = number(rows.find(([id]) => id === 'total')[1]);
    assert.equal(total, expected.steps[at - 1].after);
    assert.equal(counted, total);
    assert.ok(rows.some(([id]) => id === 'overhead'), 'overhead always has its row');
    assert.match(await page.locator('#panel .gauge').textContent(), /^ctx \d+k?\/24k$/);
  }
  await page.close();
});

test('the buttons go from one action to the next; the chart takes a click', { skip }, async () => {
  const { page } = await replayed();
  const acted = expected.steps.flatMap(({ evicted, clamped }, at) => (evicted + clamped > 0 ? [at + 1] : []));
  await page.locator('#step').fill('1');
  const seen = [];
  while (await page.locator('#next').isEnabled()) {
    await page.locator('#next').click();
    seen.push(Number(await page.locator('#step').inputValue()));
  }
  assert.deepEqual(seen, acted.filter((at) => at > 1));
  assert.equal(await page.locator('#chart .marks.evicted > *').count(), expected.steps.filter(({ evicted }) => evicted > 0).length);

  const line = await page.locator('#chart .line.with').boundingBox();
  await page.mouse.click(line.x + 1, line.y + line.height / 2);
  assert.equal(await page.locator('#step').inputValue(), '1');
  await page.close();
});

test('a configuration changes the replay; a wrong one is explained', { skip }, async () => {
  const { page } = await replayed();
  await page.getByText('Configuration').click();
  await page.locator('#config').fill('{ "eviction": { "enabled": false } }');
  await page.getByRole('button', { name: 'Replay with it' }).click();
  await page.waitForFunction(() => document.querySelectorAll('#chart .marks.evicted > *').length === 0);

  await page.locator('#config').fill('{ "eviction": { "atFractoin": 0.3 } }');
  await page.getByRole('button', { name: 'Replay with it' }).click();
  await page.getByRole('alert').filter({ hasText: 'eviction.atFraction' }).waitFor();
  await page.locator('#config').fill('{ eviction');
  await page.getByRole('button', { name: 'Replay with it' }).click();
  await page.getByRole('alert').filter({ hasText: 'not JSON' }).waitFor();
  await page.close();
});

test('a gzip file works, a broken one is explained in words', { skip }, async () => {
  const { page, wrong } = await opened();
  await page.setInputFiles('#file', { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('{"hello": 1}\n{"hello": 2}\n') });
  await idle(page);
  const trouble = await page.getByRole('alert').textContent();
  assert.match(trouble, /line 1/i);
  assert.match(trouble, /expected/i);

  const dropped = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['[]'], 'empty.json'));
    return transfer;
  });
  await page.dispatchEvent('body', 'drop', { dataTransfer: dropped });
  await page.getByRole('alert').filter({ hasText: 'empty.json' }).waitFor();

  await page.setInputFiles('#file', { name: 'chapters.gz', mimeType: 'application/gzip', buffer: gzipSync(session()) });
  await page.locator('#lab').waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
  assert.equal((await reading(page)).step.split(' of ')[1], String(expected.steps.length));
  assert.deepEqual(wrong, []);
  await page.close();
});

test('the sample replays at 64,000, on a phone too, and nothing leaves the browser', { skip }, async () => {
  const { page, wrong } = await lab.open({ viewport: { width: 390, height: 844 } });
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(lab.address);
  await page.waitForFunction(() => customElements.get('context-usage-panel'));
  await page.getByRole('button', { name: 'Use the sample' }).click();
  await idle(page);
  assert.equal(await page.locator('#window').inputValue(), '64000');
  assert.ok(await page.locator('#chart .marks.evicted > *').count() > 0, 'relief is seen in the sample');
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, 'no sideways scrolling');
  assert.ok(asked.every((url) => new URL(url).origin === new URL(lab.address).origin), asked.join('\n'));
  const refused = await page.evaluate(() => fetch('http://127.0.0.1:9/').then(() => 'sent', (error) => error.name));
  assert.equal(refused, 'TypeError');
  assert.ok(wrong.some((text) => /Content Security Policy|Content-Security-Policy/i.test(text)), 'it is the page’s policy that refuses');
  assert.equal(wrong.filter((text) => !/content.security.policy|Fetch API/i.test(text)).length, 0, wrong.join('\n'));
  await page.close();
});
