// D-55: limits besides tokens. Above one, the oldest images and files that were read become texts, half of the limit
// stays, and what left can be read back.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { open } from '../../pkg/inline.js';
import { validate } from '../../pkg/pure.js';
import { memoryStore } from '../../pkg/stores/memory.js';
import { readSession } from '../../pkg/readers/index.js';
import { replaySession } from '../../pkg/replay.js';
import { FORMATS, WIRE } from './conversations.mjs';

const MODEL = { id: 'test', window: 1_000_000, maxOutput: 4_000 };
const CHARS4 = { estimate: { counter: 'chars4' }, media: { imageTokens: 1_000 } };
const PNG = (/** @type {number} */ n) => btoa(`picture ${n} `.padEnd(300, '.'));
const url = (/** @type {number} */ n) => `data:image/png;base64,${PNG(n)}`;

/** A picture of the user's in each format. @type {Record<string, (n: number) => any>} */
const IMAGE = {
  'ai-sdk': (n) => ({ type: 'image', image: PNG(n), mediaType: 'image/png' }),
  anthropic: (n) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG(n) } }),
  'openai-chat': (n) => ({ type: 'image_url', image_url: { url: url(n) } }),
  'openai-responses': (n) => ({ type: 'input_image', detail: 'auto', image_url: url(n) }),
  gemini: (n) => ({ inlineData: { mimeType: 'image/png', data: PNG(n) } }),
};
const OWN_TEXT = { 'ai-sdk': 'text', anthropic: 'text', 'openai-chat': 'text', 'openai-responses': 'input_text', gemini: undefined };

/** n turns of the user's: "look at n", a picture, and an answer. */
function pictures(/** @type {string} */ format, /** @type {number} */ n) {
  const f = FORMATS[format];
  return Array.from({ length: n }, (_, i) => {
    const message = f.user(`look at ${i}`);
    const list = format === 'gemini' ? 'parts' : 'content';
    const own = Array.isArray(message[list]) ? message[list] : [{ type: 'text', text: message[list] }];
    return [{ ...message, [list]: [...own, IMAGE[format](i)] }, ...f.step([], `seen ${i}`)];
  }).flat();
}

const start = (/** @type {string} */ format, /** @type {any} */ limits, /** @type {any} */ more = {}) => open({ transcript: 't', format, model: MODEL, host: memoryStore(), ...more, config: { ...CHARS4, limits, ...more.config } });
const partsOf = (/** @type {any} */ message) => message.content ?? message.parts;
const changed = (/** @type {any} */ view, /** @type {any} */ messages) => messages.flatMap((/** @type {any} */ m, /** @type {number} */ i) => (view[i] === m ? [] : [i]));
const all = async (/** @type {any} */ tool, /** @type {string} */ id) => (await tool.execute({ id })).replace(/\n\[[^\n]*\]$/, '');

