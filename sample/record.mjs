// Records the bundled sample session: `node sample/record.mjs [output file]`.
// Runs the calls of story.mjs for real on this tree, scrubs what belongs to this machine and this moment, and
// writes AI SDK messages, one per line, gzipped when the name ends in .gz. Refuses to write a session that is not
// what the sample promises (enough calls and text, one huge result, colours, a failure, parallel calls).

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { scrubber } from './scrub.mjs';
import { story } from './story.mjs';
import { tools, walk } from './tools.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(here);
const target = process.argv[2] ?? path.join(here, 'session.json');
const MAX_BYTES = 1_000_000;

const scrub = scrubber(root);
const run = tools(root, scrub);
const messages = [];
let calls = 0;
let thought;

const talk = {
  user: (text) => messages.push({ role: 'user', content: text }),
  say: (text) => messages.push({ role: 'assistant', content: [{ type: 'text', text }] }),
  think: (text) => {
    thought = { type: 'reasoning', text };
  },
  step(text, wanted) {
    if (wanted.length === 0) return [];
    const content = [...(thought ? [thought] : []), { type: 'text', text }];
    const results = [];
    thought = undefined;
    for (const [toolName, input] of wanted) {
      calls += 1;
      const toolCallId = `call_${String(calls).padStart(3, '0')}`;
      process.stderr.write(`${toolCallId} ${toolName} ${JSON.stringify(input).slice(0, 90)}\n`);
      content.push({ type: 'tool-call', toolCallId, toolName, input });
      results.push({ type: 'tool-result', toolCallId, toolName, output: run[toolName](input) });
    }
    messages.push({ role: 'assistant', content }, { role: 'tool', content: results });
    return results.map((result) => result.output.value);
  },
};

story(talk, run.list_files({ path: '.' }).value);

const note = 'Recorded by sample/record.mjs on this project itself: real tool runs, prose by the authors, no model took part, so there is no usage. ' +
  'Paths, host names, dates and durations are replaced.';
const text = `{"format":"ai-sdk","note":${JSON.stringify(note)},"messages":[\n${messages.map((m) => JSON.stringify(m)).join(',\n')}\n]}\n`;

const outputs = messages.flatMap((m) => (m.role === 'tool' ? m.content : [])).map(({ output }) => output);
const size = (output) => (typeof output.value === 'string' ? output.value : JSON.stringify(output.value)).length;
const total = outputs.reduce((sum, output) => sum + size(output), 0);
const promises = {
  'at least 60 calls': calls >= 60,
  'at least 80k tokens of results (4 characters each)': total / 4 >= 80_000,
  'at most 1 MB': Buffer.byteLength(text) <= MAX_BYTES,
  'a result over 100 kB': outputs.some((output) => size(output) > 100_000),
  'parallel calls': messages.some((m) => m.role === 'tool' && m.content.length > 2),
  'a failing command': outputs.some((output) => output.type === 'error-text' && output.value.includes('exit code')),
  'a coloured result': outputs.some((output) => typeof output.value === 'string' && output.value.includes('\u001b[')),
  'no absolute path of this machine': !text.includes(root) && !/\/(root|home\/(?!dev\b)\w+|work)\//.test(text),
};
const broken = Object.keys(promises).filter((name) => !promises[name]);
const figures = `${calls} calls, ${messages.length} messages, ${total} characters of results, ${Buffer.byteLength(text)} bytes, ${walk(root).length} files in the tree`;
if (broken.length) {
  process.stderr.write(`not written (${figures}); missing: ${broken.join('; ')}\n`);
  process.exit(1);
}
writeFileSync(target, target.endsWith('.gz') ? gzipSync(text, { level: 9 }) : text);
process.stderr.write(`${path.relative(process.cwd(), target)}: ${figures}\n`);
