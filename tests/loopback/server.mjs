// A provider on this machine that refuses what the real ones document as refused, for four wire formats. Its rules are
// written from the documents and know nothing of the package, so that the two can contradict each other.

import { createServer } from 'node:http';

/** @param {string} message */
const refuse = (message) => ({ status: 400, body: { error: { type: 'invalid_request_error', message } } });
const fine = { status: 200, body: { ok: true } };
const isBlank = (/** @type {unknown} */ text) => typeof text !== 'string' || text.trim() === '';

/** `POST /v1/messages`. @param {any} body */
function anthropic({ messages }) {
  if (!Array.isArray(messages) || messages.length === 0) return refuse('messages: at least one message is required');
  if (messages[0].role !== 'user' && messages[0].content?.[0]?.type !== 'compaction') return refuse('messages: first message must use the "user" role');
  if (messages.at(-1).role === 'assistant') return refuse('the conversation must end with a user message');
  const blocks = (/** @type {any} */ m) => (typeof m.content === 'string' ? [{ type: 'text', text: m.content }] : m.content);
  // Neighbours of one role are one turn.
  const turns = messages.reduce((/** @type {any[]} */ all, m) => {
    if (all.at(-1)?.role === m.role) all.at(-1).blocks.push(...blocks(m));
    else all.push({ role: m.role, blocks: [...blocks(m)] });
    return all;
  }, []);
  const ids = new Set();
  for (const [i, { role, blocks: list }] of turns.entries()) {
    if (!['user', 'assistant', 'system'].includes(role)) return refuse(`messages.${i}: unknown role`);
    const [last, next0] = [turns[i - 1]?.role, turns[i + 1]?.role];
    if (role === 'system' && !(last === 'user' && (next0 === undefined || next0 === 'assistant'))) return refuse('a system message must follow a user turn and be last or precede an assistant message');
    if (list.length === 0) return refuse(`messages.${i}: content must not be empty`);
    if (list.some((/** @type {any} */ b) => b.type === 'text' && isBlank(b.text))) return refuse('messages: text content blocks must contain non-whitespace text');
    if (role === 'assistant' && list.every((/** @type {any} */ b) => b.type.endsWith('thinking'))) return refuse('an assistant message needs a block besides thinking');
    const uses = list.filter((/** @type {any} */ b) => b.type === 'tool_use').map((/** @type {any} */ b) => b.id);
    for (const id of uses) {
      if (!/^[a-zA-Z0-9_-]+$/.test(id)) return refuse(`tool_use.id: ${id} does not match the pattern`);
      if (ids.has(id)) return refuse('tool_use ids must be unique');
      ids.add(id);
    }
    const next = turns[i + 1]?.blocks ?? [];
    const answered = next.filter((/** @type {any} */ b) => b.type === 'tool_result').map((/** @type {any} */ b) => b.tool_use_id);
    if (uses.some((/** @type {string} */ id) => !answered.includes(id))) return refuse('tool_use ids were found without tool_result blocks immediately after');
    const before = (turns[i - 1]?.blocks ?? []).filter((/** @type {any} */ b) => b.type === 'tool_use').map((/** @type {any} */ b) => b.id);
    const results = list.filter((/** @type {any} */ b) => b.type === 'tool_result').map((/** @type {any} */ b) => b.tool_use_id);
    if (results.some((/** @type {string} */ id) => !before.includes(id))) return refuse('unexpected tool_use_id found in tool_result blocks');
    if (new Set(results).size < results.length) return refuse('each tool_use must have a single result');
    if (list.some((/** @type {any} */ b, /** @type {number} */ n) => b.type === 'tool_result' && n > 0 && list[n - 1].type !== 'tool_result')) return refuse('tool_result blocks must come first');
  }
  return fine;
}

/** `POST /v1/chat/completions`. @param {any} body */
function chat({ messages }) {
  if (!Array.isArray(messages) || messages.length === 0) return refuse("[] is too short - 'messages'");
  /** @type {string[]} */
  let waiting = [];
  for (const [i, m] of messages.entries()) {
    if (!['system', 'developer', 'user', 'assistant', 'tool'].includes(m.role)) return refuse(`messages[${i}].role is invalid`);
    if (m.role === 'tool') {
      const at = waiting.indexOf(m.tool_call_id);
      if (at < 0) return refuse("messages with role 'tool' must be a response to a preceding message with 'tool_calls'");
      if (typeof m.content !== 'string' && !(Array.isArray(m.content) && m.content.every((/** @type {any} */ p) => p.type === 'text'))) return refuse('a tool message takes text only');
      waiting.splice(at, 1);
      continue;
    }
    if (waiting.length > 0) return refuse("an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'");
    if (m.role !== 'assistant' && (m.content === undefined || m.content === null || m.content.length === 0)) return refuse(`messages[${i}].content is required`);
    if (m.role === 'assistant') {
      waiting = (m.tool_calls ?? []).map((/** @type {any} */ c) => c.id);
      if (waiting.length === 0 && (m.content === undefined || m.content === null)) return refuse(`messages[${i}].content is required`);
      if ((m.tool_calls ?? []).some((/** @type {any} */ c) => !/^[a-zA-Z0-9_-]{1,64}$/.test(c.function?.name ?? ''))) return refuse('function.name does not match the pattern');
    }
  }
  return waiting.length > 0 ? refuse("an assistant message with 'tool_calls' must be followed by tool messages") : fine;
}

