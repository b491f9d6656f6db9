// The public contract of `gentle-cascade`. The same names are in every entry.
import type { CacheAccount, CascadeEvent, Config, Format, Frame, Host, Inspection, Message, Model, Occupancy, Op, Outcome, Prefix, State } from './types.js';

export type * from './types.js';

/** Loads the wasm. Needed in `gentle-cascade/web` and `/slim`; here it is ready at import and this does nothing. */
export function init(): Promise<void>;

/** The version of the package and of its core. */
export function version(): string;

export interface OpenOptions {
  /** Names the conversation: the key of its state and outputs in the host's stores. */
  transcript: string;
  model: Model;
  /** @default detected from the messages */
  format?: Format;
  /** @default {} : nothing is stored, and the session's state is yours to keep */
  host?: Host;
  config?: Config;
  /** A state kept by a host without `load`; it wins over the host's. */
  state?: State;
}

/**
 * Opens a conversation: one read of the host's store.
 *
 * @throws {CascadeError} `bad_input`, `bad_config`; a rejection of `host.load` comes through as the same object
 * @example
 * const c = await open({ transcript: 'chat-1', model: 'claude-sonnet-4-5', host: memoryStore() });
 * const { view } = await c.next({ messages });
 * // … send `view`, then:
 * await c.settle({ usage });
 */
export function open(options: OpenOptions): Promise<Cascade>;

export interface NextInput<M extends Message = Message> {
  /**
   * All rows as the host recorded them (since the boundary), never an earlier view. A row of role `user` that no person
   * wrote (a reminder, the environment) may say so in `providerOptions` (display messages: `metadata`):
   * `{ 'gentle-cascade': { origin: 'host' } }`. It begins no turn and is not kept as an order.
   */
  messages: readonly M[];
  /**
   * Where each row is stored: whole numbers that increase from round to round; null for a row that is not stored yet.
   * @default the index in `messages`, which then must always be the whole conversation
   */
  positions?: readonly (number | null | undefined)[];
  /** What surrounds the messages. @default the one given last */
  frame?: Frame;
  /** Milliseconds since the last response: after `prices.ttlSeconds` the cache is cold, and relief costs nothing. */
  idleMs?: number;
  signal?: AbortSignal;
}

export interface Next<M extends Message = Message> {
  /** The messages to send. */
  view: M[];
  /** The same as edits over `messages`; see `apply`. */
  recipe: Op[];
  /** The system text, and the names of the tools in the order to send them. */
  frame: { system?: string; tools: string[] };
  occupancy: Occupancy;
  /** What `messages` would weigh if nothing had been relieved. */
  before: number;
  /** One per stage that was due. */
  outcomes: Outcome[];
  events: CascadeEvent[];
  prefix: Prefix;
  /** What an eviction that was due costs and saves at the host's `prices`; absent without them. */
  cache?: CacheAccount;
  /** A fold that can be made now: hand `run()` to `waitUntil`, or to nobody. It never rejects a view. */
  background?: { ticket: unknown; run(): Promise<CascadeEvent[]> };
  /** Rows for the host to store (a chapter's brief). */
  record?: M[];
  /** How many messages of `host.pending` the view ends with. */
  pending?: number;
}

export interface ToolResult {
  /** What to record as the tool's result: the same value, or a shorter one in the same form. */
  output: unknown;
  clamped: boolean;
  /** Reads the full output back. */
  handle?: string;
}

/** What a response told. */
export interface Settled {
  occupancy: Occupancy;
  /** As known from now on. */
  window: Inspection['window'];
  events: CascadeEvent[];
  /** The request was too long: who said so, the window in force, and the size of the refused request, exact where it was told. */
  overflow?: { provider: string; window: number; requested: number; provenance: Occupancy['provenance'] };
  /** A fold that can be made now; as in `Next`. */
  background?: Next['background'];
}

/** A tool for the model, in the shape the AI SDK and most others take. */
export interface ReadToolOutput {
  readonly name: 'read_tool_output';
  readonly description: string;
  /** JSON Schema of the input. */
  readonly inputSchema: object;
  /** A page of a stored output; an unknown id is answered in words. `offset` and `limit` in UTF-16 code units. */
  execute(input: { id: string; offset?: number; limit?: number; grep?: string }, options?: { signal?: AbortSignal }): Promise<string>;
}

/**
 * One conversation. Calls run one at a time, in the order they came; after `close` they are refused with code `closed`.
 * A call that is aborted rejects with the signal's reason and changes nothing.
 */
