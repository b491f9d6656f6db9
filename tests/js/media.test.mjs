// Sizes read from image headers, and prices by the published formulas (golden values of the providers' pages).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { open } from '../../pkg/inline.js';
import { claude, imageTokens, mediaFamily, mediaPrice, patches, pdfPages } from '../../pkg/media.js';
import { imageSize } from '../../pkg/media-size.js';
import { count } from '../../pkg/pure.js';

const be = (n, bytes) => Array.from({ length: bytes }, (_, i) => (n / 256 ** (bytes - 1 - i)) & 255);
const le = (n, bytes) => be(n, bytes).reverse();
const ascii = (s) => [...s].map((c) => c.charCodeAt(0));
const png = (w, h) => Uint8Array.from([0x89, ...ascii('PNG\r\n\x1a\n'), 0, 0, 0, 13, ...ascii('IHDR'), ...be(w, 4), ...be(h, 4), 8, 6, 0, 0, 0, ...Array(40).fill(7)]);
const jpeg = (w, h, before = 0) => Uint8Array.from([0xff, 0xd8, ...(before ? [0xff, 0xe1, ...be(before + 2, 2), ...Array(before).fill(0x41)] : []), 0xff, 0xc4, 0, 4, 1, 2, 0xff, 0xff, 0xc2, 0, 17, 8, ...be(h, 2), ...be(w, 2), 3, ...Array(30).fill(1)]);
const gif = (w, h) => Uint8Array.from([...ascii('GIF89a'), ...le(w, 2), ...le(h, 2), 0, 0, 0]);
const webp = (kind, body) => Uint8Array.from([...ascii('RIFF'), 0, 0, 0, 0, ...ascii('WEBP'), ...ascii(kind), 10, 0, 0, 0, ...body, ...Array(20).fill(0)]);
const base64 = (bytes) => Buffer.from(bytes).toString('base64');

describe('imageSize', () => {
  const images = {
    png: [png(1920, 1080), 1920, 1080],
    'jpeg, progressive, after a table and a fill byte': [jpeg(640, 480), 640, 480],
    'jpeg behind 60,000 bytes of metadata': [jpeg(4000, 3000, 60_000), 4000, 3000],
    gif: [gif(300, 200), 300, 200],
    'webp lossy': [webp('VP8 ', [0, 0, 0, 0x9d, 1, 0x2a, ...le(800, 2), ...le(600, 2)]), 800, 600],
    'webp lossless': [webp('VP8L', [0x2f, ...le(((599 << 14) | 799) >>> 0, 4)]), 800, 600],
    'webp extended': [webp('VP8X', [0, 0, 0, 0, ...le(1919, 3), ...le(1079, 3)]), 1920, 1080],
  };
  for (const [name, [bytes, width, height]] of Object.entries(images)) {
    test(name, () => {
      const text = base64(bytes);
      for (const data of [bytes, bytes.buffer, Buffer.from(bytes), text, `data:image/x;base64,${text}`, new URL(`data:image/x;base64,${text}`), text.replace(/.{76}/g, '$&\n'), text.replaceAll('+', '-').replaceAll('/', '_')]) assert.deepEqual(imageSize(data), { width, height });
    });
  }
  test('nothing is guessed', () => {
    for (const data of ['', 'hello', 'https://e.org/a.png', new URL('https://e.org'), null, undefined, 7, {}, new Uint8Array(), png(0, 10), png(9, 9).slice(0, 15), jpeg(9, 9).slice(0, 8), 'iVBORw0K'.repeat(9), 'data:image/svg+xml;utf8,<svg/>']) assert.equal(imageSize(data), undefined);
  });
});