describe('pictures of the user', () => {
  for (const format of WIRE) {
    test(`D-55 ${format}: the fifth picture is one too many; the newest two stay, the others read back`, async () => {
      const cascade = await start(format, { maxImages: 4 });
      const messages = pictures(format, 5);
      const step = messages.length / 5;
      const four = messages.slice(0, 4 * step);
      assert.deepEqual(changed((await cascade.next({ messages: four })).view, four), [], 'the limit itself is allowed');
      const n = await cascade.next({ messages });
      const gone = [0, step, 2 * step];
      assert.deepEqual(changed(n.view, messages), gone, 'the oldest three of five: two are half of the limit');
      for (const [i, at] of gone.entries()) {
        const [said, text] = partsOf(n.view[at]);
        assert.equal(said, partsOf(messages[at])[0], 'what the user said is the same part');
        assert.equal(text.type, OWN_TEXT[format]);
        const handle = `media:${at}.1`;
        assert.match(text.text, new RegExp(`^\\[image/png, 300 bytes, left out; read_tool_output\\(\\{ id: "${handle}" \\}\\) returns it\\]$`));
        assert.ok((await all(cascade.tools[0], handle)).endsWith(PNG(i)));
        assert.deepEqual(cascade.inspect().ledger[at], { index: at, position: at, state: 'evicted', handle });
      }
      assert.deepEqual(validate(n.view, format).findings.filter((f) => f.level === 'E'), []);
      assert.deepEqual(n.prefix.brokenBy, { at: 0, cause: 'evicted' });
      const [event] = n.events.filter((e) => e.type === 'context.evicted');
      const weight = Math.ceil(partsOf(n.view[0])[1].text.length / 4);
      assert.deepEqual([event.resultCount, event.reclaimedTokens > 3 * (1_000 - weight) - 9], [3, true]);
      assert.deepEqual(n.outcomes.map((o) => [o.stage, o.outcome]), [['media', 'done']]);
      // Nothing more at the next step, and the very same objects.
      const again = await cascade.next({ messages });
      assert.ok(again.view.every((m, i) => m === n.view[i]) && again.outcomes.length === 0);
      cascade.close();
    });
  }

  test('D-55 a restart sends the same bytes, with rows that were read from a database', async () => {
    const host = memoryStore();
    const first = await start('ai-sdk', { maxImages: 2 }, { host });
    const messages = pictures('ai-sdk', 5);
    const { view } = await first.next({ messages });
    assert.deepEqual(changed(view, messages), [0, 2, 4, 6]);
    first.close();
    const second = await start('ai-sdk', { maxImages: 2 }, { host });
    assert.equal(JSON.stringify((await second.next({ messages: structuredClone(messages) })).view), JSON.stringify(view));
    await assert.rejects(second.next({ messages: structuredClone(view) }), { code: 'view_recorded' });
    // Another picture at the same place is not the one that left.
    const other = structuredClone(messages);
    other[0].content[1].image = btoa('x'.repeat(600));
    assert.equal((await second.next({ messages: other })).view[0], other[0]);
    second.close();
  });

  test('D-55 a branch takes the texts and a copy of what they stand for along', async () => {
    const host = memoryStore();
    const parent = await start('ai-sdk', { maxImages: 2 }, { host });
    const messages = pictures('ai-sdk', 4);
    const { view } = await parent.next({ messages });
    const child = await parent.fork({ to: 'child', at: 7, map: Object.fromEntries(messages.map((_, i) => [i, i + 10])) });
    const copy = structuredClone(messages);
    const n = await child.next({ messages: copy, positions: copy.map((_, i) => i + 10) });
    assert.equal(JSON.stringify(n.view), JSON.stringify(view));
    assert.equal(await all(child.tools[0], 'media:0.1'), PNG(0));
    await parent.forget({ all: true });
    assert.equal(await all(child.tools[0], 'media:0.1'), PNG(0));
    // A row of the child's own at a place the parent had: its handle is another one.
    const more = pictures('ai-sdk', 9).slice(8);
    const later = await child.next({ messages: [...copy, ...more], positions: [...copy.map((_, i) => i + 10), ...more.map((_, i) => i + 100)] });
    assert.equal(new Set(JSON.stringify(later.view).match(/media:[\d.~]+/g)).size, 8);
    child.close();
    parent.close();
  });

  test('D-55 without a store the text says so, and so does the ledger; a picture elsewhere keeps its address', async () => {
    const cascade = await start('ai-sdk', { maxImages: 1 }, { host: {} });
    const messages = pictures('ai-sdk', 2);
    messages[0].content[1].image = new URL('https://example.org/a.png');
    const { view } = await cascade.next({ messages });
    assert.equal(view[0].content[1].text, '[image/png at https://example.org/a.png, left out; not stored]');
    assert.deepEqual(cascade.inspect().ledger[0], { index: 0, position: 0, state: 'evicted', loss: 'no_store' });
    assert.deepEqual(cascade.tools, []);
    cascade.close();
  });

  test('D-55 what cannot be stored stays, and what the model has not read stays and is told', async () => {
    const store = memoryStore();
    const failing = await start('ai-sdk', { maxImages: 1 }, { host: { ...store, raw: { ...store.raw, put: () => Promise.reject(new Error('full')) } } });
    const messages = pictures('ai-sdk', 2);
    const n = await failing.next({ messages });
    assert.deepEqual([changed(n.view, messages), n.outcomes], [[], [{ stage: 'media', outcome: 'declined', reason: 'unavailable' }]]);
    failing.close();
    const unread = await start('ai-sdk', { maxImages: 1 });
    const [one] = pictures('ai-sdk', 1);
    const list = [{ ...one, content: [one.content[1], one.content[1]] }];
    const m = await unread.next({ messages: list });
    assert.deepEqual([m.view[0] === list[0], m.outcomes], [true, [{ stage: 'media', outcome: 'declined', reason: 'no_progress' }]]);
    assert.deepEqual(unread.inspect().findings.map((f) => [f.kind, f.detail]), [['limit_exceeded', 'images and files: 2 where 1 are allowed']]);
    unread.close();
  });

  test('D-55 without limits, or with eviction off, any number stays', async () => {
    for (const more of [{}, { config: { eviction: { enabled: false } } }]) {
      const cascade = await start('ai-sdk', more.config ? { maxImages: 1 } : {}, more);
      const messages = pictures('ai-sdk', 3);
      assert.deepEqual(changed((await cascade.next({ messages })).view, messages), []);
      cascade.close();
    }
  });
});