export interface Cascade {
  /**
   * The view to send, before each model call. The same input gives the same bytes and calls no callback.
   * @throws {CascadeError} `bad_input`, `view_recorded`, `budget_impossible`, `stale_store`
   */
  next<M extends Message>(input: NextInput<M>): Promise<Next<M>>;
  /**
   * After each response: moves the gauge. `usage` in any provider's shape; only one step's, never a sum. `error`: what the
   * provider refused the request with; where it says that the request was too long, the window is learned from it.
   */
  settle(input?: { messages?: readonly Message[]; usage?: object; error?: unknown; signal?: AbortSignal }): Promise<Settled>;
  /** When a tool ran: redact, store, shorten; what comes back is what to record. */
  result(input: { callId: string; tool: string; input?: unknown; output: unknown }, options?: { signal?: AbortSignal }): Promise<ToolResult>;
  /** Relief on request: a fold where one can be made, else a digest. `chapter` begins a new one with `brief`. */
  compact<M extends Message>(input: NextInput<M> & { at?: 'now' | 'chapter'; brief?: string; focus?: string }): Promise<Next<M>>;
  /** `[]`, or the tool that reads outputs back: give it to the model. */
  readonly tools: readonly ReadToolOutput[];
  /**
   * What fills the window and what became of each row. `cuts: false` leaves the cuts out; `rows` adds what each row weighs;
   * `scale` makes the buckets sum to the total, without overhead and items. @default { cuts: true, rows: false, scale: false }
   */
  inspect(what?: { cuts?: boolean; rows?: boolean; scale?: boolean }): Inspection;
  /**
   * Changes what counts from the next `next` on; on an error nothing changes.
   * `pin`: positions of rows that stay; `orderKeys`: topics of user messages by position, a newer one replaces an older.
   * @throws {CascadeError} `bad_config`, `bad_input`
   */
  set(patch: { config?: Config; model?: Model; frame?: Frame; pin?: readonly number[]; orderKeys?: Record<string, string>; promote?: readonly string[] }): void;
  /** Takes back folds and decisions after a row. */
  rewind(input: { to: number }): Promise<unknown>;
  /** Shows the rows of a fold again. */
  unfold(input: { id: string }): Promise<unknown>;
  /** Another conversation that begins with the rows up to `at`; raw outputs are copied, positions go through `map`. */
  fork(input: { to: string; at: number; map?: Record<number, number> | Map<number, number> | ((position: number) => number); host?: Host }): Promise<Cascade>;
  /** A fresh start on the same rows; with `all` nothing at all is remembered. */
  forget(input?: { all?: boolean }): Promise<unknown>;
  /** Facts that wait for the user's answer. */
  readonly suggestions: readonly { id: string; scope: string; facts: string[] }[];
  /** Writes facts with `host.addFact`, each through `sanitizeFact`. */
  accept(input: { id?: string; facts?: readonly string[]; scope?: string }): Promise<{ facts: string[] }>;
  /** Lets a suggestion go; its facts are not suggested again. */
  reject(input: { id: string }): Promise<unknown>;
  /** The durable state, for hosts without a store. */
  readonly state: State;
  /** Frees the wasm side. What is running ends; everything else is refused. */
  close(): void;
  [Symbol.dispose](): void;
}

/** Lays a recipe over messages: untouched ones are the same objects, a changed one is a copy of its class. */
export function apply<M extends Message>(messages: readonly M[], recipe: readonly Op[]): M[];

/** What the package's table knows of a model. */
export function lookUpModel(id: string): { id: string; provider: string; window: number; maxOutput: number; reasoningBinding?: string } | undefined;

/**
 * - `bad_input` an argument, or an answer of the host, is not what was expected
 * - `bad_config` an unknown knob (the message names the nearest one) or a value out of range
 * - `view_recorded` `messages` holds what an earlier view handed out
 * - `budget_impossible` the request cannot fit; fields `bound`, `tokens`, `limit`, `over`, `change`
 * - `stale_store` the store answered with an older version than before
 * - `unaccounted_row` a plan did not say what becomes of some row (a defect)
 * - `timeout` a method of the host did not answer in time
 * - `closed` the session was closed
 * - `internal_error` the core broke; reopen the session from its state, others are not affected
 */
export type ErrorCode = 'bad_input' | 'bad_config' | 'view_recorded' | 'budget_impossible' | 'stale_store' | 'unaccounted_row' | 'timeout' | 'closed' | 'internal_error';

/** An error of this package. Its message never holds what a user, a model or a tool said. */
export class CascadeError extends Error {
  constructor(code: ErrorCode | (string & {}), message: string, fields?: Record<string, unknown>);
  readonly name: 'CascadeError';
  readonly code: ErrorCode | (string & {});
  /** Of `budget_impossible`: what takes the room. */
  readonly bound?: string;
  /** Of `budget_impossible`: tokens over the limit. */
  readonly over?: number;
  /** Of `budget_impossible`: the smallest changes that would help. */
  readonly change?: { window?: number; maxOutput?: number; rowChars?: number };
}

/** By name and code, so that it also works when two copies of the package are loaded. */
export function isCascadeError(value: unknown): value is CascadeError;

/** A tool of the package as the format's own tool definition; `read_tool_output` is in `Cascade.tools`. */
export function toolDefinition(tool: { name: string; description: string; inputSchema: object }, format: string): object;

/**
 * Makes the fold of a `background.ticket` in another process (a queue consumer, an alarm). The host needs
 * `load`, `commit`, `rows` and `summarize`.
 *
 * @returns the events of the fold; it is `stale` when the covered rows are no longer those of the ticket
 */
export function runFold(ticket: unknown, host: Host): Promise<unknown>;
