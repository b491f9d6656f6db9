// @ts-check
// Codex CLI and desktop rollouts (JSONL of {timestamp, type, payload}). Decides which token_count belongs to which response,
// what a `compacted` record puts in place of the history, and what a rollback takes away. Refuses cumulative totals and
// zero inputs: they are not occupancy.

import { assemble, Findings } from './assemble.js';
import { list, object, text, tokens, usageOf } from './parts.js';
import { ResponseItems } from './response-items.js';

/**
 * @typedef {import('./json-text.js').Line} Line
 * @typedef {import('./assemble.js').Entry} Entry
 */

const RECORDS = new Set(['session_meta', 'response_item', 'compacted', 'turn_context', 'world_state', 'event_msg',
  'inter_agent_communication', 'inter_agent_communication_metadata']);

/** @param {any} value one record */
export function isCodex(value) {
  const record = object(value);
  return RECORDS.has(record.type) && 'payload' in record;
}

/**
 * @param {Line[]} lines
 * @param {Findings} findings
 * @returns {import('./index.js').Session}
 */
export function readCodex(lines, findings = new Findings()) {
  const rollout = new Rollout(findings);
  for (const { line, value } of lines) rollout.add(object(value), line);
  return rollout.session();
}

class Rollout {
  #items;
  #findings;
  /** @type {{ at: number, mark: number }[]} where each user turn begins: line and index in entries */
  #turns = [];
  #meta = /** @type {Record<string, any>} */ ({});
  #model = '';
  #window = 0;
  #lastCount = '';

  /** @param {Findings} findings */
  constructor(findings) {
    this.#findings = findings;
    this.#items = new ResponseItems(findings);
  }

  /** @param {Record<string, any>} record @param {number} line */
  add({ type, payload: raw }, line) {
    const payload = object(raw);
    if (type === 'response_item') {
      this.#items.add(payload, line);
      if (this.#items.open) this.#items.open.step = { ...this.#items.open.step, model: this.#model || undefined, provider: text(this.#meta.model_provider) || undefined };
    } else if (type === 'event_msg') this.#event(payload, line);
    else if (type === 'turn_context') this.#model = text(payload.model) || this.#model;
    else if (type === 'compacted') this.#compacted(payload, line);
    // A forked session repeats its parent's header further down; the first one is this session's.
    else if (type === 'session_meta' && Object.keys(this.#meta).length === 0) this.#meta = payload;
    else if (!RECORDS.has(type)) this.#findings.once('unknown_record', line, 'records of a type this reader does not know are left out');
  }

  /** @param {Record<string, any>} payload @param {number} line */
  #event(payload, line) {
    if (payload.type === 'token_count') this.#tokenCount(object(payload.info));
    else if (payload.type === 'task_started') this.#window = tokens(payload.model_context_window) || this.#window;
    else if (payload.type === 'user_message') this.#turnBegins(line);
    else if (payload.type === 'thread_rolled_back') this.#rollBack(tokens(payload.num_turns), line);
    else if (payload.type === 'turn_aborted') this.#items.close();
  }

  /** @param {Record<string, any>} info */
  #tokenCount(info) {
    const last = object(info.last_token_usage);
    this.#window = tokens(info.model_context_window) || this.#window;
    // The same event is often written again after the outputs; the running total tells it from a new response.
    const count = JSON.stringify([info.total_token_usage, last]);
    if (count === this.#lastCount || Object.keys(last).length === 0) return;
    this.#lastCount = count;
    const usage = usageOf({
      input: tokens(last.input_tokens), cacheRead: tokens(last.cached_input_tokens), output: tokens(last.output_tokens), reasoning: tokens(last.reasoning_output_tokens),
      ...(last.cache_write_input_tokens === undefined ? {} : { cacheWrite: tokens(last.cache_write_input_tokens) }),
    });
    if (!usage) return;
    const entry = this.#items.open ?? this.#lastResponse();
    if (entry && !entry.step?.usage) entry.step = { ...entry.step, usage };
    this.#items.close();
  }

  /** The newest response, if only its outputs were written since. */
  #lastResponse() {
    const { entries } = this.#items;
    for (let i = entries.length - 1; i >= 0; i -= 1) {
      const entry = entries[i];
      if (entry.kind === 'assistant') return entry;
      if (entry.kind !== 'result') return undefined;
    }
    return undefined;
  }

  /** `user_message` follows the item it shows; injected user items (environment, project notes) have none. @param {number} line */
  #turnBegins(line) {
    const { entries } = this.#items;
    const last = entries.at(-1);
    if (last?.kind === 'message' && last.message.role === 'user') this.#turns.push({ at: line, mark: entries.length - 1 });
  }

  /** @param {number} turns @param {number} line */
  #rollBack(turns, line) {
    const { entries } = this.#items;
    this.#items.close();
    if (turns === 0) return;
    const first = this.#turns[Math.max(0, this.#turns.length - turns)];
    this.#turns.splice(Math.max(0, this.#turns.length - turns));
    if (!first) return;
    const removed = entries.splice(first.mark);
    this.#findings.add('dropped_branch', removed[0]?.at ?? line, `items of turns rolled back at ${line} are left out`, removed.length);
  }

  /** @param {Record<string, any>} payload @param {number} line */
  #compacted(payload, line) {
    this.#items.close();
    const { entries } = this.#items;
    const head = Array.isArray(payload.replacement_history)
      ? this.#replacement(payload.replacement_history, line)
      : [...entries.filter((entry) => entry.kind === 'message' && entry.message.role === 'user'), { role: 'user', content: text(payload.message) }];
    entries.push({ kind: 'fold', at: line, cause: 'compaction', head });
  }

  /** A user message the replacement repeats is the same message object as the row. @param {any[]} history @param {number} line */
  #replacement(history, line) {
    const known = new Map(this.#items.entries.filter((entry) => entry.kind === 'message')
      .map((entry) => [JSON.stringify(/** @type {any} */ (entry).message), /** @type {any} */ (entry).message]));
    const items = new ResponseItems(this.#findings);
    for (const item of history) items.add(item, line);
    return assemble(items.entries, this.#findings, { closed: true }).rows.map(({ message }) => known.get(JSON.stringify(message)) ?? message);
  }

  /** @returns {import('./index.js').Session} */
  session() {
    const built = assemble(this.#items.entries, this.#findings);
    const id = built.steps.map((step) => step.model).filter(Boolean).at(-1) ?? this.#model;
    const provider = text(this.#meta.model_provider);
    const system = text(object(this.#meta.base_instructions).text) || text(this.#meta.instructions);
    const tools = dynamicTools(this.#meta.dynamic_tools);
    return {
      format: 'codex',
      ...(id ? { model: { id, ...(provider ? { provider } : {}), ...(this.#window ? { window: this.#window } : {}) } } : {}),
      ...(system ? { system } : {}),
      ...(tools.length > 0 ? { tools } : {}),
      ...built,
    };
  }
}

/** Built-in tools are not logged; tools the host added are, with their schemas. @param {unknown} value */
function dynamicTools(value) {
  const tools = Array.isArray(value) ? value : list(object(value).tools);
  return tools.map(object).filter((tool) => text(tool.name) !== '')
    .map((tool) => ({ name: tool.name, source: 'dynamic', ...(tool.inputSchema ?? tool.parameters ? { schema: tool.inputSchema ?? tool.parameters } : {}) }));
}
