// Random histories for the property tests: a script of what happened, written down in each wire format.

import fc from 'fast-check';

/** @typedef {{ user: true, text: string, pictures: number } | { text: string, reasons: boolean, calls: { size: number, error: boolean, json: boolean, picture: boolean }[], turned: number }} Beat */

/** @param {fc.Arbitrary<number>} pictures @param {fc.Arbitrary<boolean>} picture */
function scriptWith(pictures, picture) {
  const step = fc.record({
    text: fc.constantFrom('', 'I will look', 'done'),
    reasons: fc.boolean(),
    calls: fc.array(fc.record({ size: fc.integer({ min: 0, max: 2_000 }), error: fc.boolean(), json: fc.boolean(), picture }), { maxLength: 3 }),
    turned: fc.nat(2),
  });
  const user = fc.record({ user: fc.constant(true), text: fc.constantFrom('go on', 'and now 🙂 this', 'why?'), pictures });
  return fc.record({ beats: fc.array(fc.oneof({ weight: 1, arbitrary: user }, { weight: 4, arbitrary: step }), { maxLength: 12 }), repeat: fc.boolean() });
}

/** Up to 12 beats, ids that repeat in every step or not. */
export const script = scriptWith(fc.constant(0), fc.constant(false));
/** The same with pictures of the user's and in results. */
export const pictured = scriptWith(fc.nat(2), fc.boolean());

/** @param {{ beats: any[], repeat: boolean }} script @param {string} format @returns {any[]} */
export function written({ beats, repeat }, format) {
  const write = WRITERS[format];
  const messages = write.user('please begin');
  let n = 0;
  for (const beat of beats) {
    if (beat.user) messages.push(...write.user(beat.text, Array(beat.pictures ?? 0).fill(PNG)));
    else {
      const calls = beat.calls.map((call, i) => ({ ...call, id: repeat && format !== 'anthropic' ? `call_${i}` : `call_${(n += 1)}`, value: call.json ? { rows: 'x'.repeat(call.size), ok: true } : `line\n${'x'.repeat(call.size)}` }));
      const answers = [...calls.slice(beat.turned % (calls.length || 1)), ...calls.slice(0, beat.turned % (calls.length || 1))];
      messages.push(...write.step({ text: beat.text || (calls.length ? '' : 'hm'), reasons: beat.reasons, calls, answers }));
    }
  }
  return messages;
}

