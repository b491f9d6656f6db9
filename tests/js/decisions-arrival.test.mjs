// What was decided about a result on its way to the model and back: units, arithmetic, order of effects, redaction, reading
// back, and what happens when outputs are no longer kept. Each test names its decision.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as pure from '../../pkg/pure.js';
import { formatByName } from '../../pkg/formats/index.js';
import { memoryStore } from '../../pkg/stores/memory.js';
import { W10, answer, call, countingHost, fill, outputOf, result, rounds, say, start, text, untouched, user } from './chat.mjs';
import { WIRE, conversation } from './conversations.mjs';

const of = { transcript: 't' };
const QUIET = { eviction: { enabled: false }, cascade: { enabled: false } };
const list = (/** @type {any[]} */ ...more) => [user('go'), ...more];

describe('D-11: one unit from end to end', () => {
  test('D-11 offsets, limits and what is omitted count UTF-16 code units, whatever a store counts', async () => {
    const host = memoryStore();
    host.raw.put('c1', `${'😀'.repeat(10)}END`, of);
    const c = await start({ host });
    const read = async (/** @type {any} */ input) => (await c.tools[0].execute({ id: 'c1', ...input })).split('\n')[0];
    assert.equal(await read({ offset: 20 }), 'END');
    assert.equal(await read({ offset: 18, limit: 2 }), '😀');
    // An offset inside a pair shows the whole character.
    assert.equal(await read({ offset: 19, limit: 3 }), '😀E');
    assert.match(await c.tools[0].execute({ id: 'c1', limit: 4 }), /^😀😀\n\[characters 0 to 4 of 23 of the output; next offset: 4\]$/);
    c.close();
  });
});

