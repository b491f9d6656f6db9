// @ts-check
// OpenAI Responses items to entries: the prompt history of Codex and of plain Responses lists. Decides which items form one
// assistant row (all of them since the last output or user item) and what a hosted call becomes. Refuses to know about
// usage, compaction records or rollback; the log reader closes a group when it knows better.

import { argumentsOf, list, object, outputOf, text, urlPart, valueOutput } from './parts.js';

/**
 * @typedef {import('./assemble.js').Entry} Entry
 * @typedef {import('./assemble.js').AssistantEntry} AssistantEntry
 */

/** Items that are records of the app and never reach a prompt. */
const SILENT = new Set(['ghost_snapshot', 'item_reference']);

export class ResponseItems {
  /** @type {Entry[]} */
  entries = [];
  /** @type {AssistantEntry | undefined} */
  open;
  #findings;

  /** @param {import('./assemble.js').Findings} findings */
  constructor(findings) {
    this.#findings = findings;
  }

  /** The response is complete: what follows belongs to the next one. */
  close() {
    this.open = undefined;
  }

  /** @param {any} raw @param {number} at position of the record */
  add(raw, at) {
    const item = object(raw);
    const type = text(item.type) || (item.role ? 'message' : '');
    if (type === 'message') this.#message(item, at);
    else if (type === 'reasoning') this.#part(at, reasoningPart(item));
    else if (type === 'function_call') this.#part(at, callPart(item, item.name, argumentsOf(item.arguments)));
    else if (type === 'custom_tool_call') this.#part(at, callPart(item, item.name, item.input ?? ''));
    else if (type === 'local_shell_call') this.#part(at, callPart(item, 'local_shell', object(item.action)));
    else if (type === 'tool_search_call' && text(item.call_id) !== '' && item.execution !== 'server') {
      this.#part(at, callPart(item, 'tool_search', argumentsOf(item.arguments)));
    } else if (type.endsWith('_output')) this.#output(item, at, type);
    else if (type.endsWith('_call')) this.#hosted(item, at, type);
    else if (type === 'agent_message') this.#user(item.content, at);
    else if (type.startsWith('compaction') || type === 'context_compaction') this.#compaction(item, at);
    else if (!SILENT.has(type)) this.#findings.once('unknown_record', at, 'response items of a type this reader does not know are left out');
  }

  /** @param {number} at @param {...any} parts */
  #part(at, ...parts) {
    if (!this.open) {
      this.open = { kind: 'assistant', at, content: [], step: {} };
      this.entries.push(this.open);
    }
    this.open.content.push(...parts);
  }

  /** @param {Record<string, any>} item @param {number} at */
  #message(item, at) {
    if (item.role === 'assistant') {
      const options = openai({ itemId: item.id, phase: item.phase });
      const parts = contentParts(item.content).map((part) => ({ ...part, ...options }));
      if (parts.length > 0) this.#part(at, ...parts);
    } else if (item.role === 'user') {
      this.#user(item.content, at);
    } else {
      // developer and system items are instructions in the middle of the history, not words of the user
      this.close();
      const content = contentParts(item.content).map((part) => part.text ?? '').join('\n\n');
      if (content !== '') this.entries.push({ kind: 'message', at, message: { role: 'system', content } });
    }
  }

  /** @param {unknown} content @param {number} at */
  #user(content, at) {
    this.close();
    const parts = contentParts(content);
    if (parts.length === 0) return;
    this.entries.push({ kind: 'message', at, message: { role: 'user', content: typeof content === 'string' ? content : parts } });
  }

  /** @param {Record<string, any>} item @param {number} at @param {string} type */
  #output(item, at, type) {
    this.close();
    const output = type === 'tool_search_output' ? valueOutput({ tools: item.tools ?? [] }) : outputValue(item.output);
    this.entries.push({ kind: 'result', at, callId: text(item.call_id), output });
  }

  /** Call and result of a hosted tool are one item; its status is all the log knows. @param {Record<string, any>} item @param {number} at @param {string} type */
  #hosted(item, at, type) {
    const toolName = type.replace(/_call$/, '');
    const toolCallId = text(item.id) || text(item.call_id) || `${toolName}_${at}`;
    const picture = toolName === 'image_generation' && text(item.result) !== '';
    const output = picture ? outputOf([{ type: 'image', image: item.result, mediaType: 'image/png' }])
      : valueOutput({ status: item.status ?? 'unknown', ...(item.results === undefined ? {} : { results: item.results }) });
    this.#part(at,
      { type: 'tool-call', toolCallId, toolName, input: item.action ?? argumentsOf(item.arguments), providerExecuted: true },
      { type: 'tool-result', toolCallId, toolName, output });
  }

  /** @param {Record<string, any>} item @param {number} at */
  #compaction(item, at) {
    this.close();
    const part = { type: 'custom', kind: 'openai.compaction', ...openai({ itemId: item.id, encryptedContent: item.encrypted_content }) };
    this.entries.push({ kind: 'message', at, message: { role: 'assistant', content: [part] } });
  }
}

/** @param {Record<string, any>} item */
function reasoningPart(item) {
  const shown = [...list(item.summary), ...list(item.content)].map((part) => text(object(part).text)).filter(Boolean);
  return { type: 'reasoning', text: shown.join('\n\n'), ...openai({ itemId: item.id, reasoningEncryptedContent: item.encrypted_content }) };
}

/** @param {Record<string, any>} item @param {unknown} name @param {unknown} input */
function callPart(item, name, input) {
  return { type: 'tool-call', toolCallId: text(item.call_id) || text(item.id), toolName: text(name), input, ...openai({ itemId: item.id }) };
}

/** @param {Record<string, unknown>} options */
function openai(options) {
  const known = Object.fromEntries(Object.entries(options).filter(([, value]) => typeof value === 'string' && value !== ''));
  return Object.keys(known).length > 0 ? { providerOptions: { openai: known } } : {};
}

/** Output is text, a list of items, one item, or (older versions) {content, success}. @param {unknown} output */
function outputValue(output) {
  if (typeof output === 'string') return { type: 'text', value: output };
  if (Array.isArray(output)) return outputOf(contentParts(output));
  const value = object(output);
  if (typeof value.type === 'string') return outputOf(contentParts([value]));
  if ('content' in value) return outputOf(contentParts(value.content), value.success === false);
  return valueOutput(output);
}

/** @param {unknown} content @returns {any[]} text, image and file parts */
export function contentParts(content) {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return list(content).flatMap(/** @returns {any[]} */ (raw) => {
    const part = object(raw);
    const words = text(part.text) || text(part.refusal);
    if (words !== '') return [{ type: 'text', text: words }];
    if (part.type === 'input_image') return kept(urlPart(part.image_url));
    if (part.type === 'input_file') return kept(urlPart(part.file_data ?? part.file_url, 'application/octet-stream', text(part.filename)));
    return [];
  });
}

/** @template T @param {T | null} part @returns {T[]} */
const kept = (part) => (part ? [part] : []);
