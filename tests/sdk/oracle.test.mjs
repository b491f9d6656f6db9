// Judges we did not write: the published AI SDK, v6 and v7, with its converters for four providers and its own
// validators, the network stubbed. Whatever we return has to pass them, and what they send has to pass ours.
// Needs Node 22 or newer; `make sdk` runs it under the pinned one.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { createAnthropic as anthropic6 } from 'anthropic6';
import { createAnthropic as anthropic7 } from 'anthropic7';
import { createGoogleGenerativeAI as google6 } from 'google6';
import { createGoogleGenerativeAI as google7 } from 'google7';
import { createOpenAI as openai6 } from 'openai6';
import { createOpenAI as openai7 } from 'openai7';
import { plan, repair, validate } from '../../pkg/pure.js';
import { readSession } from '../../pkg/readers/index.js';
import { script, written } from '../js/histories.mjs';

globalThis.AI_SDK_LOG_WARNINGS = false;

/** Stands for the network: keeps the request, answers nothing. */
class Sent extends Error {
  constructor(body) {
    super('sent');
    this.body = body;
  }
}
const fetch = async (_url, init) => {
  throw new Sent(JSON.parse(init.body));
};
const key = { apiKey: 'none', fetch };

const SDKS = {
  6: { ai: ai6, models: { anthropic: anthropic6(key)('claude-sonnet-4-5'), 'openai-chat': openai6(key).chat('gpt-4o'), 'openai-responses': openai6(key).responses('gpt-4o'), gemini: google6(key)('gemini-2.5-flash') } },
  7: { ai: ai7, models: { anthropic: anthropic7(key)('claude-sonnet-4-5'), 'openai-chat': openai7(key).chat('gpt-4o'), 'openai-responses': openai7(key).responses('gpt-4o'), gemini: google7(key)('gemini-2.5-flash') } },
};
const WIRE = { anthropic: (b) => b.messages, 'openai-chat': (b) => b.messages, 'openai-responses': (b) => b.input, gemini: (b) => b.contents };

/** The request the SDK would send. @param {any} ai @param {any} model @param {any[]} messages @returns {Promise<any>} */
async function sentBy(ai, model, messages) {
  try {
    await ai.generateText({ model, messages, maxRetries: 0, maxOutputTokens: 100 });
  } catch (error) {
    for (let cause = error; cause; cause = cause.cause) if (cause instanceof Sent) return cause.body;
    throw error;
  }
  throw new Error('the request was never sent');
}

const user = (content) => ({ role: 'user', content });
const call = (toolCallId, more) => ({ type: 'tool-call', toolCallId, toolName: 'read', input: { path: 'a' }, ...more });
const result = (toolCallId, output, more) => ({ type: 'tool-result', toolCallId, toolName: 'read', output, ...more });
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Shapes random histories do not have. */
const SPECIAL = {
  'parallel calls, results in another order, error and JSON outputs': [user('go'), { role: 'assistant', content: [{ type: 'text', text: 'ok' }, call('a'), call('b'), call('c')] }, { role: 'tool', content: [result('c', { type: 'error-text', value: 'no' }), result('a', { type: 'json', value: { rows: ['x'.repeat(3_000)] } }), result('b', { type: 'error-json', value: { code: 1 } })] }, { role: 'assistant', content: 'done' }, user('on')],
  'an image in a result, a denied call, an empty text beside a call': [user('go'), { role: 'assistant', content: [{ type: 'text', text: 'hm' }, call('a')] }, { role: 'tool', content: [result('a', { type: 'content', value: [{ type: 'text', text: 'y'.repeat(2_000) }, { type: 'image-data', data: PNG, mediaType: 'image/png' }] })] }, { role: 'assistant', content: [call('b')] }, { role: 'tool', content: [result('b', { type: 'execution-denied', reason: 'not now' })] }, { role: 'assistant', content: 'ok' }, user('on')],
  'asked for consent, granted, run': [user('go'), { role: 'assistant', content: [call('a'), { type: 'tool-approval-request', approvalId: 'p', toolCallId: 'a' }] }, { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'p', approved: true }, result('a', { type: 'text', value: 'z'.repeat(2_000) })] }, { role: 'assistant', content: 'done' }, user('on')],
  'results in two messages, ids that come back': [user('go'), { role: 'assistant', content: [call('call_0'), call('call_1')] }, { role: 'tool', content: [result('call_0', { type: 'text', value: 'x'.repeat(1_000) })] }, { role: 'tool', content: [result('call_1', { type: 'text', value: 'y' })] }, { role: 'assistant', content: [call('call_2')] }, { role: 'tool', content: [result('call_2', { type: 'text', value: 'z' })] }, user('on')],
};

