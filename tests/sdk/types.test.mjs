// The types the providers publish, as judges: every view we return, written out as a literal, has to type-check as what
// their SDKs send. A literal is checked strictly, so a key they do not know is an error, too.
// Runs with the other judges: `make sdk`.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import ts from 'typescript';
import { open, toolDefinition } from '../../pkg/inline.js';
import { memoryStore } from '../../pkg/stores/memory.js';
import { repair } from '../../pkg/pure.js';
import { conversation } from '../js/conversations.mjs';
import { script, written } from '../js/histories.mjs';

/** What a request takes, in the provider's own words. */
const SENT = {
  anthropic: ["import type { MessageParam as Row, ToolUnion as Tool } from '@anthropic-ai/sdk/resources/messages';", 'Row[]'],
  'openai-chat': ["import type { ChatCompletionMessageParam as Row, ChatCompletionTool as Tool } from 'openai/resources/chat/completions';", 'Row[]'],
  'openai-responses': ["import type { ResponseInputItem as Row, Tool } from 'openai/resources/responses/responses';", 'Row[]'],
  gemini: ["import type { Content as Row, FunctionDeclaration as Tool } from '@google/genai';", 'Row[]'],
};

/** What a compiler has to say of `code` in this folder. @param {string} code @returns {string[]} */
function complaints(code) {
  const file = new URL('views.ts', import.meta.url).pathname;
  const options = { strict: true, noEmit: true, skipLibCheck: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'], types: [] };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.getSourceFile = (name, ...more) => (name === file ? ts.createSourceFile(name, code, ts.ScriptTarget.ES2022) : getSourceFile.call(host, name, ...more));
  host.fileExists = (name) => name === file || fileExists.call(host, name);
  host.readFile = (name) => (name === file ? code : readFile.call(host, name));
  return ts.getPreEmitDiagnostics(ts.createProgram([file], options, host)).map((d) => ts.flattenDiagnosticMessageText(d.messageText, '\n').slice(0, 400));
}

/** The API takes stored answers without ids and annotations, the types do not; such rows are the host's own. @param {string} _key @param {any} value */
function annotated(_key, value) {
  if (value?.type === 'output_text') return { annotations: [], ...value };
  return value?.type === 'message' && value.role === 'assistant' ? { id: 'msg_1', status: 'completed', ...value } : value;
}

/** Views of a conversation as it grows, at a window that evicts, drops and folds. @param {string} format @param {any[]} messages */
async function grown(format, messages) {
  const store = memoryStore();
  const rows = messages.map((message, position) => ({ position, message }));
  const host = { ...store, rows: ({ from, to }) => rows.slice(from, to + 1), summarize: () => ({ text: '## Objective\nread every file\n\n## Completed Work\nmost of them were read\n' }) };
  const config = { eviction: { keepRecentRounds: 1, minResultTokens: 20, clearAtLeast: 0, atFraction: 0.5 }, summarize: { keepRecent: 2, keepRounds: 1, background: false } };
  const cascade = await open({ transcript: 't', format, model: { id: 'm', window: 4_000, maxOutput: 300 }, host, config });
  const views = [];

  for (let n = 1; n <= messages.length; n += 1) {
    const { view } = await cascade.next({ messages: messages.slice(0, n), positions: rows.slice(0, n).map((row) => row.position) });
    views.push(view);
  }
  views.push((await cascade.compact({ messages, positions: rows.map((row) => row.position) })).view);
  assert.ok(cascade.inspect().ledger.some(({ state }) => state === 'folded'), 'the session folded');
  cascade.close();
  return views;
}

for (const [format, [imports, type]] of Object.entries(SENT)) {
  describe(`the published types for ${format}`, () => {
    test('take what we make of a session that evicts, drops and folds, of broken histories, and our tool', { timeout: 300_000 }, async () => {
      const views = await grown(format, conversation(format, 20, { parallel: 2, size: 1_500 }));
      const broken = fc.sample(script, { seed: 11, numRuns: 20 }).map((story) => {
        const messages = written({ ...story, repeat: false }, format);
        // Without its last row a history may end with calls that nobody answers.
        return repair(messages.slice(0, -1), format).messages;
      });
      const read = toolDefinition({ name: 'read_tool_output', description: 'Reads.', inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } }, format);
      const made = views.filter((view, i) => i % 3 === 0 || i === views.length - 1);
      const lists = [...made, ...broken].map((list, i) => `const list${i}: ${type} = ${JSON.stringify(list, annotated)};`);
      assert.deepEqual(complaints([imports, ...lists, `const tool: Tool = ${JSON.stringify(format === 'gemini' ? read.functionDeclarations[0] : read)};`, 'export {};'].join('\n')), []);
    });

    test('refuse what is not theirs', () => {
      assert.notDeepEqual(complaints([imports, `const list: ${type} = [{ role: 'narrator', content: [{ type: 'smell' }] }];`, 'export {};'].join('\n')), []);
    });
  });
}