describe('D-12: the arithmetic of a cut', () => {
  const parts = (/** @type {string} */ cut) => /** @type {RegExpExecArray} */ (/^(a*)(.*?)(b*)$/s.exec(cut)).slice(1);

  test('D-12 head, tail and marker by hand', () => {
    const raw = 'a'.repeat(10_000) + 'b'.repeat(10_000);
    // cap: reserve, budget, head = floor(7·budget/10), tail = the rest. 0.7·budget in doubles is one too small for 90 and others.
    for (const [cap, head, tail] of [[90, 47, 21], [170, 89, 39], [180, 94, 41], [330, 173, 75], [799, 420, 180], [800, 420, 180], [1_000, 560, 240], [4_000, 2_660, 1_140]]) {
      const cut = pure.clamp(raw, { maxChars: cap, handle: 'h' });
      const [front, marker, end] = parts(cut);
      assert.deepEqual([front.length, end.length, cut.length <= cap], [head, tail, true], `cap ${cap}`);
      assert.ok(marker.includes(String(20_000 - head - tail)), marker);
    }
  });

  test('D-12 no cap is exceeded, nothing grows, a second cut changes nothing', () => {
    const odd = `é😀\r\n${'line of text 😀\n'.repeat(80)}end`;
    for (let cap = 0; cap <= odd.length + 2; cap += 1) {
      const cut = pure.clamp(odd, { maxChars: cap, handle: 'a-long-call-id-that-needs-room' });
      assert.ok(cut.length <= cap || cut === odd, `cap ${cap}: ${cut.length}`);
      assert.ok(cut.isWellFormed(), `cap ${cap}`);
      assert.equal(pure.clamp(cut, { maxChars: cap, handle: 'x' }), cut);
    }
    assert.equal(pure.clamp(odd, { maxChars: odd.length }), odd);
  });

  test('D-12 a line end near the cut is taken, and the marker stands between lines', () => {
    const raw = Array.from({ length: 400 }, (_, i) => `line ${String(i).padStart(14, '0')}`).join('\n');
    const cut = pure.clamp(raw, { maxChars: 2_000, handle: 'h' });
    const lines = cut.split('\n');
    assert.ok(lines.filter((l) => l.startsWith('line')).every((l) => l.length === 19), 'whole lines only');
    assert.equal(lines.filter((l) => l.startsWith('[… ')).length, 1);
    assert.match(lines.find((l) => l.startsWith('[… ')) ?? '', /^\[… (\d+) of 7999 characters omitted; read_tool_output\(\{ id: "h", offset: (\d+), limit: \1 \}\) returns them …\]$/);
  });

  test('D-12 what a terminal would not show goes first; the original is what is stored, so no offset is named', async () => {
    const { host } = countingHost();
    const c = await start({ host, config: { toolOutput: { maxChars: 1_000 } } });
    const progress = `${Array.from({ length: 500 }, (_, i) => `\rprogress ${i} %`).join('')}\ndone\n`;
    assert.deepEqual((await c.result({ callId: 'c1', tool: 'bash', output: progress })).output, 'progress 499 %\ndone\n');
    assert.equal(await host.raw.get('c1', of), progress);
    const coloured = `\u001b[31m${'r'.repeat(3_000)}\u001b[0m`;
    const { output } = await c.result({ callId: 'c2', tool: 'bash', output: coloured });
    assert.match(output, /^r+\[… \d+ characters omitted; read_tool_output\(\{ id: "c2" \}\) pages through the original of 3009 characters …\]r+$/);
    const image = `before data:image/png;base64,${'A'.repeat(3_000)} after`;
    assert.equal((await c.result({ callId: 'c3', tool: 'bash', output: image })).output, 'before [image/png, 2250 bytes of base64 left out] after');
    assert.equal(await host.raw.get('c3', of), image);
    c.close();
  });

  test('D-12 an exit code and the last error line that fall into the gap are named in the marker', () => {
    const raw = `${'x'.repeat(3_000)}\nerror: first\nexit code: 3\nerror: boom\n${'y'.repeat(3_000)}\n`;
    const cut = pure.clamp(raw, { maxChars: 1_000, handle: 'h' });
    assert.match(cut, /returns them; exit code 3; last error: error: boom …\]/);
    assert.ok(cut.length <= 1_000);
    // What is still there to read is not said twice.
    assert.ok(!pure.clamp(`${'x'.repeat(6_000)}\nerror: boom\nexit code: 3\n`, { maxChars: 1_000, handle: 'h' }).includes('last error'));
  });

  test('D-12 one line of a megabyte, cut and paged', async () => {
    const c = await start({ host: memoryStore() });
    const line = Array.from({ length: 100_000 }, (_, i) => `${i}`.padStart(10, '·')).join('');
    const { output } = await c.result({ callId: 'c1', tool: 'read', output: line });
    assert.ok(output.length <= 24_000 && !output.includes('\n'));
    const page = await c.tools[0].execute({ id: 'c1', offset: 500_000, limit: 20 });
    assert.equal(page.split('\n')[0], line.slice(500_000, 500_020));
    c.close();
  });
});