/** Views of a history at several pressures. */
function views(messages) {
  const config = { eviction: { keepRecentRounds: 1, clearAtLeast: 0, minResultTokens: 20 }, toolOutput: { maxChars: 800 } };
  const out = [];
  for (const window of [600, 1_500, 100_000]) {
    try {
      out.push(plan({ messages, format: 'ai-sdk', model: { id: 'm', window, maxOutput: 0 }, config }).view);
    } catch (error) {
      assert.equal(error.code, 'budget_impossible');
    }
  }
  return out;
}

/** Random valid histories, the same ones in every run. They end with what a user says, as requests do. */
const stories = fc.sample(script, { seed: 7, numRuns: 60 }).map((story) => written({ ...story, repeat: false, beats: [...story.beats, { user: true, text: 'go on' }] }, 'ai-sdk'));

/** What real agents recorded, from the first word of the user's to the last thing that was said to the model. */
const data = path.join(process.env.GENTLE_SHARED ?? path.join(import.meta.dirname, '..', '..', '..', 'shared'), 'data');
const sessions = [];
for (const file of existsSync(data) ? readdirSync(data, { recursive: true }).map(String).filter((f) => /\.jsonl?$/.test(f)).sort() : []) {
  const session = await readSession(readFileSync(path.join(data, file)), { name: file }).catch(() => undefined);
  const rows = session?.rows.map((row) => row.message) ?? [];
  const messages = rows.slice(Math.max(0, rows.findIndex(({ role }) => role === 'user')), rows.findLastIndex(({ role }) => role === 'user' || role === 'tool') + 1);
  if (messages.length > 2 && messages[0].role === 'user') sessions.push({ file, messages });
}

