// @ts-check
// OpenHands event logs: V0 (action and observation events, one list per run) and V1 (events tagged by `kind`). Decides which
// events form one response, which call an observation answers, and the view a condensation leaves. Refuses cumulative usage
// unless two readings differ by exactly one call.

import { assemble, Findings } from './assemble.js';
import { badInput } from './bad-input.js';
import { chatEntries, chatParts } from './chat-messages.js';
import { argumentsOf, list, object, outputOf, text, tokens, urlPart, usageOf } from './parts.js';

/**
 * @typedef {import('./json-text.js').Line} Line
 * @typedef {import('./assemble.js').Entry} Entry
 * @typedef {{ id: unknown, items: (Entry | { role: string, content: any })[] }} Viewed an event of the current view
 */

const V1_KIND = /^(SystemPromptEvent|MessageEvent|ActionEvent|ObservationEvent|AgentErrorEvent|UserRejectObservation|Condensation|ConversationStateUpdateEvent)$/;
/** Observations that report state and never reach a prompt. */
const STATE_ONLY = new Set(['recall', 'agent_state_changed', 'null', 'condensation']);

/** @param {any} value one event */
export function isOpenHandsEvent(value) {
  const event = object(value);
  if (V1_KIND.test(text(event.kind)) && 'source' in event) return true;
  return 'id' in event && typeof event.source === 'string' && ((typeof event.action === 'string' && 'args' in event) || (typeof event.observation === 'string' && 'extras' in event));
}

/** @param {any} value a list of events, or a run that holds one in `history` */
export const isOpenHands = (value) => runsOf(value).some((run) => run.slice(0, 20).some(isOpenHandsEvent));

/** @param {any} value @returns {any[][]} */
function runsOf(value) {
  if (Array.isArray(value)) return value.some(isOpenHandsEvent) ? [value] : value.flatMap((run) => (Array.isArray(object(run).history) ? [run.history] : []));
  return Array.isArray(object(value).history) ? [value.history] : [];
}

/** @param {any} value @param {Findings} findings @param {{ conversation?: number }} options */
export function readOpenHands(value, findings = new Findings(), options = {}) {
  const run = chosen(runsOf(value), options);
  return sessionOf(run.map((event, i) => ({ line: i + 1, value: event })), findings);
}

/** One event per line, or one run per line. @param {Line[]} lines @param {Findings} findings @param {{ conversation?: number }} options */
export function readOpenHandsLines(lines, findings = new Findings(), options = {}) {
  return isOpenHandsEvent(lines[0]?.value) || lines.some(({ value }) => isOpenHandsEvent(value)) ? sessionOf(lines, findings)
    : readOpenHands(lines.map(({ value }) => value), findings, options);
}

/**
 * @template T @param {T[]} all conversations of one file @param {{ conversation?: number }} options
 * @returns {T}
 */
export function chosen(all, { conversation }) {
  if (conversation === undefined && all.length > 1) throw badInput(`This file holds ${all.length} conversations. Say which one to read: { conversation: 1 } to { conversation: ${all.length} }.`);
  const one = all[(conversation ?? 1) - 1];
  if (one === undefined) throw badInput(`conversation is outside of what this file holds; expected a whole number from 1 to ${all.length}.`);
  return one;
}

/** @param {Line[]} events @param {Findings} findings @returns {import('./index.js').Session} */
function sessionOf(events, findings) {
  const log = new EventLog(findings);
  for (const { line, value } of events) log.add(object(value), line);
  const built = assemble(log.entries, findings);
  const last = built.steps.filter((step) => step.model).at(-1);
  return {
    format: 'openhands',
    ...(last ? { model: { id: /** @type {string} */ (last.model) } } : {}),
    ...(log.system ? { system: log.system } : {}),
    ...(log.tools.length > 0 ? { tools: log.tools } : {}),
    ...built,
  };
}

class EventLog {
  system = '';
  /** @type {{ name: string, schema?: unknown, source: string }[]} */
  tools = [];
  /** @type {Entry[]} */
  entries = [];
  /** @type {Viewed[]} */
  #view = [];
  /** @type {Map<string, import('./assemble.js').AssistantEntry>} by response id */
  #responses = new Map();
  /** @type {Map<unknown, string>} call id by action event id */
  #callOf = new Map();
  #spent = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  /** @type {{ usage?: any, model?: string }} */
  #pending = {};
  #findings;