/** `POST /v1/responses`. @param {any} body */
function responses({ input }) {
  if (!Array.isArray(input) || input.length === 0) return refuse('input must not be empty');
  const calls = input.filter((i) => i.type === 'function_call');
  for (const [at, item] of input.entries()) {
    if (item.type === 'function_call_output' && !input.slice(0, at).some((i) => i.type === 'function_call' && i.call_id === item.call_id)) return refuse(`No tool call found for function call output with call_id ${item.call_id}.`);
    const prefix = { message: 'msg', function_call: 'fc', reasoning: 'rs' }[/** @type {string} */ (item.type)];
    if (prefix && item.id && item.role !== 'user' && !item.id.startsWith(prefix)) return refuse(`Invalid 'input[${at}].id': '${item.id}'. Expected an ID that begins with '${prefix}'.`);
    const next = input[at + 1];
    const led = next && (next.type === 'function_call' || next.type === 'reasoning' || (next.type === 'message' && next.role === 'assistant'));
    if (item.type === 'reasoning' && !led) return refuse(`Item '${item.id}' of type 'reasoning' was provided without its required following item.`);
  }
  for (const id of new Set(calls.map((c) => c.call_id))) {
    const [asked, answered] = [calls, input.filter((i) => i.type === 'function_call_output')].map((list) => list.filter((i) => i.call_id === id).length);
    if (answered < asked) return refuse(`No tool output found for function call ${id}.`);
    if (answered > asked) return refuse(`More outputs than calls for ${id}.`);
  }
  return fine;
}

/** `POST …:generateContent`. @param {any} body */
function gemini({ contents }) {
  if (!Array.isArray(contents) || contents.length === 0) return refuse('contents is not specified');
  if (contents.at(-1).role === 'model') return refuse('the conversation must end with a user turn');
  for (const [i, { role, parts }] of contents.entries()) {
    if (!['user', 'model'].includes(role)) return refuse('Please use a valid role: user, model.');
    if (!Array.isArray(parts) || parts.length === 0 || parts.some((p) => p.text === '' && !p.thoughtSignature)) return refuse('contents.parts must not be empty');
    const count = (/** @type {any} */ content, /** @type {string} */ key) => (content?.parts ?? []).filter((/** @type {any} */ p) => p[key]).length;
    const [calls, answers] = [count(contents[i], 'functionCall'), count(contents[i], 'functionResponse')];
    if (calls > 0 && i === 0) return refuse('a function call turn must come immediately after a user turn or after a function response turn');
    if (calls > 0 && count(contents[i + 1], 'functionResponse') !== calls) return refuse('the number of function response parts must equal the number of function call parts');
    if (answers > 0 && count(contents[i - 1], 'functionCall') !== answers) return refuse('a function response turn must come immediately after a function call turn');
  }
  return fine;
}

/** Path of each format's endpoint. */
export const PATHS = { anthropic: '/v1/messages', 'openai-chat': '/v1/chat/completions', 'openai-responses': '/v1/responses', gemini: '/v1beta/models/m:generateContent' };
const JUDGES = { '/v1/messages': anthropic, '/v1/chat/completions': chat, '/v1/responses': responses, '/v1beta/models/m:generateContent': gemini };

/** @param {string} path @param {string} text @returns {{ status: number, body: any }} */
function judged(path, text) {
  const judge = JUDGES[/** @type {keyof typeof JUDGES} */ (path)];
  if (!judge) return { status: 404, body: { error: { message: 'no such endpoint' } } };
  try {
    return judge(JSON.parse(text));
  } catch {
    return refuse('the request does not match the schema');
  }
}

/** @returns {Promise<{ url: string, close(): Promise<void> }>} on a free port of this machine */
export async function startProvider() {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    const { status, body } = judged(request.url ?? '', text);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, close: () => new Promise((resolve) => { server.closeAllConnections(); server.close(() => resolve()); }) };
}