for (const [version, { ai, models }] of Object.entries(SDKS)) {
  describe(`AI SDK ${version}`, () => {
    for (const [format, model] of Object.entries(models)) {
      test(`its converter for ${format} takes every view we return, and sends what our validator accepts`, async () => {
        let sent = 0;
        for (const messages of [...Object.values(SPECIAL), ...stories]) {
          for (const view of views(messages)) {
            const body = await sentBy(ai, model, view);
            const { findings } = validate(WIRE[format](body), format, { phase: 'request' });
            const bad = findings.filter((f) => f.level === 'E' && !explained(version, format, f, view));
            assert.deepEqual(bad, []);
            sent += 1;
          }
        }
        assert.ok(sent > 100, `${sent} requests`);
      });

      test(`what repair makes of broken histories passes its converter for ${format}, too`, async () => {
        const broken = [
          [user('go'), { role: 'assistant', content: [call('d')] }, user('are you there?')],
          [user('go'), { role: 'tool', content: [result('ghost', { type: 'text', value: 'x' })] }, user('on')],
          [user('go'), { role: 'assistant', content: [call('a'), call('b')] }, { role: 'tool', content: [result('a', { type: 'text', value: 'x' })] }, { role: 'assistant', content: 'hm' }, user('on')],
          [user('go'), { role: 'assistant', content: [{ type: 'reasoning', text: 'only this' }] }, user('on')],
          [user('go'), { role: 'assistant', content: [call('a')] }, user('hurry'), { role: 'tool', content: [result('a', { type: 'text', value: 'x' })] }, { role: 'assistant', content: 'ok' }, user('on')],
          [user('go'), { role: 'assistant', content: [call('a'), call('a')] }, { role: 'tool', content: [result('a', { type: 'text', value: 'x' }), result('a', { type: 'text', value: 'y' })] }, user('on')],
        ];
        for (const messages of broken) {
          const healed = repair(messages, 'ai-sdk');
          assert.equal(healed.refused, undefined);
          const body = await sentBy(ai, model, healed.messages);
          assert.deepEqual(validate(WIRE[format](body), format, { phase: 'request' }).findings.filter((f) => f.level === 'E'), []);
        }
      });
    }

    test('on real sessions, its schema and its converters take every view that ours does', { skip: sessions.length > 0 ? false : 'NO REAL SESSIONS HERE: set GENTLE_SHARED to the folder that holds data/' }, async () => {
      for (const { file, messages } of sessions) {
        for (const view of views(repair(messages, 'ai-sdk').messages)) {
          const ours = validate(view, 'ai-sdk', { phase: 'request' }).findings.filter((f) => f.level === 'E' && f.rule !== 'AM-3');
          assert.deepEqual(ours, [], file);
          for (const [i, message] of view.entries()) assert.ok(ai.modelMessageSchema.safeParse(message).success, `${file}: message ${i}`);
          // What one provider ran itself only its own converter takes; files are cut out of these logs.
          const portable = !view.some((m) => Array.isArray(m.content) && m.content.some((p) => p.providerExecuted || p.type === 'file' || p.type === 'image'));
          for (const [format, model] of portable ? Object.entries(models) : []) {
            const body = await sentBy(ai, model, view.filter(({ role }) => role !== 'system'));
            const bad = validate(WIRE[format](body), format, { phase: 'request' }).findings.filter((f) => f.level === 'E' && !explained(version, format, f, view));
            assert.deepEqual(bad, [], `${file} for ${format}`);
          }
        }
      }
    });

    test('its message schema and ours agree on every leaf of a message', () => {
      const disagreements = [];
      for (const [name, message] of Object.entries(LEAVES)) {
        const theirs = ai.modelMessageSchema.safeParse(message).success;
        const ours = !validate([message], 'ai-sdk').findings.some((f) => f.rule === 'AM-2');
        if (theirs !== ours) disagreements.push(`${name}: the SDK ${theirs ? 'takes' : 'refuses'} it, we ${ours ? 'take' : 'refuse'} it`);
      }
      assert.deepEqual(disagreements, DISAGREEMENTS[version]);
    });

    test('its validator of UIMessages and ours agree', async () => {
      const disagreements = [];
      for (const [name, messages] of Object.entries(UI)) {
        const theirs = await ai.validateUIMessages({ messages }).then(() => true, () => false);
        const ours = !validate(messages, 'ai-sdk-ui').findings.some((f) => f.rule === 'AU-1' || f.rule === 'AU-2');
        if (theirs !== ours) disagreements.push(`${name}: the SDK ${theirs ? 'takes' : 'refuses'} it, we ${ours ? 'take' : 'refuse'} it`);
      }
      assert.deepEqual(disagreements, []);
    });
  });
}

/** What an SDK makes of a valid view that a strict provider would refuse: a fact about the SDK, not about the view. */
function explained(_version, format, finding, view) {
  const list = view.some((m) => m.role === 'tool' && m.content.some((p) => p.output?.type === 'content'));
  // Chat has no images in tool messages; the SDK writes the whole list as text there, which is costly but accepted.
  if (format === 'openai-chat' && finding.rule === 'OC-3') return list;
  // Free-form calls are OpenAI's alone; the SDK hands their text on to the others as if it were an object.
  if (finding.rule === 'AN-11' || finding.rule === 'GE-10') return view.some((m) => m.role === 'assistant' && Array.isArray(m.content) && m.content.some((p) => typeof p.input === 'string'));
  // For Gemini it makes a response of each text of a list.
  return format === 'gemini' && finding.rule === 'GE-2' && list;
}

const one = (part) => ({ role: 'assistant', content: [part] });
const tool = (part) => ({ role: 'tool', content: [part] });

