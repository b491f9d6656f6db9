// The gauge: what providers report, what is learned from it, what a model's family costs, and what an overflow says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../../pkg/inline.js';
import { readOverflow } from '../../pkg/overflow.js';
import { breakdown, readUsage } from '../../pkg/pure.js';
import { definitionOf, formatText, seams, toolText } from '../../pkg/tool-text.js';
import { calls, filler, reach, result, rounds, says, session, user } from './session-kit.mjs';

const QUIET = { eviction: { enabled: false }, summarize: { enabled: false }, cascade: { enabled: false } };
const bare = (model, config = {}, more = {}) => open({ transcript: 't', format: 'ai-sdk', model, config: { ...QUIET, ...config }, ...more });

test('usage is found in whatever holds it, and only one call of this conversation counts', () => {
  const cases = [
    [{ usage: { input_tokens: 5, cache_read_input_tokens: 95 } }, 100],
    [{ message: { usage: { input_tokens: 5, cache_creation_input_tokens: 95, output_tokens: 3 } } }, 100],
    [{ usageMetadata: { promptTokenCount: 100, cachedContentTokenCount: 90 } }, 100],
    [{ payload: { info: { last_token_usage: { input_tokens: 100, cached_input_tokens: 80, output_tokens: 4 }, total_token_usage: { input_tokens: 9_000 } } } }, 100],
    [{ tokens: { input: 10, output: 2, cache: { read: 80, write: 10 } } }, 100],
    [{ usage_metadata: { input_tokens: 100, output_tokens: 2, input_token_details: { cache_read: 60 } } }, 100],
    [{ input_tokens: 220, iterations: [{ type: 'compaction', input_tokens: 55_196 }, { type: 'message', input_tokens: 220 }] }, 220],
    [{ total_token_usage: { input_tokens: 9_000 } }, undefined],
    [{ isSidechain: true, message: { usage: { input_tokens: 100 } } }, undefined],
    [{ parent_tool_use_id: 'toolu_1', message: { usage: { input_tokens: 100 } } }, undefined],
    [{ inputTokens: 0, outputTokens: 0 }, undefined],
    [undefined, undefined],
    ['nonsense', undefined],
  ];
  for (const [given, expected] of cases) assert.equal(readUsage(given).inputTokens, expected, JSON.stringify(given));
});

test('a total that contradicts its parts is a finding, and the parts count', async () => {
  const { c } = await session({ window: 200_000, config: QUIET });
  await c.next({ messages: [user('go')] });
  const usage = { inputTokens: 21_000, outputTokens: 900, reasoningTokens: 400, totalTokens: 188_000 };
  const { occupancy } = await c.settle({ usage });
  assert.deepEqual(occupancy, { tokens: 21_000, provenance: 'exact' });
  assert.ok(c.inspect().findings.some((f) => f.kind === 'inconsistent_usage'));
  await c.settle({ usage: { inputTokens: 21_100, outputTokens: 900, totalTokens: 22_000 } });
  assert.ok(!c.inspect().findings.some((f) => f.kind === 'inconsistent_usage'));
});