describe('D-13: a structured output stays what it is', () => {
  const items = Array.from({ length: 100 }, (_, i) => `item ${i}`.padEnd(50, '.'));

  test('D-13 a root array gets one element between its two ends', async () => {
    const c = await start({ host: memoryStore(), config: { toolOutput: { maxChars: 1_500 } } });
    const { output } = await c.result({ callId: 'c1', tool: 'q', output: items });
    const at = output.findIndex((/** @type {any} */ o) => typeof o === 'object');
    assert.deepEqual(output.slice(0, at), items.slice(0, at));
    assert.deepEqual(output.slice(at + 1), items.slice(100 - (output.length - at - 1)));
    assert.deepEqual(output[at], { _omitted: `${100 - output.length + 1} of 100; read_tool_output({ id: "c1" })` });
    assert.ok(at > output.length - at - 1, 'more of the beginning than of the end');
    assert.ok(JSON.stringify(output).length <= 1_500);
    c.close();
  });

  test('D-13 a text that is JSON stays JSON, a long string is cut inside', async () => {
    const c = await start({ host: memoryStore(), config: { toolOutput: { maxChars: 1_500 } } });
    const { output } = await c.result({ callId: 'c1', tool: 'q', output: JSON.stringify({ rows: items, note: 'n'.repeat(5_000) }) });
    const parsed = JSON.parse(output);
    assert.deepEqual(Object.keys(parsed), ['rows', 'note', '_omitted']);
    assert.ok(parsed.note.length < 5_000 && parsed.note.startsWith('nnn') && output.length <= 1_500);
    c.close();
  });

  test('D-13 what cannot be kept as JSON becomes text; error flag and kind stay', async () => {
    const c = await start({ host: memoryStore(), config: { toolOutput: { maxChars: 300 } } });
    const wide = Object.fromEntries(items.map((item, i) => [`key ${i} ${'k'.repeat(40)}`, item]));
    const { output } = await c.result({ callId: 'c1', tool: 'q', output: { type: 'error-json', value: wide } });
    assert.deepEqual([output.type, typeof output.value, output.value.length <= 300], ['error-text', 'string', true]);
    const failed = await c.result({ callId: 'c2', tool: 'q', output: { type: 'error-text', value: 'e'.repeat(900) } });
    assert.equal(failed.output.type, 'error-text');
    const json = await c.result({ callId: 'c3', tool: 'q', output: { type: 'error-json', value: { list: items } } });
    assert.equal(json.output.type, 'error-json');
    c.close();
  });

  test('D-13 a list keeps its pictures whole and cuts its texts', async () => {
    const c = await start({ host: memoryStore(), config: { toolOutput: { maxChars: 1_000 } } });
    const picture = { type: 'image-data', data: 'A'.repeat(5_000), mediaType: 'image/png' };
    const { output } = await c.result({ callId: 'c1', tool: 'shot', output: { type: 'content', value: [{ type: 'text', text: 't'.repeat(5_000) }, picture] } });
    assert.equal(output.type, 'content');
    assert.equal(output.value[1], picture);
    assert.ok(output.value[0].text.length <= 1_000 && output.value[0].text.includes('read_tool_output({ id: "c1"'));
    c.close();
  });
});

describe('D-14: the order on arrival', () => {
  test('D-14 redact sees the full text, then it is stored, then it is cut', async () => {
    const { host, log } = countingHost();
    host.redact = ({ text: seen }) => (log.push(`redact ${seen.length}`), seen);
    const c = await start({ host });
    const { output, handle } = await c.result({ callId: 'c1', tool: 'read', output: 'a'.repeat(30_000) });
    assert.deepEqual(log.filter((l) => /redact|has|put/.test(l)), ['redact 30000', 'has c1', 'put c1']);
    assert.ok(handle === 'c1' && output.includes('"c1"'));
    // Below the cap it is stored when it leaves, not before.
    await c.result({ callId: 'c2', tool: 'read', output: 'b'.repeat(4_000) });
    assert.ok(!log.includes('put c2'));
    c.close();
  });

  test('D-14 without a successful put no handle is named', async () => {
    for (const raw of [undefined, { ...memoryStore().raw, put: () => Promise.reject(new Error('full')) }]) {
      const c = await start({ host: { ...memoryStore(), raw } });
      const { output, handle, clamped } = await c.result({ callId: 'c1', tool: 'read', output: 'a'.repeat(30_000) });
      assert.deepEqual([clamped, handle, /read_tool_output|c1/.test(output), output.includes('run the tool again')], [true, undefined, false, true]);
      c.close();
    }
  });

  test('D-14 the store keeps head and tail by bytes, at whole characters, and says how much is gone for good', async () => {
    const { host } = countingHost();
    const c = await start({ host, config: { toolOutput: { rawCapBytes: 10_000 } } });
    const { output } = await c.result({ callId: 'c1', tool: 'read', output: 'é'.repeat(15_000) + '😀'.repeat(5_000) });
    const kept = /** @type {string} */ (await host.raw.get('c1', of));
    const [, head, gone, tail] = /** @type {RegExpExecArray} */ (/^(é+)\[… (\d+) bytes were over the limit of the store and are gone …\](😀+)$/u.exec(kept));
    const [front, end] = [Buffer.byteLength(head), Buffer.byteLength(tail)];
    assert.ok(Buffer.byteLength(kept) <= 10_000 && front + end > 9_800, `${front} and ${end}`);
    assert.ok(Math.abs(front / (front + end) - 0.7) < 0.001, '70 % in front');
    assert.equal(Number(gone), 50_000 - front - end, '15,000 × 2 + 5,000 × 4 bytes');
    assert.ok(output.includes('read_tool_output({ id: "c1"'));
    const messages = list(call('c1'), result(answer('c1', output)), ...rounds(20).slice(3));
    const n = await fill(c, messages, 21_000);
    assert.deepEqual(c.inspect().ledger[2], { index: 2, position: 2, state: 'evicted', handle: 'c1', loss: 'over_cap' });
    assert.match(outputOf(n.view[2]), /read_tool_output\(\{ id: "c1" \}\)/);
    c.close();
  });

  test('D-14 a shortened copy never replaces the full text, not even after a restart', async () => {
    const { host, log } = countingHost();
    const full = `${'a'.repeat(30_000)}`;
    const first = await start({ host });
    const { output } = await first.result({ callId: 'c1', tool: 'read', output: full });
    const messages = list(call('c1'), result(answer('c1', output)), ...rounds(20).slice(3));
    await first.next({ messages: messages.slice(0, 3) });
    first.close();
    const second = await start({ host });
    const n = await fill(second, messages, 30_000);
    assert.ok(outputOf(n.view[2]).startsWith('[context-cleared]'));
    assert.equal(await host.raw.get('c1', of), full);
    assert.deepEqual([log.filter((l) => l === 'put c1').length, log.includes('put c2')], [1, true]);
    second.close();
  });
});