/** One message each: valid ones, and ones with a single leaf that is missing or of another type. */
const LEAVES = {
  'user text': user('x'),
  'user parts': user([{ type: 'text', text: 'x' }, { type: 'image', image: new URL('https://example.org/a.png') }, { type: 'file', data: new Uint8Array([1]), mediaType: 'a/b' }]),
  'user number': user(7),
  'user without content': { role: 'user' },
  'unknown role': { role: 'narrator', content: 'x' },
  system: { role: 'system', content: 'x' },
  'system parts': { role: 'system', content: [{ type: 'text', text: 'x' }] },
  'text without text': one({ type: 'text' }),
  'text of a number': one({ type: 'text', text: 5 }),
  reasoning: one({ type: 'reasoning', text: 'x', providerOptions: { anthropic: { signature: 's' } } }),
  'reasoning without text': one({ type: 'reasoning' }),
  call: one(call('a')),
  'call without id': one({ ...call('a'), toolCallId: undefined }),
  'call with a number as name': one({ ...call('a'), toolName: 4 }),
  'call without input': one({ type: 'tool-call', toolCallId: 'a', toolName: 'read' }),
  'provider call and result': { role: 'assistant', content: [call('a', { providerExecuted: true }), result('a', { type: 'json', value: [1] })] },
  'text result': tool(result('a', { type: 'text', value: 'x' })),
  'text result of a number': tool(result('a', { type: 'text', value: 5 })),
  'bare string output': tool(result('a', 'x')),
  'no output': tool(result('a', undefined)),
  'unknown output': tool(result('a', { type: 'smell', value: 'x' })),
  'content output': tool(result('a', { type: 'content', value: [{ type: 'text', text: 'x' }, { type: 'image-data', data: PNG, mediaType: 'image/png' }] })),
  'content output of a string': tool(result('a', { type: 'content', value: 'x' })),
  'denied output': tool(result('a', { type: 'execution-denied' })),
  'tool text': { role: 'tool', content: 'x' },
  'call in a tool message': tool(call('a')),
  'result in a user message': user([result('a', { type: 'text', value: 'x' })]),
  'approval request': one({ type: 'tool-approval-request', approvalId: 'p', toolCallId: 'a' }),
  'approval request without id': one({ type: 'tool-approval-request', toolCallId: 'a' }),
  'approval response': tool({ type: 'tool-approval-response', approvalId: 'p', approved: true }),
  'approval response without answer': tool({ type: 'tool-approval-response', approvalId: 'p' }),
  'file without media type': user([{ type: 'file', data: PNG }]),
  'image without image': user([{ type: 'image' }]),
  'unknown part': one({ type: 'teleport' }),
  'part that is a string': one('x'),
  'provider options of a string': { ...user('x'), providerOptions: 'x' },
  null: null,
  'a number': 3,
};

/** Where an SDK's schema and ours differ on purpose. Filled from what the SDKs do; each with its reason. */
const DISAGREEMENTS = { 6: [], 7: [] };

const ask = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] };
const answer = (...parts) => [ask, { id: 'a', role: 'assistant', parts }];
const ui = (state, more) => ({ type: 'tool-read', toolCallId: 'c', state, ...more });

const UI = {
  'text only': answer({ type: 'text', text: 'x' }),
  'empty list': [],
  'user without parts': [{ ...ask, parts: [] }],
  'assistant without parts': answer(),
  'parts that are no list': [{ ...ask, parts: 'x' }],
  'unknown role': [{ ...ask, role: 'narrator' }],
  'text without text': answer({ type: 'text' }),
  'steps': answer({ type: 'step-start' }, ui('output-available', { input: {}, output: 'x' }), { type: 'step-start' }, { type: 'text', text: 'x' }),
  'output without input': answer(ui('output-available', { output: 'x' })),
  'call that waits': answer(ui('input-available', { input: {} })),
  'call that waits without input': answer(ui('input-available', {})),
  'call that streams': answer(ui('input-streaming', {})),
  'failed call': answer(ui('output-error', { input: {}, errorText: 'no' })),
  'failed call without a word': answer(ui('output-error', { input: {} })),
  'unknown state': answer(ui('lost', { input: {} })),
  'dynamic tool': answer({ type: 'dynamic-tool', toolName: 'read', toolCallId: 'c', state: 'output-available', input: {}, output: 1 }),
  'dynamic tool without a name': answer({ type: 'dynamic-tool', toolCallId: 'c', state: 'output-available', input: {}, output: 1 }),
  'file': [{ ...ask, parts: [{ type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,x' }] }],
  'file without a type': [{ ...ask, parts: [{ type: 'file', url: 'data:image/png;base64,x' }] }],
  'data and sources': answer({ type: 'data-note', data: 1 }, { type: 'source-url', sourceId: 's', url: 'https://example.org' }, { type: 'text', text: 'x' }),
};
