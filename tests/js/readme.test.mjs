// The README's programs run, and its table of knobs is the configuration's.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { open } from '../../pkg/inline.js';
import { memoryStore } from '../../pkg/stores/memory.js';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
const programs = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map((m) => m[1]);
const work = path.join(root, 'target', 'readme');

/** Runs a program of the README; it sees the package where a consumer would. */
async function run(name, program) {
  mkdirSync(work, { recursive: true });
  const at = path.join(work, `${name}.mjs`);
  const pkg = (file) => pathToFileURL(path.join(root, 'pkg', file)).href;
  const entries = { 'gentle-cascade': 'inline.js', 'gentle-cascade/stores/memory': 'stores/memory.js', 'gentle-cascade/panel': 'panel.js' };
  writeFileSync(at, program.replace(/from '(gentle-cascade[^']*)'/g, (_all, entry) => `from '${pkg(entries[entry])}'`));
  return import(pathToFileURL(at).href);
}

test('the agent loop: a long output is shortened, read back and answered', async () => {
  const seen = [];
  Object.assign(globalThis, {
    SYSTEM: 'You are thorough.',
    TOOLS: [{ name: 'log' }],
    runTool: async () => 'x'.repeat(100_000),
    async callModel(view, tools) {
      seen.push({ view, tools: tools.map((t) => t.name) });
      const call = (toolCallId, toolName, input) => ({ message: { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input }] }, usage: { inputTokens: 1_000 * seen.length } });
      if (seen.length === 1) return call('a', 'log', {});
      if (seen.length === 2) return call('b', 'read_tool_output', { id: 'a', limit: 10 });
      return { message: { role: 'assistant', content: [{ type: 'text', text: 'done' }] }, usage: { inputTokens: 3_000 } };
    },
  });
  await run('node', programs[0]);
  assert.deepEqual(seen[0].tools, ['log', 'read_tool_output']);
  assert.ok(seen[1].view[2].content[0].output.value.length <= 24_000);
  assert.match(seen[2].view[4].content[0].output.value, /^x{10}\n\[characters 0 to 10 of 100000/);
});

test('the edge handler: state goes through one compare-and-swap, the view comes back', async () => {
  const store = memoryStore();
  const env = { STATES: { load: (transcript) => store.load({ transcript }), compareAndSwap: (transcript, expect, blob) => store.commit({ blob, expect }, { transcript }) } };
  const { default: worker } = await run('edge', programs[2]);
  const request = new Request('https://example.org', { method: 'POST', body: JSON.stringify({ id: 't', messages: [{ role: 'user', content: 'hi' }], positions: [7] }) });
  const { view } = await (await worker.fetch(request, env, { waitUntil() {} })).json();
  assert.deepEqual(view, [{ role: 'user', content: 'hi' }]);
});

test('the frame: a deferred tool waits for its name, the rows are the messages of the breakdown', async () => {
  const program = programs.find((one) => one.includes('promote'));
  const cascade = await open({ transcript: 't', model: 'gpt-5' });
  const messages = [{ role: 'user', content: 'hi' }];
  Object.assign(globalThis, { SYSTEM: 'You are thorough.', cascade, messages });
  const { seen, sent } = await run('frame', `${program}\nexport const seen = { occupancy, breakdown, nextRelief, rows, view }; export { sent };`);
  assert.deepEqual([sent.tools, seen.rows.length, seen.nextRelief], [['load_skill'], 1, undefined]);
  assert.deepEqual(seen.breakdown.buckets.find((b) => b.id === 'deferred').items.map((i) => i.label), ['jira']);
  messages.push({ role: 'assistant', content: 'hello' }, { role: 'user', content: 'go on' });
  assert.deepEqual((await cascade.next({ messages })).frame.tools, ['load_skill', 'jira_search']);
});

test('every knob of the table exists', async () => {
  const knobs = [...readme.split('| knob |')[1].split('\n\n')[0].matchAll(/^\| `([\w.]+)` \|/gm)].map((m) => m[1]);
  assert.ok(knobs.length > 15);
  const c = await open({ transcript: 't', model: 'gpt-5' });
  for (const knob of knobs) c.set({ config: knob.split('.').reduceRight((value, key) => ({ [key]: value }), null) });
  c.close();
});