test('D-15 what was redacted stays so: a short result that leaves after a restart is not stored and names no handle', async () => {
  const { host, log } = countingHost({ redact: ({ text: seen }) => seen.replace('SECRET', '[gone]') });
  const messages = list(call('s'), result(answer('s', `SECRET ${'s'.repeat(3_990)}`)), ...rounds(20).slice(3));
  const first = await start({ host });
  const n = await first.next({ messages: messages.slice(0, 3) });
  assert.ok(outputOf(n.view[2]).startsWith('[gone] sss') && outputOf(messages[2]).startsWith('SECRET'));
  first.close();
  const second = await start({ host });
  const later = await fill(second, messages, 21_000);
  assert.match(outputOf(later.view[2]), /^\[context-cleared\] read: ok, .*\[not stored because it was redacted; run the tool again if you need it\]$/);
  assert.ok(!JSON.stringify(later.view).includes('SECRET') && !log.includes('put s') && log.includes('put c2'));
  assert.deepEqual(second.inspect().ledger[2], { index: 2, position: 2, state: 'evicted', loss: 'redacted' });
  assert.match(await second.tools[0].execute({ id: 's' }), /^No stored output/);
  second.close();
});

describe('D-16: reading back', () => {
  const raw = Array.from({ length: 900 }, (_, i) => `${i % 3 === 0 ? 'ERR' : 'ok '} ${String(i).padEnd(60, '.')}`).join('\n');
  const reader = async (/** @type {any} */ config) => {
    const host = memoryStore();
    host.raw.put('c1', raw, of);
    const c = await start({ host, config });
    return (/** @type {any} */ input) => c.tools[0].execute({ id: 'c1', ...input });
  };

  test('D-16 grep filters first, then offset and limit page what was found', async () => {
    const read = await reader({ toolOutput: { maxChars: 4_000 } });
    const lines = raw.split('\n').filter((l) => l.startsWith('ERR'));
    const found = lines.join('\n');
    const first = await read({ grep: 'ERR' });
    assert.equal(first, `${found.slice(0, 3_800)}\n[characters 0 to 3800 of ${found.length} of the matching lines; next offset: 3800]`);
    const second = await read({ grep: 'ERR', offset: 3_800, limit: 100 });
    assert.equal(second.split('\n[')[0], found.slice(3_800, 3_900));
    assert.equal(await read({ grep: 'no such text' }), 'No line of the output "c1" contains "no such text".');
  });

  test('D-16 a page holds at most the cap less its reserve, and says where the next begins', async () => {
    for (const [maxChars, most] of [[24_000, 23_800], [1_000, 800], [799, 600], [100, 75]]) {
      const read = await reader({ toolOutput: { maxChars } });
      const page = await read({ offset: 10, limit: 100_000 });
      assert.ok(page.startsWith(raw.slice(10, 10 + most)) && page.length <= maxChars, `cap ${maxChars}: ${page.length}`);
      assert.ok(page.endsWith(`next offset: ${10 + most}]`));
    }
    const read = await reader({});
    assert.ok((await read({ offset: raw.length - 5 })).startsWith(`${raw.slice(-5)}\n[`) && !(await read({ offset: raw.length - 5 })).includes('next'));
    assert.match(await read({ id: 'c9' }), /^No stored output for "c9": it was never shortened in this conversation, or it was deleted\.$/);
  });

  test('D-16 of a long line only what is around a match is shown', async () => {
    const host = memoryStore();
    host.raw.put('c1', `${'x'.repeat(1_000)}NEEDLE${'y'.repeat(1_000)}NEEDLE${'z'.repeat(50)}`, of);
    const c = await start({ host });
    const [line] = (await c.tools[0].execute({ id: 'c1', grep: 'NEEDLE' })).split('\n');
    assert.equal(line, `…${'x'.repeat(200)}NEEDLE${'y'.repeat(200)}…${'y'.repeat(200)}NEEDLE${'z'.repeat(50)}`);
    c.close();
  });
});