describe('pictures in results', () => {
  /** Results of a text and a picture each. @type {Record<string, (n: number) => any[]>} */
  const LIST = {
    'ai-sdk': (n) => [{ type: 'text', text: `page ${n}` }, { type: 'image-data', data: PNG(n), mediaType: 'image/png' }],
    anthropic: (n) => [{ type: 'text', text: `page ${n}` }, IMAGE.anthropic(n)],
    'openai-responses': (n) => [{ type: 'input_text', text: `page ${n}` }, IMAGE['openai-responses'](n)],
  };
  const withList = (/** @type {string} */ format, /** @type {any} */ message, /** @type {any[]} */ list) =>
    format === 'ai-sdk' ? { ...message, content: [{ ...message.content[0], output: { type: 'content', value: list } }] } : format === 'anthropic' ? { ...message, content: [{ ...message.content[0], content: list }] } : { ...message, output: list };
  const listOf = (/** @type {string} */ format, /** @type {any} */ message) => (format === 'ai-sdk' ? message.content[0].output.value : format === 'anthropic' ? message.content[0].content : message.output);

  function shots(/** @type {string} */ format, /** @type {number} */ n) {
    const f = FORMATS[format];
    const rounds = Array.from({ length: n }, (_, i) => [...f.step([{ id: `c${i}`, name: 'shot', input: { path: `p${i}` } }]), withList(format, f.answers([{ id: `c${i}`, name: 'shot', output: 'x' }])[0], LIST[format](i))]);
    return [f.user('go'), ...rounds.flat(), ...f.step([], 'done')];
  }
  const rows = (/** @type {any[]} */ messages, /** @type {string} */ format) => messages.flatMap((m, i) => (JSON.stringify(m).includes('page ') && format ? [i] : []));

  for (const format of Object.keys(LIST)) {
    test(`D-55 ${format}: the picture becomes a text, the text beside it stays, and the whole result reads back`, async () => {
      const cascade = await start(format, { maxImages: 2 });
      const messages = shots(format, 3);
      const n = await cascade.next({ messages });
      const [first, second, third] = rows(messages, format);
      assert.deepEqual(changed(n.view, messages), [first, second]);
      const [text, left] = listOf(format, n.view[first]);
      assert.equal(text, LIST[format] && listOf(format, messages[first])[0]);
      assert.match(left.text, /^\[image\/png, 300 bytes, left out; read_tool_output\(\{ id: "c0" \}\) returns it\]$/);
      assert.equal(n.view[third], messages[third]);
      assert.deepEqual(JSON.parse(await all(cascade.tools[0], 'c0')), listOf(format, messages[first]));
      assert.deepEqual(validate(n.view, format).findings.filter((f) => f.level === 'E'), []);
      const event = n.events.find((e) => e.type === 'context.evicted');
      assert.deepEqual([event.targets, event.results[0]], [['p0', 'p1'], { toolCallId: 'c0', toolName: 'shot', target: 'p0' }]);
      assert.equal(cascade.inspect().breakdown.buckets.find((b) => b.id === 'attachments').tokens, 1_000);
      cascade.close();
    });
  }

  test('D-55 gemini: files beside a response leave, and their text stands behind it', async () => {
    const cascade = await start('gemini', { maxImages: 1 });
    const f = FORMATS.gemini;
    const answer = (/** @type {number} */ i) => ({ role: 'user', parts: [{ functionResponse: { id: `c${i}`, name: 'shot', response: { output: `page ${i}` }, parts: [IMAGE.gemini(i)] } }] });
    const messages = [f.user('go'), ...f.step([{ id: 'c0', name: 'shot', input: {} }]), answer(0), ...f.step([{ id: 'c1', name: 'shot', input: {} }]), answer(1), ...f.step([], 'done')];
    const { view } = await cascade.next({ messages });
    assert.deepEqual(view[2].parts[0].functionResponse, { id: 'c0', name: 'shot', response: { output: 'page 0\n[image/png, 300 bytes, left out; read_tool_output({ id: "c0" }) returns it]' } });
    cascade.close();
  });

  test('D-55 what was left out may still become a stub, and a shortened text keeps its picture', async () => {
    const host = memoryStore();
    const cascade = await start('ai-sdk', { maxImages: 10 }, { host, config: { toolOutput: { maxChars: 2_000 } } });
    const messages = shots('ai-sdk', 5);
    messages[2].content[0].output.value[0].text = 'long '.repeat(1_000);
    const n = await cascade.next({ messages });
    const [text, image] = listOf('ai-sdk', n.view[2]);
    assert.ok(text.text.length < 2_000 && image === listOf('ai-sdk', messages[2])[1]);
    assert.equal(cascade.inspect().breakdown.buckets.find((b) => b.id === 'attachments').tokens, 5_000);
    cascade.set({ config: { limits: { maxImages: 4 } } });
    const fewer = await cascade.next({ messages });
    assert.deepEqual(changed(fewer.view, messages), [2, 4, 6]);
    assert.ok(listOf('ai-sdk', fewer.view[2])[0].text.length < 2_000 && listOf('ai-sdk', fewer.view[2])[1].text.includes('left out'));
    cascade.set({ config: { eviction: { atFraction: 0, toFraction: 0, clearAtLeast: 0, minResultTokens: 0, keepRecentRounds: 2 } } });
    const stubs = await cascade.next({ messages });
    assert.match(stubs.view[2].content[0].output.value, /^\[context-cleared\] shot: ok \(p0\).*read_tool_output\(\{ id: "c0" \}\)/);
    assert.deepEqual(JSON.parse((await all(cascade.tools[0], 'c1'))), listOf('ai-sdk', messages[4]));
    cascade.close();
  });

  test('D-55 the newest result of a protected tool keeps its picture', async () => {
    const cascade = await start('ai-sdk', { maxImages: 1 }, { config: { eviction: { protect: ['shot'] } } });
    const messages = shots('ai-sdk', 3);
    assert.deepEqual(changed((await cascade.next({ messages })).view, messages), [2, 4]);
    const one = shots('ai-sdk', 1);
    one[2].content[0].output.value.push(IMAGE['ai-sdk'](9));
    assert.deepEqual(changed((await cascade.next({ messages: one })).view, one), []);
    cascade.close();
  });

  test('D-55 the screen of a computer call stays a picture', async () => {
    const screen = (/** @type {number} */ i) => [{ type: 'computer_call', id: `cu${i}`, call_id: `c${i}`, action: { type: 'screenshot' }, pending_safety_checks: [], status: 'completed' }, { type: 'computer_call_output', call_id: `c${i}`, output: { type: 'computer_screenshot', image_url: url(i) } }];
    const messages = [FORMATS['openai-responses'].user('go'), ...screen(0), ...screen(1), { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] }];
    const cascade = await start('openai-responses', { maxImages: 1 }, { config: { eviction: { atFraction: 0, toFraction: 0, clearAtLeast: 0, minResultTokens: 0, keepRecentRounds: 0 } } });
    assert.deepEqual(changed((await cascade.next({ messages })).view, messages), []);
    cascade.close();
  });
});

