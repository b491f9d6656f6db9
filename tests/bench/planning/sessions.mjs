// Sessions for the planning bench: rounds as coding agents make them, in the formats hosts keep.
//
// Deterministic; decides only how a round looks, never what is measured.

const TOOLS = ['read_file', 'grep', 'run_tests', 'list_dir'];

/** A tool output of some lines that name what later rounds use. @param {number} n */
function output(n) {
  const lines = 6 + ((n * 7) % 30);
  let text = '';
  for (let i = 0; i < lines; i += 1) text += `src/part_${(n * 13 + i) % 997}.rs:${i + 1}: fn handle_${(n + i) % 1009}(state: &State) -> Result<(), Error> { check(${n}, ${i}) }\n`;
  return text;
}

/** Round `n`: what the model said and called, and what the tools returned. @param {number} n */
function round(n) {
  const calls = n % 3 === 0 ? 2 : 1;
  return {
    // Every twelfth round a person speaks first.
    user: n % 12 === 0 ? `Please look at part ${n} and make the test in src/part_${n % 997}.rs pass.` : undefined,
    text: `I will look at handle_${n % 1009} in src/part_${(n * 13) % 997}.rs next.`,
    calls: Array.from({ length: calls }, (_, c) => ({
      id: `call_${n}_${c}`,
      name: TOOLS[(n + c) % TOOLS.length],
      input: { path: `src/part_${(n * 13 + c) % 997}.rs`, pattern: `handle_${(n + c) % 1009}` },
      output: output(n + c),
    })),
  };
}

/** Messages of a round, by format. @type {Record<string, (n: number) => any[]>} */
export const FORMATS = {
  'ai-sdk': (n) => {
    const { user, text, calls } = round(n);
    return [
      ...(user ? [{ role: 'user', content: user }] : []),
      { role: 'assistant', content: [{ type: 'text', text }, ...calls.map((c) => ({ type: 'tool-call', toolCallId: c.id, toolName: c.name, input: c.input }))] },
      { role: 'tool', content: calls.map((c) => ({ type: 'tool-result', toolCallId: c.id, toolName: c.name, output: { type: 'text', value: c.output } })) },
    ];
  },
  'openai-chat': (n) => {
    const { user, text, calls } = round(n);
    return [
      ...(user ? [{ role: 'user', content: user }] : []),
      { role: 'assistant', content: text, tool_calls: calls.map((c) => ({ id: c.id, type: 'function', function: { name: c.name, arguments: JSON.stringify(c.input) } })) },
      ...calls.map((c) => ({ role: 'tool', tool_call_id: c.id, content: c.output })),
    ];
  },
  anthropic: (n) => {
    const { user, text, calls } = round(n);
    return [
      ...(user ? [{ role: 'user', content: [{ type: 'text', text: user }] }] : []),
      { role: 'assistant', content: [{ type: 'text', text }, ...calls.map((c) => ({ type: 'tool_use', id: c.id, name: c.name, input: c.input }))] },
      { role: 'user', content: calls.map((c) => ({ type: 'tool_result', tool_use_id: c.id, content: c.output })) },
    ];
  },
};

/** A session that grows: `list` holds at least `size` messages, `grow()` appends the next round. @param {string} format @param {number} size */
export function session(format, size) {
  const make = FORMATS[format];
  /** @type {any[]} */
  const list = [];
  let n = 0;
  const grow = () => {
    list.push(...make(n));
    n += 1;
  };
  while (list.length < size) grow();
  return { list, grow };
}