describe('D-17: outputs are no longer kept', () => {
  const summarize = () => ({ text: '## Objective\ngo on' });
  const folding = { eviction: { enabled: false }, summarize: { keepRecent: 0, keepRounds: 1 }, orders: { enabled: false } };

  test('D-17 new outputs are not stored at once; the tool stays while a handle is in view, and leaves with the next fold', async () => {
    const { host, count } = countingHost({ summarize });
    const c = await start({ host, config: folding });
    const { output } = await c.result({ callId: 'c1', tool: 'read', output: 'a'.repeat(30_000) });
    const messages = list(call('c1'), result(answer('c1', output)), say('seen'), user('more'), call('c2'), result(answer('c2', 'short')), say('done'));
    await c.next({ messages });
    c.set({ config: { toolOutput: { persistRaw: false } } });
    await c.next({ messages });
    assert.equal(c.tools.length, 1, 'the marker names a handle');
    const later = await c.result({ callId: 'c3', tool: 'read', output: 'b'.repeat(30_000) });
    assert.deepEqual([later.handle, count('put')], [undefined, 1]);
    const folded = await c.compact({ messages });
    assert.equal(folded.outcomes[0].outcome, 'done');
    assert.ok(!JSON.stringify(folded.view).includes('read_tool_output'));
    assert.deepEqual(c.tools, [], 'nothing in view names one');
    c.close();
  });

  test('D-17 another process knows from the state that a handle is in view', async () => {
    const { host } = countingHost();
    const first = await start({ host });
    const messages = rounds(20);
    await fill(first, messages, 21_000);
    first.close();
    const second = await start({ host, config: { toolOutput: { persistRaw: false } } });
    assert.equal(second.tools.length, 1);
    const n = await second.next({ messages });
    assert.ok(JSON.stringify(n.view).includes('read_tool_output'));
    assert.equal(second.tools.length, 1);
    second.close();
  });

  test('D-17 the tool is offered in each format while outputs are kept, and only then', async () => {
    for (const format of WIRE) {
      const kept = await start({ host: memoryStore(), format });
      const [tool] = kept.tools;
      const definition = formatByName(format).toolDefinition(tool);
      assert.match(JSON.stringify(definition), /"name":"read_tool_output"/);
      assert.ok(JSON.stringify(definition).includes('"grep"'), format);
      kept.close();
      for (const options of [{ host: {} }, { host: memoryStore(), config: { toolOutput: { persistRaw: false } } }]) {
        const none = await start({ ...options, format });
        await none.next({ messages: conversation(format, 2) });
        assert.deepEqual(none.tools, [], format);
        none.close();
      }
    }
  });
});

