// @ts-check
// Plain dumps of messages in the six wire formats, alone or inside a request. Decides how each becomes rows and hands the
// originals along untouched in `raw`. Refuses ambiguous dumps: text-only messages need their format named.

import { assemble, Findings, liftSystem } from './assemble.js';
import { assistantParts, userEntries } from './anthropic-blocks.js';
import { badInput } from './bad-input.js';
import { chatEntries } from './chat-messages.js';
import { functionOutput, partList, userParts } from './gemini-parts.js';
import { list, object, text, tokens, usageOf } from './parts.js';
import { openedDump, plainFormats, PLAIN_FORMATS } from './plain-detect.js';
import { modelEntries, uiEntries } from './plain-ai-sdk.js';
import { ResponseItems } from './response-items.js';

/**
 * @typedef {import('./assemble.js').Entry} Entry
 * @typedef {import('./plain-detect.js').PlainFormat} PlainFormat
 */

/**
 * Whether a value is a dump of messages; an ambiguous one is an error, since no later test can do better.
 * @param {any} value @returns {PlainFormat | null}
 * @throws {Error} CascadeError `bad_input`
 */
export function plainFormatOf(value) {
  const dump = openedDump(value);
  if (!dump) return null;
  const possible = [...plainFormats(dump.messages, dump.around)];
  if (possible.length > 1) throw badInput(`These messages fit ${possible.length} formats: ${possible.join(', ')}. Name the one they are in with { format }.`);
  return possible[0] ?? null;
}

/** @param {any} value @param {PlainFormat} format @returns {boolean} */
export function fitsPlain(value, format) {
  const dump = openedDump(value);
  return dump !== null && PLAIN_FORMATS.includes(format) && plainFormats(dump.messages, dump.around).has(format);
}

/**
 * @param {any} value @param {PlainFormat} format @param {Findings} [findings]
 * @returns {import('./index.js').Session}
 */
export function readPlain(value, format, findings = new Findings()) {
  const { messages, around } = openedDump(value) ?? { messages: [], around: {} };
  const entries = READERS[format](messages, findings);
  if (format === 'openai-chat') entries.push(...responseEntries(around, messages.length + 1));
  const lifted = liftSystem(entries);
  const system = systemOf(around) || lifted.system;
  const tools = toolsOf(around);
  const built = assemble(lifted.entries, findings);
  const model = text(around.model) || built.steps.findLast((step) => step.model)?.model;
  return {
    format,
    ...(model ? { model: { id: model } } : {}),
    ...(system ? { system } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    ...built,
    raw: { format, messages },
  };
}

/** Entries of messages in their order, unpaired and not healed. @param {any[]} messages @param {PlainFormat} format @returns {Entry[]} */
export const entriesOf = (messages, format) => READERS[format](messages, new Findings());

/** @type {Record<PlainFormat, (messages: any[], findings: Findings) => Entry[]>} */
const READERS = {
  'ai-sdk': (messages) => messages.flatMap((message, i) => modelEntries(message, i + 1)),
  'ai-sdk-ui': (messages) => messages.flatMap((message, i) => uiEntries(message, i + 1)),
  'openai-chat': (messages) => messages.flatMap((message, i) => chatEntries(message, i + 1)),
  'openai-responses': (messages, findings) => {
    const items = new ResponseItems(findings);
    messages.forEach((item, i) => items.add(item, i + 1));
    return items.entries;
  },
  anthropic: (messages, findings) => messages.flatMap((raw, i) => anthropicEntries(object(raw), i + 1, findings)),
  gemini: geminiEntries,
};

/** @param {Record<string, any>} message @param {number} at @param {Findings} findings @returns {Entry[]} */
function anthropicEntries(message, at, findings) {
  const unknown = () => findings.once('unknown_record', at, 'content blocks of a type this reader does not know are left out');
  if (message.role !== 'assistant') return userEntries(message.content, at, unknown);
  const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : list(message.content);
  return [{ kind: 'assistant', at, content: assistantParts(blocks, unknown) }];
}

/** Calls may have no id; a response then answers the first waiting call of its name. @param {any[]} contents @returns {Entry[]} */
function geminiEntries(contents) {
  /** @type {{ id: string, name: string }[]} */
  let waiting = [];
  return contents.flatMap((raw, i) => {
    const at = i + 1;
    const { role, parts: given } = object(raw);
    const parts = partList(given);
    if (role === 'model') {
      waiting = [];
      const content = parts.flatMap((part, n) => {
        if (!part.functionCall) return part.thought === true ? [{ type: 'reasoning', text: text(part.text), ...signed(part) }] : userParts([part]).map((made) => ({ ...made, ...signed(part) }));
        const { name, args, id } = object(part.functionCall);
        const call = { id: text(id) || `${text(name)}_${at}_${n}`, name: text(name) };
        waiting.push(call);
        return [{ type: 'tool-call', toolCallId: call.id, toolName: call.name, input: args ?? {}, ...signed(part) }];
      });
      return [{ kind: /** @type {const} */ ('assistant'), at, content }];
    }
    /** @type {Entry[]} */
    const entries = parts.filter((part) => part.functionResponse).map((part) => {
      const { id, name } = object(part.functionResponse);
      const index = waiting.findIndex((call) => (text(id) ? call.id === id : call.name === name));
      const call = index < 0 ? undefined : waiting.splice(index, 1)[0];
      return { kind: 'result', at, callId: call?.id ?? (text(id) || text(name)), output: functionOutput([part], false) };
    });
    const content = userParts(parts.filter((part) => !part.functionResponse));
    if (content.length > 0) entries.push({ kind: 'message', at, message: { role: role === 'system' ? 'system' : 'user', content } });
    return entries;
  });
}

/** @param {Record<string, any>} part */
const signed = (part) => (part.thoughtSignature ? { providerOptions: { google: { thoughtSignature: part.thoughtSignature } } } : {});

/** A logged call may hold its response beside the request. @param {Record<string, any>} around @param {number} at @returns {Entry[]} */
function responseEntries(around, at) {
  const { choices, usage, model } = object(around.response);
  const message = object(list(choices)[0]).message;
  if (!message) return [];
  const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: inside } = object(usage);
  const cacheRead = object(inside).cached_tokens;
  return chatEntries({ ...message, role: 'assistant' }, at, { model: text(model) || undefined, usage: usageOf({ input: tokens(input), output: tokens(output), ...(cacheRead == null ? {} : { cacheRead: tokens(cacheRead) }) }) });
}

/** @param {Record<string, any>} around */
function systemOf(around) {
  const system = around.system ?? around.instructions ?? object(around.systemInstruction).parts ?? around.systemInstruction;
  return partList(system).map((part) => text(part.text)).filter(Boolean).join('\n\n');
}

/** Tool definitions of a request; `schema` is the definition as it is sent. @param {Record<string, any>} around */
function toolsOf(around) {
  return list(around.tools).map(object).flatMap((tool) => (Array.isArray(tool.functionDeclarations) ? tool.functionDeclarations.map(object) : [tool]))
    .map((tool) => ({ name: text(object(tool.function).name) || text(tool.name) || text(tool.type), schema: tool, source: 'request' }))
    .filter(({ name }) => name !== '');
}
