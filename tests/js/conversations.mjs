// The same conversation in each format, written out by hand for the tests and without the package.

/** @typedef {{ id: string, name: string, input: any }} Call */
/** @typedef {{ id: string, name: string, output: any }} Answer a text, or a value */

const asText = (/** @type {any} */ v) => (typeof v === 'string' ? v : JSON.stringify(v));

/**
 * @type {Record<string, { user: (text: string) => any, step: (calls: Call[], text?: string) => any[], answers: (list: Answer[]) => any[], outputOf: (messages: readonly any[], id: string) => any }>}
 */
export const FORMATS = {
  'ai-sdk': {
    user: (text) => ({ role: 'user', content: [{ type: 'text', text }] }),
    step: (calls, text) => [{ role: 'assistant', content: [...(text ? [{ type: 'text', text }] : []), ...calls.map((c) => ({ type: 'tool-call', toolCallId: c.id, toolName: c.name, input: c.input }))] }],
    answers: (list) => [{ role: 'tool', content: list.map((a) => ({ type: 'tool-result', toolCallId: a.id, toolName: a.name, output: typeof a.output === 'string' ? { type: 'text', value: a.output } : { type: 'json', value: a.output } })) }],
    outputOf: (messages, id) => messages.flatMap((m) => (Array.isArray(m.content) ? m.content : [])).find((p) => p.type === 'tool-result' && p.toolCallId === id)?.output.value,
  },
  anthropic: {
    user: (text) => ({ role: 'user', content: [{ type: 'text', text }] }),
    step: (calls, text) => [{ role: 'assistant', content: [...(text ? [{ type: 'text', text }] : []), ...calls.map((c) => ({ type: 'tool_use', id: c.id, name: c.name, input: c.input }))] }],
    answers: (list) => [{ role: 'user', content: list.map((a) => ({ type: 'tool_result', tool_use_id: a.id, content: asText(a.output) })) }],
    outputOf: (messages, id) => messages.flatMap((m) => (Array.isArray(m.content) ? m.content : [])).find((b) => b.type === 'tool_result' && b.tool_use_id === id)?.content,
  },
  'openai-chat': {
    user: (text) => ({ role: 'user', content: text }),
    step: (calls, text) => [{ role: 'assistant', content: text ?? null, ...(calls.length > 0 && { tool_calls: calls.map((c) => ({ id: c.id, type: 'function', function: { name: c.name, arguments: JSON.stringify(c.input) } })) }) }],
    answers: (list) => list.map((a) => ({ role: 'tool', tool_call_id: a.id, content: asText(a.output) })),
    outputOf: (messages, id) => messages.find((m) => m.tool_call_id === id)?.content,
  },
  'openai-responses': {
    user: (text) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }),
    step: (calls, text) => [
      { type: 'reasoning', id: `rs_${calls[0]?.id ?? 'x'}`, summary: [], encrypted_content: 'sealed' },
      ...(text ? [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }] : []),
      ...calls.map((c) => ({ type: 'function_call', call_id: c.id, name: c.name, arguments: JSON.stringify(c.input) })),
    ],
    answers: (list) => list.map((a) => ({ type: 'function_call_output', call_id: a.id, output: asText(a.output) })),
    outputOf: (messages, id) => messages.find((i) => i.type === 'function_call_output' && i.call_id === id)?.output,
  },
  gemini: {
    user: (text) => ({ role: 'user', parts: [{ text }] }),
    step: (calls, text) => [{ role: 'model', parts: [...(text ? [{ text }] : []), ...calls.map((c, i) => ({ functionCall: { id: c.id, name: c.name, args: c.input }, ...(i === 0 && { thoughtSignature: 'sig' }) }))] }],
    answers: (list) => [{ role: 'user', parts: list.map((a) => ({ functionResponse: { id: a.id, name: a.name, response: typeof a.output === 'string' ? { output: a.output } : a.output } })) }],
    outputOf: (messages, id) => {
      const response = messages.flatMap((m) => m.parts ?? []).find((p) => p.functionResponse?.id === id)?.functionResponse.response;
      return response?.output ?? response;
    },
  },
};

/** Formats that are recorded message by message; the UI format holds whole answers. */
export const WIRE = Object.keys(FORMATS);

/**
 * A user row and `rounds` rounds of `parallel` calls each; result k of round n is `size` characters long.
 * @param {string} format @param {number} rounds @param {{ parallel?: number, size?: number, id?: (n: number, k: number) => string }} [options]
 */
export function conversation(format, rounds, { parallel = 1, size = 4_000, id = (n, k) => `c${n}_${k}` } = {}) {
  const f = FORMATS[format];
  const messages = [f.user('Look at the files.')];
  for (let n = 0; n < rounds; n += 1) {
    const calls = Array.from({ length: parallel }, (_, k) => ({ id: id(n, k), name: 'read', input: { path: `f${n}_${k}.txt` } }));
    messages.push(...f.step(calls, n % 2 ? `Step ${n}.` : undefined), ...f.answers(calls.map((c, k) => ({ id: c.id, name: c.name, output: `file ${n}.${k}\n`.padEnd(size, String((n + k) % 10)) }))));
  }
  messages.push(...f.step([], 'Done.'));
  return messages;
}