describe('D-54: results that nobody shortened', () => {
  test('D-54 a result over the cap is shortened before it is sent first, and stays so', async () => {
    const { host, count } = countingHost();
    const c = await start({ host, model: { id: 'm', window: 1_000_000, maxOutput: 4_000 } });
    const messages = list(call('c1'), result(answer('c1', 'a'.repeat(30_000))));
    const n = await c.next({ messages });
    assert.equal(outputOf(n.view[2]).replace(/\[.*\]/, '').length, 23_800);
    assert.deepEqual(c.inspect().ledger[2], { index: 2, position: 2, state: 'clamped', handle: 'c1' });
    // What was sent whole before is never shortened behind the model's back.
    c.set({ config: { toolOutput: { maxChars: 1_000 } } });
    const more = [...messages, say('ok'), call('c2'), result(answer('c2', 'b'.repeat(5_000)))];
    const m = await c.next({ messages: more });
    assert.deepEqual([m.view[2] === n.view[2], outputOf(m.view[5]).length <= 1_000], [true, true]);
    c.set({ config: { toolOutput: { maxChars: 100 } } });
    const again = await c.next({ messages: more });
    assert.deepEqual([again.view[2] === n.view[2], again.view[5] === m.view[5], count('put')], [true, true, 2]);
    c.close();
  });

  test('D-54 the results of one round share what is left below hard: the largest common cap', async () => {
    // Hard is 8,100. 2,000 of the user and 4 calls of 1: 6,096 tokens are left, 24,384 characters at four each.
    const c = await start({ host: memoryStore(), model: W10, config: QUIET });
    const sizes = [2_000, 20_000, 20_000, 20_000];
    const messages = [user('u'.repeat(8_000)), call('a', 'b', 'c', 'd'), result(...sizes.map((size, i) => answer('abcd'[i], text(i, size))))];
    const n = await c.next({ messages });
    const lengths = n.view[2].content.map((/** @type {any} */ p) => p.output.value.length);
    // 2,000 + 3 × 7,461 = 24,383; marker and line ends make each a little shorter.
    assert.equal(n.view[2].content[0], messages[2].content[0]);
    assert.ok(lengths.slice(1).every((/** @type {number} */ l) => l <= 7_461 && l > 7_300), `${lengths}`);
    assert.ok(n.occupancy.tokens < 8_100);
    c.close();
  });

  test('D-54 no share is below 800 characters', async () => {
    // 7,600 tokens are there: 500 are left below hard, 400 characters for each of five. 5 × 200 tokens fit into usable.
    const c = await start({ host: memoryStore(), model: W10, config: QUIET });
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const messages = [user('u'.repeat(4 * 7_595)), call(...ids), result(...ids.map((id, i) => answer(id, text(i, 2_000))))];
    const n = await c.next({ messages });
    const lengths = n.view[2].content.map((/** @type {any} */ p) => p.output.value.length);
    assert.ok(lengths.every((/** @type {number} */ l) => l <= 800 && l > 700), `${lengths}`);
    c.close();
  });
});

test('T-1 a call costs no memory of the size of its output, whatever its form', async () => {
  const { memory } = await import('../../pkg/boot.js');
  const c = await start({ host: memoryStore(), config: { toolOutput: { rawCapBytes: 200_000_000 } } });
  await c.result({ callId: 'warm', tool: 'read', output: { rows: Array.from({ length: 1_000 }, () => 'w'.repeat(100)) } });
  const before = memory().buffer.byteLength;
  await c.result({ callId: 'c1', tool: 'read', output: { rows: Array.from({ length: 20_000 }, (_, i) => `é${i}`.padEnd(1_000, 'x')) } });
  const messages = list(call('c2'), result(answer('c2', `é${'y'.repeat(20_000_000)}`)));
  const n = await c.next({ messages });
  assert.ok(outputOf(n.view[2]).length <= 24_000 && untouched(n.view, messages).length === 2);
  assert.ok(memory().buffer.byteLength - before < 1_000_000, `${memory().buffer.byteLength - before} bytes`);
  c.close();
});
