// T-22: types, roles, tools and ids that are named like a member of every object are names like any other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convert, count, plan, repair, validate } from '../../pkg/pure.js';
import { FORMATS, WIRE } from './conversations.mjs';

const NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];
const ALL = [...WIRE, 'ai-sdk-ui'];

/** A list whose unknown words are all this name. @param {string} name */
const strange = (name) => [
  [{ role: 'user', content: [{ type: name }], parts: [{ type: name, [name]: {} }] }],
  [{ type: name, role: 'assistant', id: 'x' }],
  [{ role: name, content: name }],
  [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: name, toolName: name, input: {} }, { type: 'tool_use', id: name, name, input: {} }], tool_calls: [{ id: name, type: 'function', function: { name, arguments: '{}' } }], parts: [{ functionCall: { name, args: {} } }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: name, toolName: name, output: { type: name, value: 1 } }], tool_call_id: name },
  ],
];

for (const name of NAMES) {
  test(`T-22: ${name} as type, role, tool or id is read, or refused with a reason`, () => {
    for (const format of ALL) {
      for (const messages of strange(name)) {
        const uses = { validate: () => validate(messages, format), repair: () => repair(messages, format), count: () => count(messages, { format }), plan: () => plan({ messages, format, model: { id: 'm', window: 10_000 } }) };
        for (const to of Object.keys(FORMATS)) uses[`convert to ${to}`] = () => convert(messages, format, to);
        for (const [use, run] of Object.entries(uses)) {
          try {
            run();
          } catch (error) {
            assert.equal(error.code, 'bad_input', `${use} of ${format}: ${error.message}`);
          }
        }
      }
    }
  });
}

test('T-22: a role named constructor is no role', () => {
  for (const format of ALL) assert.ok(validate([{ role: 'constructor', content: 'x', parts: [{ text: 'x' }] }], format).findings.some((f) => f.level === 'E'), format);
});