  /** @param {Findings} findings */
  constructor(findings) {
    this.#findings = findings;
  }

  /** @param {Record<string, any>} event @param {number} at */
  add(event, at) {
    const made = 'kind' in event && V1_KIND.test(text(event.kind)) ? this.#v1(event, at) : this.#v0(event, at);
    if (made) {
      this.#view.push({ id: event.id, items: made });
      this.entries.push(...made);
    }
  }

  /** @param {Record<string, any>} event @param {number} at @returns {Entry[] | null} null: not an event of the view */
  #v0(event, at) {
    const args = object(event.args);
    const meta = object(event.tool_call_metadata);
    if (event.action === 'system') return this.#prompt(text(args.content), list(args.tools));
    if (event.action === 'condensation') return this.#condense(forgottenIn(args, this.#view), args, at);
    if (event.action === 'message' && event.source === 'user') return [{ kind: 'message', at, message: { role: 'user', content: withImages(text(args.content), args.image_urls) } }];
    if (typeof event.action === 'string' && event.tool_call_metadata) {
      this.#callOf.set(event.id, text(meta.tool_call_id));
      return this.#response(object(meta.model_response), at);
    }
    if (event.action === 'message' && event.source === 'agent') return [{ kind: 'assistant', at, content: chatParts(args.content) }];
    if (typeof event.observation !== 'string' || STATE_ONLY.has(event.observation)) return null;
    const callId = text(meta.tool_call_id) || this.#callOf.get(event.cause);
    if (callId) return [{ kind: 'result', at, callId, output: { type: event.observation === 'error' ? 'error-text' : 'text', value: text(event.content) } }];
    // an observation no call asked for is shown to the model as a message
    return text(event.content) === '' ? null : [{ kind: 'message', at, message: { role: 'user', content: event.content } }];
  }

  /** All actions of one response carry the whole response. @param {Record<string, any>} response @param {number} at */
  #response(response, at) {
    const id = text(response.id);
    if (this.#responses.has(id)) return [];
    const { prompt_tokens, completion_tokens, prompt_tokens_details, completion_tokens_details } = object(response.usage);
    const cacheRead = object(prompt_tokens_details).cached_tokens;
    const reasoning = object(completion_tokens_details).reasoning_tokens;
    const usage = usageOf({ input: tokens(prompt_tokens), output: tokens(completion_tokens), ...(cacheRead == null ? {} : { cacheRead: tokens(cacheRead) }), ...(reasoning == null ? {} : { reasoning: tokens(reasoning) }) });
    const message = { ...object(object(list(response.choices)[0]).message), role: 'assistant' };
    const made = chatEntries(message, at, { usage, model: text(response.model) || undefined });
    this.#responses.set(id, /** @type {any} */ (made[0]));
    return made;
  }

  /** @param {Record<string, any>} event @param {number} at @returns {Entry[] | null} */
  #v1(event, at) {
    switch (event.kind) {
      case 'SystemPromptEvent':
        return this.#prompt([event.system_prompt, event.dynamic_context].map((part) => text(object(part).text)).filter(Boolean).join('\n\n'), list(event.tools));
      case 'MessageEvent': {
        const message = object(event.llm_message);
        if (message.role === 'assistant') return chatEntries(message, at, this.#takeUsage());
        const content = list(message.content).flatMap((part) => [...chatParts([part]), ...list(object(part).image_urls).flatMap((url) => urlPart(url) ?? [])]);
        return content.length > 0 ? [{ kind: 'message', at, message: { role: 'user', content } }] : [];
      }
      case 'ActionEvent':
        return this.#action(event, at);
      case 'ObservationEvent': {
        const { content, is_error } = object(event.observation);
        return this.#answer(event, at, outputOf(chatParts(content ?? object(event.observation).output), is_error === true));
      }
      case 'AgentErrorEvent':
      case 'UserRejectObservation':
        return this.#answer(event, at, { type: 'error-text', value: text(event.error) || text(event.rejection_reason) });
      case 'Condensation':
        return this.#condense(new Set(list(event.forgotten_event_ids)), event, at);
      default:
        this.#readStats(event);
        return null;
    }
  }

  /** @param {Record<string, any>} event @param {number} at @param {any} output @returns {Entry[]} */
  #answer(event, at, output) {
    this.#pending = {};
    return [{ kind: 'result', at, callId: text(event.tool_call_id), output }];
  }

  /** @param {Record<string, any>} event @param {number} at @returns {Entry[]} */
  #action(event, at) {
    const id = text(event.llm_response_id) || `event ${at}`;
    const blocks = list(event.thinking_blocks).map(object).filter((block) => text(block.thinking) !== '');
    const reasoning = blocks.length > 0
      ? blocks.map((block) => ({ type: 'reasoning', text: block.thinking, ...(text(block.signature) ? { providerOptions: { anthropic: { signature: block.signature } } } : {}) }))
      : text(event.reasoning_content) === '' ? [] : [{ type: 'reasoning', text: event.reasoning_content }];
    const call = object(event.tool_call);
    const parts = [...reasoning, ...chatParts(event.thought), {
      type: 'tool-call', toolCallId: text(event.tool_call_id) || text(call.id), toolName: text(call.name) || text(event.tool_name) || text(object(call.function).name),
      input: argumentsOf(call.arguments ?? object(call.function).arguments),
    }];
    const known = this.#responses.get(id);
    if (known) {
      known.content.push(...parts);
      return [];
    }
    /** @type {import('./assemble.js').AssistantEntry} */
    const entry = { kind: 'assistant', at, content: parts, step: this.#takeUsage() };
    this.#responses.set(id, entry);
    return [entry];
  }

  /** Totals grow by one call between readings; per_turn_token tells when they grew by more. @param {Record<string, any>} event */
  #readStats(event) {
    if (event.key !== 'stats') return;
    const metrics = object(object(event.value).usage_to_metrics);
    const total = object(object(metrics.default ?? metrics.agent).accumulated_token_usage);
    const now = { input: tokens(total.prompt_tokens), output: tokens(total.completion_tokens), cacheRead: tokens(total.cache_read_tokens), cacheWrite: tokens(total.cache_write_tokens) };
    const step = { input: now.input - this.#spent.input, output: now.output - this.#spent.output, cacheRead: now.cacheRead - this.#spent.cacheRead, cacheWrite: now.cacheWrite - this.#spent.cacheWrite };
    this.#spent = now;
    if (step.input + step.output === 0) return;
    this.#pending = { model: text(total.model) || undefined, usage: step.input + step.output === total.per_turn_token ? usageOf(step) : undefined };
  }

  #takeUsage() {
    const pending = this.#pending;
    this.#pending = {};
    return pending;
  }

  /** @param {string} system @param {any[]} tools @returns {Entry[]} */
  #prompt(system, tools) {
    this.system = system || this.system;
    this.tools = tools.map((tool) => ({ name: text(object(object(tool).function).name) || text(object(tool).name) || text(object(tool).title), schema: tool, source: 'openhands' })).filter(({ name }) => name !== '');
    return [];
  }

  /**
   * The view without the forgotten events, the summary at its offset: exactly what the log's own window became.
   * @param {Set<unknown>} forgotten @param {Record<string, any>} condensation @param {number} at @returns {null}
   */
  #condense(forgotten, { summary, summary_offset: offset }, at) {
    if (forgotten.size === 0 && !summary) return null;
    this.#view = this.#view.filter(({ id }) => !forgotten.has(id));
    if (text(summary) !== '') {
      const place = Number.isInteger(offset) ? Math.min(Math.max(offset, 0), this.#view.length) : 0;
      this.#view.splice(place, 0, { id: `summary ${at}`, items: [{ role: 'user', content: summary }] });
    }
    this.entries.push({ kind: 'fold', at, cause: 'compaction', head: this.#view.flatMap(({ items }) => items) });
    return null;
  }
}

/** @param {Record<string, any>} args @param {Viewed[]} view */
function forgottenIn(args, view) {
  if (Array.isArray(args.forgotten_event_ids)) return new Set(args.forgotten_event_ids);
  const { forgotten_events_start_id: from, forgotten_events_end_id: to } = args;
  return new Set(view.map(({ id }) => id).filter((id) => typeof id === 'number' && id >= from && id <= to));
}

/** @param {string} words @param {unknown} urls */
function withImages(words, urls) {
  const images = list(urls).flatMap((url) => urlPart(url) ?? []);
  return images.length > 0 ? [{ type: 'text', text: words }, ...images] : words;
}
