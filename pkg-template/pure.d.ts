// The pieces for hosts with their own loop: no conversation, no host, no await.
import type { Breakdown, Bucket, CacheAccount, CascadeEvent, Config, Format, Frame, LedgerEntry, Loss, Message, Model, Occupancy, Op, Outcome, Prefix, State, Thresholds } from './types.js';

export { apply } from './index.js';

export interface PlanInput<M extends Message = Message> {
  messages: readonly M[];
  /** As in `next`. @default the index */
  positions?: readonly (number | null | undefined)[];
  /** @default detected */
  format?: Format;
  model: Model;
  config?: Config;
  /** Tokens in the window with these messages, if known. @default estimated */
  occupancy?: number;
  /** What the plan before returned, so that its decisions stay. */
  state?: State;
  frame?: Frame;
}

export interface PlanResult<M extends Message = Message> {
  view: M[];
  recipe: Op[];
  occupancy: Occupancy;
  before: number;
  outcomes: Outcome[];
  events: Omit<CascadeEvent, 'v' | 'seq' | 'persist'>[];
  prefix: Prefix;
  cache?: CacheAccount;
  ledger: LedgerEntry[];
  breakdown: Breakdown;
  thresholds: Thresholds;
  /** Full outputs to store before the view is sent; `handle` is what the model will ask for. */
  spill: { handle: string; text: string }[];
  /** For the next plan. */
  state: State;
}

/** What `next` would do, as a value. Evicts and shortens; folds need a conversation. @throws {CascadeError} as `next` */
export function plan<M extends Message>(input: PlanInput<M>): PlanResult<M>;

/** Estimated tokens of a text, of several, or of messages, uncorrected; `rows` sums to `tokens`. */
export function count(input: string | readonly (string | Message)[], options?: { format?: Format; counter?: 'classes' | 'chars4' }): { tokens: number; rows: number[] };

/** A text shortened to `maxChars` UTF-16 code units, marker included; the same string where it fits. @default 24,000 */
export function clamp(text: string, options?: { maxChars?: number; handle?: string; loss?: Loss }): string;

/** One response's usage in any provider's shape. `inputTokens` is the whole prompt, cached parts included; absent means unknown. */
export function readUsage(usage: object): { inputTokens?: number; outputTokens?: number; cacheReadTokens?: number; cacheWriteTokens?: number; reasoningTokens?: number };

/** Buckets against the provider's count. `real` absent: estimated, no overhead. `scale`: they sum to the total. @default false */
export function breakdown(input: { buckets: Bucket[]; real?: number; reclaimed?: number; scale?: boolean; model: Model; config?: Config }): Breakdown;

/** The gauge as text: `ctx 80k/256k`. */
export function gaugeText(total: number, window: number): string;

export interface ValidationFinding {
  /** Stable name of the rule. */
  rule: string;
  /** `E` rejected, `D` dropped, `S` silently altered, `C` costs quality. */
  level: 'E' | 'D' | 'S' | 'C';
  /** Index of the message. */
  at: number;
  part?: number;
  detail: string;
  repairable: boolean;
}

/** Everything the provider or SDK of a format would reject, drop or take badly. @throws {CascadeError} `bad_input` */
export function validate(messages: readonly Message[], format?: Format, options?: { phase?: 'stored' | 'request' }): { findings: ValidationFinding[]; format: string };

/** Heals what can be healed without inventing anything, and says what it did. @throws {CascadeError} `bad_input` */
export function repair<M extends Message>(messages: readonly M[], format?: Format): { messages: M[]; repaired: { rule: string; at: number; did: string }[]; refused?: ValidationFinding[]; format: string };

/** Messages of one format as messages of another; what the target cannot carry is told in `lost`. */
export function convert(messages: readonly Message[], from: Format, to: Format): { messages: any[]; system?: string; lost: { at: number; what: string; why: string }[] };

/** UIMessages as ModelMessages, step by step; unchanged messages give the same objects again. */
export function toModelMessages(messages: readonly object[]): any[];

/** A fact as it may be stored: trimmed, secrets replaced; null when it is refused. */
export function sanitizeFact(fact: string): string | null;

/** A search by words over rows; it keeps no texts. */
export interface LexicalIndex {
  /** Rows in it. */
  readonly size: number;
  /** Takes a row in, or in place of what stood at this position. @param position a whole number of at least 0 */
  add(position: number, text: string): void;
  remove(position: number): void;
  /** Best first, the newer of equals; `score` (0 to 1) is the share of the query that a row holds. @param max default 10 */
  search(query: string, max?: number): { position: number; score: number }[];
  /** The part of a text that answers a query best: one line of at most 240 characters. */
  snippet(text: string, query: string): string;
  /** Gives the memory back; the index cannot be used afterwards. */
  free(): void;
}
/** An index of texts that is searched by words, parts of names and paths, and runs of characters (BM25), in any language. */
export function lexicalIndex(): LexicalIndex;