describe('imageTokens', () => {
  const golden = [[200, 200, 64, 64], [1000, 1000, 1296, 1296], [1092, 1092, 1521, 1521], [1920, 1080, 1560, 2691], [2000, 1500, 1564, 3888], [3840, 2160, 1560, 4784], [1075, 1520, 1551, 2145]];
  for (const [width, height, standard, high] of golden) {
    test(`Claude ${width}×${height}: ${standard} and ${high}`, () => {
      assert.equal(imageTokens({ width, height }, 'claude'), standard);
      assert.equal(imageTokens({ width, height }, 'claude-high'), high);
      assert.equal(imageTokens({ width: height, height: width }, 'claude'), claude(height, width, 1568, 1568).tokens);
    });
  }
  test('Claude shrinks to the published sizes', () => {
    assert.deepEqual(claude(1920, 1080, 1568, 1568), { width: 1456, height: 819, tokens: 1560 });
    assert.deepEqual(claude(3840, 2160, 2576, 4784), { width: 2576, height: 1449, tokens: 4784 });
    assert.deepEqual(claude(1075, 1520, 1568, 1568), { width: 924, height: 1307, tokens: 1551 });
    assert.deepEqual(claude(2000, 1500, 1568, 1568), { width: 1270, height: 952, tokens: 1564 });
  });
  test('OpenAI tiles and patches', () => {
    assert.equal(imageTokens({ width: 1024, height: 1024 }, 'tile-4o'), 765);
    assert.equal(imageTokens({ width: 2048, height: 4096 }, 'tile-4o'), 1105);
    assert.equal(imageTokens({ width: 4096, height: 8192 }, 'tile-4o', 'low'), 85);
    assert.equal(imageTokens({ width: 1024, height: 1024 }, 'tile-5'), 630);
    assert.equal(imageTokens({ width: 512, height: 512 }, 'tile-mini'), 2833 + 5667);
    assert.equal(imageTokens({ width: 512, height: 512 }, 'tile-o'), 225);
    assert.equal(patches(1024, 1024), 1024);
    assert.equal(patches(1800, 2400), 1452);
    assert.equal(imageTokens({ width: 1024, height: 1024 }, 'patch-1.62'), 1659);
  });
  test('Gemini', () => {
    assert.equal(imageTokens({ width: 384, height: 384 }, 'gemini-2'), 258);
    assert.equal(imageTokens({ width: 1536, height: 769 }, 'gemini-2'), 258 * 4);
    assert.deepEqual(['low', 'medium', undefined].map((d) => imageTokens({ width: 9, height: 9 }, 'gemini-3', d)), [280, 560, 1120]);
  });
  test('families by model name, else by provider', () => {
    const names = { 'claude-sonnet-4-5': 'claude', 'anthropic/claude-opus-4.8': 'claude-high', 'claude-opus-4-6': 'claude', 'claude-opus-5': 'claude-high', 'claude-haiku-4-5': 'claude', 'gpt-4o': 'tile-4o', 'gpt-4o-mini': 'tile-mini', 'gpt-4.1': 'tile-4o', 'gpt-4.1-nano': 'patch-2.46', 'gpt-5.2': 'tile-5', 'gpt-5-mini': 'patch-1.62', 'o4-mini': 'patch-1.72', o3: 'tile-o', 'gemini-2.5-pro': 'gemini-2', 'gemini-3-pro': 'gemini-3', llama: undefined };
    for (const [id, family] of Object.entries(names)) assert.equal(mediaFamily({ id }), family, id);
    assert.equal(mediaFamily({ id: 'my-deployment', provider: 'anthropic' }), 'claude');
  });
});

test('PDF pages are counted where the file states them, else the fallback stands', () => {
  const pdf = (body) => Buffer.from(`%PDF-1.7\n${body}\n%%EOF`, 'latin1');
  assert.equal(pdfPages(pdf('<< /Linearized 1 /L 999 /N 12 /T 1 >>')), 12);
  assert.equal(pdfPages(base64(pdf('<</Type /Pages /Kids [1 0 R 2 0 R] /Count 30>>'))), 30);
  assert.equal(pdfPages(pdf('<</Type/Page>> <</Type /Page /X 1>> <</Type /Pages>>')), 2);
  assert.equal(pdfPages(pdf('compressed')), undefined);
  assert.equal(pdfPages('JVBERi0x'.repeat(1_000)), undefined);
  const price = mediaPrice({ id: 'gemini-2.5-flash' }, 1_600);
  assert.equal(price({ type: 'application/pdf', bytes: 0, data: pdf('/Count 10 ') }), 2_580);
  assert.equal(price({ type: 'application/pdf', bytes: 0, data: pdf('compressed') }), 1_600);
  assert.equal(price({ type: 'video/mp4', bytes: 9, data: 'AAAA' }), 1_600);
});

const image = base64(png(1920, 1080));
const WITH_IMAGE = {
  'ai-sdk': { role: 'user', content: [{ type: 'text', text: 'see' }, { type: 'image', image, mediaType: 'image/png' }] },
  anthropic: { role: 'user', content: [{ type: 'text', text: 'see' }, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } }] },
  'openai-chat': { role: 'user', content: [{ type: 'text', text: 'see' }, { type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } }] },
  'openai-responses': { role: 'user', content: [{ type: 'input_text', text: 'see' }, { type: 'input_image', image_url: `data:image/png;base64,${image}` }] },
  gemini: { role: 'user', parts: [{ text: 'see' }, { inlineData: { mimeType: 'image/png', data: image } }] },
  'ai-sdk-ui': { id: 'm', role: 'user', parts: [{ type: 'text', text: 'see' }, { type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${image}` }] },
};

for (const [format, message] of Object.entries(WITH_IMAGE)) {
  test(`BD-3 in ${format}: an image of 1920×1080 on Claude's standard tier is 1,560 tokens of attachments, and follows the model`, async () => {
    const cascade = await open({ transcript: 't', format, model: { id: 'claude-sonnet-4-5' }, config: { estimate: { counter: 'chars4' } } });
    const attachments = () => cascade.inspect().breakdown.buckets.find((b) => b.id === 'attachments').tokens;
    const { view } = await cascade.next({ messages: [message] });
    assert.equal(attachments(), 1_560);
    assert.equal(cascade.inspect().breakdown.buckets.find((b) => b.id === 'messages').tokens, 1);
    cascade.set({ model: { id: 'claude-opus-5' } });
    const next = await cascade.next({ messages: [message] });
    assert.equal(attachments(), 2_691);
    assert.equal(next.view[0], view[0]);
    assert.equal(next.prefix.brokenBy, undefined);
    cascade.set({ model: { id: 'unheard-of', window: 100_000 }, config: { media: { imageTokens: 900 } } });
    await cascade.next({ messages: [message] });
    assert.equal(attachments(), 900);
    cascade.close();
    assert.equal(count([message], { format, model: 'gpt-4o', counter: 'chars4' }).tokens, 1 + 85 + 170 * 6);
  });
}