/** The beginning of a picture. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ';
const uri = (data) => `data:image/png;base64,${data}`;
const text = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

const block = (data) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } });
const input = (data) => ({ type: 'input_image', detail: 'auto', image_url: uri(data) });

const WRITERS = {
  'ai-sdk': {
    user: (t, pictures = []) => [{ role: 'user', content: pictures.length === 0 ? t : [{ type: 'text', text: t }, ...pictures.map((image) => ({ type: 'image', image, mediaType: 'image/png' }))] }],
    step: ({ text: said, reasons, calls, answers }) => [
      { role: 'assistant', content: [
        ...(reasons ? [{ type: 'reasoning', text: 'let me think', providerOptions: { anthropic: { signature: 's' } } }] : []),
        ...(said ? [{ type: 'text', text: said }] : []),
        ...calls.map(({ id }) => ({ type: 'tool-call', toolCallId: id, toolName: 'read', input: { path: id } })),
      ] },
      ...(answers.length ? [{ role: 'tool', content: answers.map(({ id, value, error, picture }) => ({ type: 'tool-result', toolCallId: id, toolName: 'read', output: picture && !error ? { type: 'content', value: [{ type: 'text', text: text(value) }, { type: 'image-data', data: PNG, mediaType: 'image/png' }] } : { type: `${error ? 'error-' : ''}${typeof value === 'string' ? 'text' : 'json'}`, value } })) }] : []),
    ],
  },
  anthropic: {
    user: (t, pictures = []) => [{ role: 'user', content: pictures.length === 0 ? t : [{ type: 'text', text: t }, ...pictures.map(block)] }],
    step: ({ text: said, reasons, calls, answers }) => [
      { role: 'assistant', content: [
        ...(reasons ? [{ type: 'thinking', thinking: 'let me think', signature: 's' }] : []),
        ...(said ? [{ type: 'text', text: said }] : []),
        ...calls.map(({ id }) => ({ type: 'tool_use', id, name: 'read', input: { path: id } })),
      ] },
      ...(answers.length ? [{ role: 'user', content: answers.map(({ id, value, error, picture }) => ({ type: 'tool_result', tool_use_id: id, content: picture && !error ? [{ type: 'text', text: text(value) }, block(PNG)] : text(value), ...(error && { is_error: true }) })) }] : []),
    ],
  },
  'openai-chat': {
    user: (t, pictures = []) => [{ role: 'user', content: pictures.length === 0 ? t : [{ type: 'text', text: t }, ...pictures.map((data) => ({ type: 'image_url', image_url: { url: uri(data) } }))] }],
    step: ({ text: said, calls, answers }) => [
      { role: 'assistant', content: said || null, ...(calls.length && { tool_calls: calls.map(({ id }) => ({ id, type: 'function', function: { name: 'read', arguments: `{"path":"${id}"}` } })) }) },
      ...answers.map(({ id, value }) => ({ role: 'tool', tool_call_id: id, content: text(value) })),
    ],
  },
  'openai-responses': {
    user: (t, pictures = []) => [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: t }, ...pictures.map(input)] }],
    step: ({ text: said, reasons, calls, answers }) => [
      ...(reasons && (said || calls.length) ? [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'e' }] : []),
      ...(said ? [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: said }] }] : []),
      ...calls.map(({ id }) => ({ type: 'function_call', call_id: id, name: 'read', arguments: `{"path":"${id}"}` })),
      ...answers.map(({ id, value, picture }) => ({ type: 'function_call_output', call_id: id, output: picture ? [{ type: 'input_text', text: text(value) }, input(PNG)] : text(value) })),
    ],
  },
  gemini: {
    user: (t, pictures = []) => [{ role: 'user', parts: [{ text: t }, ...pictures.map((data) => ({ inlineData: { mimeType: 'image/png', data } }))] }],
    step: ({ text: said, calls, answers }) => [
      { role: 'model', parts: [...(said ? [{ text: said }] : []), ...calls.map(({ id }) => ({ functionCall: { id, name: 'read', args: { path: id } } }))] },
      ...(answers.length ? [{ role: 'user', parts: answers.map(({ id, value }) => ({ functionResponse: { id, name: 'read', response: { output: value } } })) }] : []),
    ],
  },
};

export const FORMATS = Object.keys(WRITERS);

const at = fc.nat(10_000);
/** Things that are done to a list of messages; `of` picks modulo what is there. */
export const damage = fc.array(
  fc.oneof(
    fc.record({ what: fc.constantFrom('drop', 'repeat', 'swap', 'empty', 'null', 'role', 'odd'), a: at, b: at }),
    fc.record({ what: fc.constantFrom('drop part', 'repeat part', 'blank part', 'foreign part'), a: at, b: at }),
  ),
  { minLength: 1, maxLength: 5 },
);

/** @param {any[]} messages @param {any[]} damages @returns {any[]} a damaged copy; the originals stay as they are */
export function damaged(messages, damages) {
  const list = messages.slice();
  for (const { what, a, b } of damages) {
    if (list.length === 0) break;
    const i = a % list.length;
    if (list[i]?.unreadable) continue;
    const key = Array.isArray(list[i]?.content) ? 'content' : Array.isArray(list[i]?.parts) ? 'parts' : undefined;
    const edit = (change) => {
      if (key && list[i][key].length) list[i] = { ...list[i], [key]: change(list[i][key], b % list[i][key].length) };
    };
    if (what === 'drop') list.splice(i, 1);
    else if (what === 'repeat') list.splice(b % (list.length + 1), 0, list[i] && { ...list[i] });
    else if (what === 'swap') [list[i], list[b % list.length]] = [list[b % list.length], list[i]];
    else if (what === 'empty') list[i] = key ? { ...list[i], [key]: [] } : list[i];
    else if (what === 'null') list[i] = [null, 7, 'text', [], undefined][b % 5];
    else if (what === 'role') list[i] = { ...list[i], role: ['user', 'assistant', 'tool', 'system', 'model', 'nobody', 5][b % 7] };
    else if (what === 'odd') list[i] = { role: 'assistant', unreadable: true, get content() { throw new Error('unreadable'); }, get parts() { throw new Error('unreadable'); } };
    else if (what === 'drop part') edit((parts, p) => parts.toSpliced?.(p, 1) ?? [...parts.slice(0, p), ...parts.slice(p + 1)]);
    else if (what === 'repeat part') edit((parts, p) => [...parts, parts[p]]);
    else if (what === 'blank part') edit((parts, p) => [...parts.slice(0, p), key === 'parts' ? { text: ' ' } : { type: 'text', text: '\n' }, ...parts.slice(p + 1)]);
    else if (what === 'foreign part') edit((parts, p) => [...parts.slice(0, p), [{ type: 'mystery', n: 1n }, null, 'x', { functionCall: 3 }, { type: 'tool-result' }][a % 5], ...parts.slice(p)]);
  }
  return list;
}