test('overflow texts of the providers give window and size; rate limits do not', () => {
  const cases = [
    ['prompt is too long: 210452 tokens > 200000 maximum', { provider: 'anthropic', window: 200_000, requested: 210_452 }],
    ["This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens. Please reduce the length.", { provider: 'openai', window: 128_000, requested: 130_001 }],
    ['The input token count (1048990) exceeds the maximum number of tokens allowed (1048576).', { provider: 'google', window: 1_048_576, requested: 1_048_990 }],
    ['Input is too long for requested model.', { provider: 'bedrock' }],
    ["This model's maximum prompt length is 131072 but the request contains 140000 tokens.", { provider: 'xai', window: 131_072, requested: 140_000 }],
    ['the request (9000 tokens) exceeds the available context size (8192 tokens)', { provider: 'llama.cpp', window: 8_192, requested: 9_000 }],
    [{ error: { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' } }, { provider: 'openai' }],
    [{ cause: { responseBody: '{"error":{"type":"invalid_request_error","message":"prompt is too long: 2 tokens > 1 maximum"}}' } }, { provider: 'anthropic', window: 1, requested: 2 }],
    [{ stop_reason: 'model_context_window_exceeded' }, { provider: 'any' }],
  ];
  for (const [error, expected] of cases) assert.deepEqual(readOverflow(error), expected);
  for (const other of ['Rate limit reached: tokens per minute (TPM): Limit 30000, Requested 40000', 'overloaded_error', undefined, null, 5, new Error('fetch failed')]) assert.equal(readOverflow(other), undefined);
  const hostile = { get message() { throw new Error('no'); } };
  assert.equal(readOverflow(hostile), undefined);
});

test('every form the table knows is read: who says it, the window, and the input that was asked for', () => {
  const forms = [
    ['Your prompt is too long: 140000, model maximum context length: 131071', 'fireworks', 131_071, 140_000],
    ['input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again', 'anthropic', 200_000, 188_240],
    ['messages: prompt is too long', 'anthropic'],
    ["This endpoint's maximum context length is 128000 tokens. However, you requested about 150000 tokens (140000 of text input, 10000 in the output). Please reduce the length of either one.", 'openrouter', 128_000, 140_000],
    ["'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 8192 tokens and your request has 4000 input tokens (5000 > 8192 - 4000).", 'vllm', 8_192, 4_000],
    ["This model's maximum context length is 8192 tokens. However, your request has 9000 input tokens. Please reduce the length of the input messages.", 'vllm', 8_192, 9_000],
    ["Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 40000 tokens: 36000 tokens from the input messages and 4000 tokens for the completion.", 'sglang', 32_768, 36_000],
    ["The input (9000 tokens) is longer than the model's context length (8192 tokens).", 'sglang', 8_192, 9_000],
    ["This model's maximum context length is 131072 tokens. However, you requested 140000 tokens (132000 in the messages, 8000 in the completion). Please reduce the length of the messages or completion.", 'openai', 131_072, 132_000],
    ["This model's maximum context length is 16385 tokens. However, your messages resulted in 17000 tokens (16000 in the messages, 1000 in the functions).", 'openai', 16_385, 17_000],
    ['Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 280000 tokens. Please reduce the length of the messages.', 'openai', 272_000, 280_000],
    ["This model's maximum context length is 8192 tokens.", 'openai', 8_192],
    ['Your input exceeds the context window of this model. Please adjust your input and try again.', 'openai'],
    ['Requested tokens (9000) exceed context window of 8192', 'openai', 8_192, 9_000],
    ['Unable to submit request because the input token count is 32865 but model only supports up to 32768. Reduce the input token count and try again.', 'google', 32_768, 32_865],
    ['The input exceeds the maximum number of tokens', 'google'],
    ['The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.', 'bedrock'],
    ['too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4,500. Try using a shorter prompt', 'cohere', 4_081, 4_500],
    ['too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs. The limit for this model is 128000 tokens.', 'cohere', 128_000],
    ['Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192', 'cerebras', 8_192, 9_000],
    ['Please reduce the length of the messages or completion.', 'groq'],
    ['Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length', 'mistral', 32_768, 40_000],
    ['Prompt is too large for model with 32768 maximum context length', 'mistral', 32_768],
    ['Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 500 `max_new_tokens`', 'tgi', 8_193, 9_000],
    ['Input validation error: `inputs` must have less than 4095 tokens. Given: 5000', 'tgi', 4_095, 5_000],
    [{ error: { code: 400, message: 'the request exceeds the available context size, try increasing it', type: 'exceed_context_size_error', n_prompt_tokens: 9_000, n_ctx: 8_192 } }, 'llama.cpp', 8_192, 9_000],
    ['The decoder prompt (length 9000) is longer than the maximum model length of 8192.', 'vllm', 8_192, 9_000],
    ['Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.', 'lm studio', 4_096, 5_000],
    ['The number of tokens to keep from the initial prompt is greater than the context length', 'lm studio'],
    ['invalid params, context window exceeds limit (2013)', 'minimax'],
    ['Invalid request: Your request exceeded model token limit: 262144 (requested: 270000)', 'moonshot', 262_144, 270_000],
    ['prompt token count of 140000 exceeds the limit of 128000', 'copilot', 128_000, 140_000],
    [{ error: { code: 'tokens_limit_reached', message: 'Request body too large for gpt-4o model. Max size: 8000 tokens.' } }, 'github', 8_000],
    ['prompt too long; exceeded max context length by 100 tokens', 'ollama'],
    ['AiError: The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (8192).', 'cloudflare', 8_192],
    ['the number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model', 'watsonx', 4_096, 5_000],
    ['<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]', 'alibaba', 129_024],
    ['Prompt exceeds max length', 'zhipu'],
    ['the context window was exceeded', 'any'],
  ];
  for (const [error, provider, window, requested] of forms) assert.deepEqual(readOverflow(error), { provider, ...(window && { window }), ...(requested && { requested }) }, JSON.stringify(error));
});

test('what is not about the window is not read as if it were, and teaches nothing', async () => {
  const others = [
    'Too many tokens, please wait before trying again.',
    { name: 'ThrottlingException', message: 'Too many tokens' },
    'Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 40000.',
    'max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for this model',
    'max_tokens is too large: 50000. This model supports at most 16384 completion tokens, whereas you provided 50000.',
    { error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
    { error: { code: 'string_above_max_length', message: "Invalid 'input': string too long. Expected a string with maximum length 10485760, but got a string with length 12000000 instead." } },
    'Request payload size exceeds the limit: 20971520 bytes.',
    'You exceeded your current quota, please check your plan and billing details.',
    'messages.1.content: the tool said that 4,096 tokens are enough',
    'Connection error.',
  ];
  for (const error of others) {
    assert.equal(readOverflow(error), undefined, JSON.stringify(error));
    const c = await bare({ id: 'unheard-of' });
    await c.next({ messages: [user('x'.repeat(400_000))] });
    const settled = await c.settle({ error });
    assert.equal(settled.overflow, undefined);
    assert.deepEqual(settled.window, { tokens: 128_000, source: 'assumed', model: 'unheard-of' });
  }
});

test('an overflow teaches the window, and the teaching survives a restart', async () => {
  const model = { id: 'unheard-of' };
  const c = await bare(model);
  await c.next({ messages: [user('go')] });
  assert.deepEqual(c.inspect().window, { tokens: 128_000, source: 'assumed', model: 'unheard-of' });
  const settled = await c.settle({ error: new Error("This model's maximum context length is 32768 tokens. However, you requested 40000 tokens") });
  assert.deepEqual(settled.overflow, { provider: 'openai', window: 32_768, requested: 40_000, provenance: 'exact' });
  assert.deepEqual(settled.window, { tokens: 32_768, source: 'learned', model: 'unheard-of' });
  assert.deepEqual(settled.occupancy, { tokens: 40_000, provenance: 'anchored' });
  const again = await bare(model, {}, { state: c.state });
  assert.equal(again.inspect().window.tokens, 32_768);
});

test('a refusal without numbers: near the known window the request was larger than it looked, far below it the window is smaller', async () => {
  const refused = async (model, tokens) => {
    const c = await bare(model, { estimate: { counter: 'chars4' } });
    await c.next({ messages: [user('x'.repeat(4 * tokens))] });
    const settled = await c.settle({ error: { stop_reason: 'model_context_window_exceeded' } });
    return [settled.window.tokens, settled.window.source, settled.overflow.requested, settled.occupancy.tokens];
  };
  assert.deepEqual(await refused({ id: 'claude-sonnet-4-5', maxOutput: 20_000 }, 160_000), [200_000, 'table', 180_000, 180_000]);
  assert.deepEqual(await refused({ id: 'claude-sonnet-4-5' }, 60_000), [32_768, 'learned', 60_000, 60_000]);
  assert.deepEqual(await refused({ id: 'unheard-of' }, 120_000), [65_536, 'learned', 120_000, 120_000]);
  assert.deepEqual(await refused({ id: 'mine', window: 50_000 }, 40_000), [50_000, 'host', 40_000, 40_000]);
});

test('a larger success corrects an assumed window, not a stated one', async () => {
  for (const [model, expected] of [[{ id: 'x', assumedWindow: 32_768 }, 65_536], [{ id: 'x', window: 32_768 }, 32_768]]) {
    const c = await bare(model);
    await c.next({ messages: [user('go')] });
    await c.settle({ usage: { inputTokens: 35_000 } });
    assert.equal(c.inspect().window.tokens, expected);
  }
});

test('a server that cuts silently is noticed, and the second time it is the window', async () => {
  const c = await bare({ id: 'local', assumedWindow: 128_000 }, { estimate: { counter: 'chars4' } });
  const list = [user('go')];
  const step = async (tokens, chars) => {
    list.push(calls(`c${list.length}`), result(`c${list.length}`, filler(chars)));
    await c.next({ messages: list });
    await c.settle({ usage: { inputTokens: tokens } });
    return c.inspect();
  };
  await step(4_000, 16_000);
  const first = await step(4_096, 40_000);
  assert.ok(first.findings.some((f) => f.kind === 'truncated_by_server'));
  assert.equal(first.window.tokens, 128_000);
  const second = await step(4_096, 40_000);
  assert.deepEqual(second.window, { tokens: 4_096, source: 'learned', model: 'local' });
});

test('reasoning: kept by one family, gone with the turn in another, never back in a third', async () => {
  const thought = { role: 'assistant', content: [{ type: 'reasoning', text: 'a '.repeat(1_000) }, { type: 'text', text: 'ok' }] };
  const after = {};
  for (const id of ['claude-opus-4-6', 'gpt-5', 'gemini-2.5-pro']) {
    const c = await bare({ id, window: 200_000 });
    const list = [user('go')];
    await c.next({ messages: list });
    await c.settle({ usage: { inputTokens: 10_000, outputTokens: 1_010, reasoningTokens: 1_000 } });
    list.push(thought, user('thanks'));
    after[id] = (await c.next({ messages: list })).occupancy.tokens - 10_000;
  }
  assert.ok(after['claude-opus-4-6'] >= 1_010 && after['claude-opus-4-6'] < 1_040, String(after['claude-opus-4-6']));
  for (const id of ['gpt-5', 'gemini-2.5-pro']) assert.ok(after[id] >= 0 && after[id] < 60, `${id}: ${after[id]}`);
});

test('before any count, too, reasoning that the provider does not keep is in no number', async () => {
  const thought = { role: 'assistant', content: [{ type: 'reasoning', text: 'a '.repeat(1_000) }, { type: 'text', text: 'ok' }] };
  const plain = { role: 'assistant', content: 'ok' };
  const counted = async (id, list) => {
    const c = await bare({ id, window: 200_000 });
    const { occupancy } = await c.next({ messages: list });
    const { buckets, overhead } = c.inspect().breakdown;
    const messages = buckets.find((b) => b.id === 'messages');
    // Each item is rounded by itself.
    assert.ok(Math.abs(overhead) <= 2, `${id}: ${overhead}`);
    assert.equal(messages.tokens + overhead, occupancy.tokens, id);
    return { tokens: occupancy.tokens, shown: messages.items.some((i) => i.label === 'Reasoning') };
  };
  const running = [user('go'), thought];
  const over = [user('go'), thought, user('thanks')];
  const without = { running: [user('go'), plain], over: [user('go'), plain, user('thanks')] };
  for (const [id, inTurn, after] of [['claude-opus-4-6', true, true], ['claude-sonnet-4-5', true, false], ['gpt-5', true, false], ['gemini-2.5-pro', false, false]]) {
    const [now, later] = [await counted(id, running), await counted(id, over)];
    assert.deepEqual([now.shown, later.shown], [inTurn, after], id);
    const more = [now.tokens - (await counted(id, without.running)).tokens, later.tokens - (await counted(id, without.over)).tokens];
    for (const [i, there] of [inTurn, after].entries()) assert.ok(there ? more[i] > 900 : Math.abs(more[i]) <= 1, `${id}: ${more}`);
  }
});

test('a model is not known by the server that runs it', async () => {
  const text = 'word '.repeat(4_000);
  const weighed = async (id, provider) => (await (await bare({ id, provider, window: 200_000 })).next({ messages: [user(text)] })).occupancy.tokens;
  assert.equal(await weighed('minimax-m2.7:cloud', 'ollama'), await weighed('minimax-m2.7'));
  assert.notEqual(await weighed('minimax-m2.7:cloud', 'ollama'), await weighed('llama3.3', 'ollama'));
  assert.equal(await weighed('llama3.3', 'ollama'), await weighed('llama3.3'));
  for (const id of ['qwen3-coder', 'gpt-oss-120b', 'llama-3.3-70b', 'claude-sonnet-4-5']) assert.equal(await weighed(id, 'openai.chat'), await weighed(id), id);
});

test('an OpenAI tool costs what its TypeScript costs', () => {
  const schema = { description: 'Where to look', properties: { path: { type: 'string', description: 'Absolute path.\n  No globs.' }, depth: { type: 'integer', default: 2 }, kind: { enum: ['file', 'dir'] }, tags: { type: 'array', items: { type: 'string' } }, at: { $ref: '#/$defs/At' } }, required: ['path'], $defs: { At: { type: 'object', properties: { line: { type: ['integer', 'null'] } }, required: ['line'] } } };
  const definition = definitionOf({ name: 'list', schema: { type: 'function', function: { name: 'list', description: 'Lists files.', parameters: schema } } });
  assert.equal(
    toolText(definition, 'typescript'),
    '// Lists files.\ntype list = (_: // Where to look\n{\n// Absolute path.\nNo globs.\npath: string,\ndepth?: number, // default: 2\nkind?: "file" | "dir",\ntags?: string[],\nat?: {\nline: number | null,\n},\n}) => any;\n\n',
  );
  assert.equal(toolText(definitionOf({ name: 'now' }), 'typescript'), 'type now = () => any;\n\n');
  const same = [{ name: 'list', schema: { description: 'Lists files.', inputSchema: schema } }, { name: 'list', schema: { description: 'Lists files.', input_schema: schema } }, { name: 'list', description: 'Lists files.', schema: { type: 'object', ...schema } }];
  for (const tool of same) assert.equal(definitionOf(tool).description, 'Lists files.');
});

test('tools side by side cost less than one by one, and an answer is bound to the schema and its description', () => {
  const tool = (description, properties, about) => ({ name: 't', description, parameters: { type: 'object', properties, ...(about && { description: about }) } });
  const city = { city: { type: 'string' } };
  assert.equal(seams([tool('One.', {})]), 0);
  assert.equal(seams([tool('One.', city)]), -1);
  assert.equal(seams([tool('One.', city), tool('Two.', city), tool('', city), tool('Four.', {})]), -1 - 2 - 1 - 1);
  assert.equal(seams([tool('One.', city, 'Where.'), tool('Two.', city, 'Where.')]), 0 - 1);
  const schema = { type: 'object', title: 'City', additionalProperties: false, properties: city, required: ['city'] };
  const shown = '{"type":"object","properties":{"city":{"type":"string"}}}';
  assert.equal(formatText(schema, 'typescript'), shown);
  assert.equal(formatText({ type: 'json_schema', json_schema: { name: 'city', description: 'Where it is.', schema } }, 'typescript'), `// Where it is.\n${shown}`);
  assert.equal(formatText({ type: 'json_schema', name: 'city', schema }, 'typescript'), shown);
});

test('an answer of gpt-5 names its channel, and a forced tool costs Claude a longer prompt, however it is asked for', async () => {
  const said = async (id) => (await (await bare({ id, window: 200_000 })).next({ messages: [user('go'), says('done'), user('and?')] })).occupancy.tokens;
  assert.equal((await said('gpt-5')) - (await said('o3')), 2);
  const asked = async (more) => (await (await bare({ id: 'claude-sonnet-4-5' })).next({ messages: [user('go')], frame: { tools: [{ name: 'a', schema: {} }], ...more } })).occupancy.tokens;
  const free = await asked({});
  for (const toolChoice of ['auto', { type: 'auto' }, 'none']) assert.equal(await asked({ toolChoice }), free);
  for (const toolChoice of ['required', { type: 'any' }, { type: 'tool', toolName: 'a' }]) assert.ok(Math.abs((await asked({ toolChoice })) - free - 98) <= 1, JSON.stringify(toolChoice));
  assert.equal(await asked({ thinking: { type: 'disabled' } }), free);
  assert.ok(Math.abs((await asked({ thinking: { type: 'enabled', budget_tokens: 1_024 } })) - free - 28) <= 1);
});

test('a tool schema that refers to itself is counted, not followed for ever', () => {
  const node = { type: 'object', properties: { child: { $ref: '#/$defs/Node' } } };
  assert.match(toolText(definitionOf({ name: 't', schema: { ...node, $defs: { Node: node } } }), 'typescript'), /any/);
});

test('the hidden tool prompt is in the tools, and the gauge keeps to hand-worked sizes where asked', async () => {
  const frame = { system: 's'.repeat(400), tools: [{ name: 'a', source: 'core', schema: { type: 'object', properties: {} } }] };
  const c = await bare({ id: 'claude-sonnet-4-5' });
  await c.next({ messages: [user('go')], frame });
  const tools = c.inspect().breakdown.buckets.find((b) => b.id === 'tools');
  assert.ok(tools.tokens > 500 && tools.tokens < 580, String(tools.tokens));
  assert.ok(tools.items.some((i) => i.label === 'provider' && i.tokens > 480));
  const plain = await bare({ id: 'claude-sonnet-4-5' }, { estimate: { counter: 'chars4' } });
  const { occupancy } = await plain.next({ messages: [user('x'.repeat(40))], frame: { system: frame.system } });
  assert.equal(occupancy.tokens, 110);
});

test('buckets and overhead are the total, whatever was learned', async () => {
  const { c } = await session({ window: 400_000, config: QUIET });
  const list = [user('go')];
  for (let i = 0; i < 12; i += 1) {
    list.push(calls(`c${i}`), result(`c${i}`, filler(4_000 + i * 777)));
    const sent = await c.next({ messages: list, frame: { system: 'y'.repeat(1_111), tools: [{ name: 'b', source: 'core', schema: { type: 'object' } }] } });
    await c.settle({ usage: { inputTokens: Math.round(sent.before * 1.37) + 500, outputTokens: 20 } });
    for (const moment of [c.inspect().breakdown, (await c.next({ messages: list })) && c.inspect().breakdown]) {
      const summed = moment.buckets.filter((b) => b.summed !== false).reduce((n, b) => n + b.tokens, 0);
      assert.equal(summed + moment.overhead, moment.total);
      for (const bucket of moment.buckets) if (bucket.items?.length) assert.equal(bucket.items.reduce((n, item) => n + item.tokens, 0), bucket.tokens);
    }
  }
});

test('each row says what it weighs, part by part: with the head they are the messages of the breakdown', async () => {
  const { c } = await session({ window: 400_000, config: QUIET });
  const shot = { role: 'user', content: [{ type: 'text', text: 'x'.repeat(400) }, { type: 'image', image: new Uint8Array([1, 2, 3]), mediaType: 'image/png' }] };
  const list = [{ role: 'system', content: 's'.repeat(40) }, shot, calls('c1'), result('c1', filler(8_000)), says('y'.repeat(40)), user('next')];
  await c.next({ messages: list });
  const { rows, breakdown: { buckets } } = c.inspect({ cuts: false, rows: true });
  assert.deepEqual(rows.map((row) => row.index), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(rows.map((row) => row.parts.map((part) => part.kind).join()), ['system', 'user,media', 'call', 'result', 'assistant', 'user']);
  assert.deepEqual([rows[0].tokens, rows[1].parts[0].tokens, rows[3].tokens, rows[4].tokens, rows[5].tokens], [10, 100, 2_000, 10, 1]);
  assert.equal(rows[3].parts[0].tool, rows[2].parts[0].tool);
  for (const row of rows) assert.equal(row.parts.reduce((n, part) => n + part.tokens, 0), row.tokens);
  const of = (id) => buckets.find((b) => b.id === id).tokens;
  assert.equal(rows.reduce((n, row) => n + row.tokens, 0), of('system') + of('messages') + of('attachments'));
  assert.equal(c.inspect().rows, undefined);
});

test('skills stand in the index by name; a body in use stays whole where its tool is protected, and is read back where not', async () => {
  const skills = [{ name: 'release', description: 'How we release.' }, { name: 'pdf', description: 'Reads PDF files.' }];
  const body = filler(8_000);
  const load = { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 's1', toolName: 'load_skill', input: { name: 'release' } }] };
  const loaded = { role: 'tool', content: [{ type: 'tool-result', toolCallId: 's1', toolName: 'load_skill', output: { type: 'text', value: body } }] };
  const list = [user('Follow the release skill.'), load, loaded, ...rounds(9, 8_000)];
  for (const protect of [['load_skill'], []]) {
    const raw = new Map();
    const host = { raw: { put: (key, text) => void raw.set(key, text), get: (key) => raw.get(key), has: (key) => raw.has(key) } };
    const { c } = await session({ window: 40_000, maxOutput: 4_000, host, config: { summarize: { enabled: false }, eviction: { protect } } });
    const { view, outcomes } = await c.next({ messages: list, frame: { system: 's', index: skills } });
    assert.ok(outcomes.some((o) => o.stage === 'evict' && o.outcome === 'done'));
    const shown = view[2].content[0].output.value;
    const { breakdown: { buckets }, ledger } = c.inspect();
    if (protect.length > 0) assert.equal(shown, body);
    else {
      assert.notEqual(shown, body);
      assert.ok(ledger[2].handle, 'the body has a handle');
      assert.match(await c.tools[0].execute({ id: ledger[2].handle }), new RegExp(body.slice(0, 40).replace(/[^\w ]/g, '.')));
    }
    assert.deepEqual(buckets.find((b) => b.id === 'index').items.map((item) => item.label), ['release', 'pdf'], 'the index is there either way');
  }
});

test('on request the buckets of a session sum to the total', async () => {
  const { c } = await session({ window: 200_000, config: QUIET });
  await c.next({ messages: [user('x'.repeat(4_000))], frame: { system: 'y'.repeat(400) } });
  await c.settle({ usage: { inputTokens: 1_337 } });
  const { breakdown: scaled } = c.inspect({ scale: true });
  assert.deepEqual([scaled.scaled, scaled.overhead, scaled.buckets.filter((b) => b.summed !== false).reduce((n, b) => n + b.tokens, 0)], [true, 0, 1_337]);
  assert.deepEqual([c.inspect().breakdown.scaled, c.inspect().breakdown.overhead], [undefined, 237]);
});

test('the budgets follow the model, turn by turn', async () => {
  const small = { summarize: { models: { small: { softFraction: 0.3 } } } };
  const { c } = await session({ id: 'big', window: 200_000, maxOutput: 20_000, config: { ...small } });
  await c.next({ messages: [user('go')] });
  const budget = () => (({ window, usable, evict, soft, hard }) => [window, usable, evict, soft, hard])(c.inspect().thresholds);
  assert.deepEqual(budget(), [200_000, 180_000, 100_000, 120_000, 164_000]);
  c.set({ model: { id: 'small', window: 40_000, maxOutput: 4_000 } });
  await c.next({ messages: [user('go')] });
  assert.deepEqual(budget().slice(0, 2), [40_000, 36_000]);
  assert.equal(budget()[3], 12_000);
  c.set({ model: { id: 'big', window: 200_000, maxOutput: 20_000 } });
  await c.next({ messages: [user('go')] });
  assert.deepEqual(budget(), [200_000, 180_000, 100_000, 120_000, 164_000]);
});

test('what the next relief would free is what it then frees', async () => {
  const { c } = await session({ window: 40_000, maxOutput: 4_000, config: { summarize: { enabled: false } } });
  const list = rounds(12, 4_000);
  await c.next({ messages: [user('go'), ...list] });
  await c.settle({ usage: { inputTokens: 15_000 } });
  const { nextRelief, thresholds } = c.inspect();
  assert.equal(nextRelief.stage, 'evict');
  assert.equal(nextRelief.atTokens, thresholds.evict);
  await c.settle({ usage: { inputTokens: 20_000 } });
  const foretold = c.inspect().nextRelief;
  const { events } = await c.next({ messages: [user('go'), ...list] });
  const evicted = events.find((e) => e.type === 'context.evicted');
  assert.deepEqual([evicted.resultCount, evicted.reclaimedTokens], [foretold.resultCount, foretold.reclaimedTokens]);
  assert.equal(c.inspect().breakdown.reclaimedBy.evict, evicted.reclaimedTokens);
});

test('a jump of what the messages do not show is a finding', async () => {
  const { c } = await session({ window: 200_000, config: QUIET });
  const list = [user('go')];
  for (const real of [10_000, 11_050, 26_000]) {
    await c.next({ messages: list });
    await c.settle({ usage: { inputTokens: real } });
    const told = c.inspect().findings.some((f) => f.kind === 'overhead_drift');
    assert.equal(told, real === 26_000);
    list.push(calls(`c${real}`), result(`c${real}`, filler(4_000)));
  }
});

test('scaled buckets sum to the total; a wrong guess of the window gives no percentage', () => {
  const buckets = [['system', 1_200], ['messages', 9_000], ['deferred', 5_000]].map(([id, tokens]) => ({ id, label: id, tokens, summed: id !== 'deferred' }));
  const scaled = breakdown({ buckets, real: 15_001, scale: true, model: { id: 'm', window: 200_000 } });
  assert.deepEqual([scaled.overhead, scaled.scaled, scaled.buckets[0].tokens + scaled.buckets[1].tokens], [0, true, 15_001]);
  assert.equal(breakdown({ buckets, real: 35_000, model: { id: 'm', assumedWindow: 32_768 } }).percent, null);
  assert.equal(breakdown({ buckets, real: 300_000, model: { id: 'm', window: 256_000 } }).percent, 117.1875);
});

test('AS-3 deferred tools are promoted by name: behind the others, at the end of the turn, also after a restart', async () => {
  const frame = { system: 's', tools: [{ name: 'g1', source: 'github' }, { name: 'z', source: 'zoo', deferred: true }, { name: 'a', source: 'core' }, { name: 'y', source: 'zoo', deferred: true }, { name: 'g2', source: 'github' }, { name: 'b', source: 'core' }] };
  const { c } = await session({ window: 200_000, config: QUIET });
  const list = [user('go')];
  assert.deepEqual((await c.next({ messages: list, frame })).frame.tools, ['a', 'b', 'g1', 'g2']);
  list.push(calls('c1'), result('c1', 'r'));
  c.set({ promote: ['z'] });
  assert.deepEqual((await c.next({ messages: list, frame })).frame.tools, ['a', 'b', 'g1', 'g2'], 'the turn is running');
  list.push(says('done'), user('next'));
  const promoted = await c.next({ messages: list, frame });
  assert.deepEqual(promoted.frame.tools, ['a', 'b', 'g1', 'g2', 'z']);
  assert.deepEqual(promoted.prefix.brokenBy, { at: 'tools', cause: 'promoted', name: 'z' });
  const quiet = await c.next({ messages: list, frame });
  assert.equal(quiet.prefix.brokenBy, undefined);
  const again = await open({ transcript: 't', format: 'ai-sdk', model: { id: 'm', window: 200_000 }, config: QUIET, state: c.state });
  assert.deepEqual((await again.next({ messages: list, frame })).frame.tools, ['a', 'b', 'g1', 'g2', 'z']);
});

test('AS-3 a tool the model asked for by name is bound at once', async () => {
  const frame = { tools: [{ name: 'a', source: 'core' }, { name: 'z', source: 'zoo', deferred: true }] };
  const { c } = await session({ window: 200_000, config: QUIET });
  const asks = { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'l1', toolName: 'load_tool', input: { name: 'z' } }] };
  const list = [user('go'), asks, result('l1', 'loading')];
  await c.next({ messages: [user('go')], frame });
  c.set({ promote: ['z'] });
  assert.deepEqual((await c.next({ messages: list, frame })).frame.tools, ['a', 'z']);
  assert.throws(() => c.set({ promote: 'z' }), { code: 'bad_input' });
});

test('AS-2 a date in the system prompt is what breaks the prefix', async () => {
  const { c } = await session({ window: 200_000, config: QUIET });
  await c.next({ messages: [user('go')], frame: { system: 'Today is Monday.' } });
  const { prefix } = await c.next({ messages: [user('go')], frame: { system: 'Today is Tuesday.' } });
  assert.deepEqual(prefix, { tokens: 0, bytes: 0, brokenBy: { at: 'system', cause: 'changed' } });
});

test('AS-1 fifty turns send the same system prompt and tools; a changed todo waits in the frame', async () => {
  const { c } = await session({ window: 400_000, config: QUIET });
  const list = [];
  const heads = new Set();
  for (let i = 0; i < 50; i += 1) {
    list.push(user(`turn ${i}`), says(`done ${i}`));
    const next = await c.next({ messages: list, frame: { system: 'same', tools: [{ name: 'a', source: 'core' }], context: [{ kind: 'todo', text: `item ${i}` }] } });
    assert.equal(next.prefix.brokenBy, undefined, `turn ${i}`);
    heads.add(JSON.stringify([next.frame, next.view[0]]));
  }
  assert.equal(heads.size, 1);
});

test('after a fold the panel has no number until the next count', async () => {
  const { c } = await session({ window: 10_000, maxOutput: 1_000, config: { eviction: { enabled: false }, summarize: { background: false } }, host: { summarize: () => ({ text: '## Objective\nshort' }) } });
  const next = await reach(c, [user('go'), ...rounds(2, 8_000), says('and')], 6_100);
  assert.ok(next.outcomes.some((o) => o.stage === 'fold' && o.outcome === 'done'), JSON.stringify(next.outcomes));
  assert.equal(next.occupancy.provenance, 'estimated');
  const { unknown, percent, total } = c.inspect().breakdown;
  assert.deepEqual([unknown, percent], [true, null]);
  assert.ok(total > 0, 'thresholds still have an estimate to go by');
  await c.settle({ usage: { inputTokens: 900 } });
  assert.deepEqual([c.inspect().breakdown.unknown, c.inspect().breakdown.percent], [undefined, 9]);
});