describe('size of the request and of its strings', () => {
  test('D-55 bytes: pictures leave until half of the limit is left', async () => {
    // Four texts of 9 and four answers of 6 characters; four pictures of 400 characters in base64.
    const messages = pictures('ai-sdk', 4);
    assert.deepEqual([PNG(0).length, 4 * (9 + 6) + 1_600], [400, 1_660]);
    const fits = await start('ai-sdk', { maxRequestBytes: 1_660 });
    assert.deepEqual(changed((await fits.next({ messages })).view, messages), []);
    fits.close();
    const over = await start('ai-sdk', { maxRequestBytes: 1_659 });
    // 1,660 - 400 - 400 = 860 is more than 829, 460 is not.
    assert.deepEqual(changed((await over.next({ messages })).view, messages), [0, 2, 4]);
    over.close();
  });

  test('D-55 one string: only pictures that are too long leave, and a result is cut below it', async () => {
    const messages = pictures('ai-sdk', 3);
    messages[2].content[1].image = btoa('y'.repeat(600));
    const cascade = await start('ai-sdk', { maxStringChars: 799 });
    assert.deepEqual(changed((await cascade.next({ messages })).view, messages), [2]);
    const { output } = await cascade.result({ callId: 'r', tool: 'read', output: 'z'.repeat(5_000) });
    assert.ok(output.length <= 799 && output.length > 500);
    cascade.close();
  });

  test('D-55 requests to the summarizer keep to them', async () => {
    const requests = [];
    const host = { ...memoryStore(), summarize: (/** @type {any} */ r) => (requests.push(r), { text: 'what happened' }) };
    for (const limits of [{ maxStringChars: 20_000 }, { maxRequestBytes: 20_000 }]) {
      requests.length = 0;
      const cascade = await start('ai-sdk', limits, { transcript: JSON.stringify(limits), host, config: { orders: { enabled: false }, summarize: { keepRecent: 0, keepRounds: 1 } } });
      const messages = Array.from({ length: 8 }, (_, i) => [FORMATS['ai-sdk'].user(`q${i} `.padEnd(6_000, 'é')), ...FORMATS['ai-sdk'].step([], `a${i}`)]).flat();
      const n = await cascade.compact({ messages });
      assert.equal(n.outcomes.find((o) => o.stage === 'fold').outcome, 'done');
      assert.ok(requests.length > 2);
      for (const { system, prompt } of requests) {
        if (limits.maxStringChars) assert.ok(prompt.length <= 20_000, `${prompt.length} characters`);
        else assert.ok(Buffer.byteLength(system + prompt) <= 20_000, `${Buffer.byteLength(system + prompt)} bytes`);
      }
      for (let i = 0; i < 7; i += 1) assert.ok(requests.some((r) => r.prompt.includes(`q${i} é`)));
      cascade.close();
    }
  });
});

test('D-55 a replay under a limit breaks no invariant, and what it offers reads back', async () => {
  const f = FORMATS['ai-sdk'];
  const turn = (/** @type {number} */ i) => {
    const [said] = pictures('ai-sdk', i + 1).slice(2 * i);
    const [shot] = f.answers([{ id: `c${i}`, name: 'shot', output: 'x' }]);
    return [said, ...f.step([{ id: `c${i}`, name: 'shot', input: { path: `p${i}` } }]), { ...shot, content: [{ ...shot.content[0], output: { type: 'content', value: [{ type: 'text', text: `page ${i} `.padEnd(3_000, '.') }, { type: 'image-data', data: PNG(i), mediaType: 'image/png' }] } }] }, ...f.step([], `seen ${i}`)];
  };
  const dump = JSON.stringify(Array.from({ length: 10 }, (_, i) => turn(i)).flat());
  const session = await readSession(dump, { name: 'dump.json' });
  const report = await replaySession(session, { window: 20_000, config: { ...CHARS4, limits: { maxImages: 6 } } });
  assert.deepEqual(report.violations, []);
  assert.ok(report.totals.handles.offered > 3 && report.totals.handles.offered === report.totals.handles.verified);
});
