// What a digest made by rule says: names that would be lost, each once, within its budget, and nothing that was redacted.
import assert from 'node:assert/strict';
import test from 'node:test';
import { outcome, reach, result, says, session, texts, user } from './session-kit.mjs';

const read = (id, path) => ({ role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName: 'read', input: { path } }] });
const W40 = { window: 40_000, maxOutput: 4_000, config: { eviction: { enabled: false } } };
const blockOf = (view, name) => texts(view).find((t) => t.startsWith(`<${name}>`));

/** One turn of ten rounds; the digest stands for rounds 2 to 6, counted from 0. */
const tenRounds = (body, n = 10) => [user('go'), ...Array.from({ length: n }, (_, i) => [read(`c${i}`, `src/mod_${i}.rs`), result(`c${i}`, body(i))]).flat()];

test('D-28 a digest names what only the folded rounds held, what the agent used first', async () => {
  const body = (i) => (i === 3 ? 'found:\nfn parse_header and fn write_footer call shared_helper' : i === 9 ? 'shared_helper again' : `nothing in ${'x'.repeat(200)}`);
  const messages = tenRounds(body);
  // The agent itself wrote one of the names later.
  messages[11] = { role: 'assistant', content: [{ type: 'text', text: 'Now write_footer is next.' }, ...messages[11].content] };
  const { c } = await session(W40);
  const n = await c.compact({ messages });
  const named = blockOf(n.view, 'digest').match(/\nNames in them: (.*)/)[1].split(' ');
  assert.ok(named.includes('parse_header'), named.join(' '));
  // It stands in the line of what the agent said, so it needs no second place; the helper stands in a round that stays.
  assert.equal(blockOf(n.view, 'digest').split('write_footer').length - 1, 1);
  assert.ok(!named.includes('shared_helper'));
  // Told by rule: the same rows, the same bytes.
  const again = await session(W40);
  assert.equal(JSON.stringify((await again.c.compact({ messages })).view), JSON.stringify(n.view));
});

test('D-28 a digest never weighs more than 1,500 tokens, however many names there are', async () => {
  const { c } = await session(W40);
  const messages = tenRounds((i) => Array.from({ length: 300 }, (_, n) => `symbol_${i}_${n}`).join(' '));
  const n = await c.compact({ messages });
  const digest = blockOf(n.view, 'digest');
  assert.ok(digest.length / 4 <= 1_500 && digest.length / 4 > 1_200, `${digest.length / 4} tokens`);
  for (const i of [2, 3, 4, 5, 6]) assert.ok(digest.includes(`src/mod_${i}.rs`));
});

test('a digest and a group line say nothing of a result that was redacted', async () => {
  const redact = ({ text }) => text.replace(/credential_\w+/g, '[gone]');
  const body = (i) => (i === 4 ? 'credential_ABC12345 opens it' : `found:\nplain_name_${i} ${'x'.repeat(1_900)}`);
  const { c } = await session({ ...W40, host: { redact } });
  const digested = await c.compact({ messages: tenRounds(body) });
  assert.ok(blockOf(digested.view, 'digest').includes('plain_name_5'));
  assert.ok(!JSON.stringify(digested.view).includes('credential_ABC12345'));

  const closed = [...tenRounds(body, 14), says('fine'), user('next')];
  const cascade = await session({ config: { eviction: { enabled: false } }, host: { redact } });
  const n = await reach(cascade.c, closed, 8_200);
  assert.match(outcome(n, 'cascade').detail, /^dropped the oldest steps;/);
  assert.match(texts(n.view).find((t) => t.startsWith('[')), /names: .*plain_name_0/);
  assert.ok(!JSON.stringify(n.view).includes('credential_ABC12345'));
});

test('D-27 a group line spends at most 200 tokens on names', async () => {
  const { c } = await session({ config: { eviction: { enabled: false } } });
  // 180 names of ten characters with a space between: 1,979 characters, 495 tokens; a call weighs 6.
  const names = (i) => Array.from({ length: 180 }, (_, n) => `sy_${String(i).padStart(2, '0')}_${String(n).padStart(4, '0')}`).join(' ');
  const n = await reach(c, [...tenRounds(names, 14), says('fine'), user('next')], 8_200);
  assert.match(outcome(n, 'cascade').detail, /^dropped the oldest steps;/);
  const named = texts(n.view).find((t) => t.startsWith('[')).match(/names: ([^;]*)/)[1];
  const gone = c.inspect().ledger.filter((l) => l.state === 'dropped').length / 2;
  assert.ok(gone >= 5 && (gone * 501) / 8 > 200, `${gone} rounds`);
  assert.ok(named.length / 4 <= 200 && named.length / 4 > 150, `${named.length / 4} tokens of names`);
});
