import type { Session } from './readers/index.js';

export interface ReplayStep {
  /** Number of the model call, from 0. */
  index: number;
  /** Index of its assistant row in the session's rows. */
  row: number;
  /** Estimated tokens of the raw list before this call. */
  before: number;
  /** Estimated tokens of the view that would have been sent; above usable where no view could be made. */
  after: number;
  /** Results that became stubs at this step. */
  evicted: number;
  /** Results that were shortened at this step. */
  clamped: number;
  /** Rows that went behind a group line at this step. */
  dropped: number;
  /** Rows that went into a digest at this step. */
  digested: number;
  /** Rows that went into a summary at this step. */
  folded: number;
  /** Tokens shared with the view before: what a prefix cache can serve. */
  prefix: number;
  /** `0.1 · prefix + 1.25 · rest`, in input tokens. */
  cost: number;
}

export interface ReplayTotals {
  maxBefore: number;
  maxAfter: number;
  /** Results that became stubs. */
  evictions: number;
  /** Results that were shortened. */
  clamps: number;
  /** Rows that went behind a group line. */
  drops: number;
  /** Rows that went into a digest. */
  digests: number;
  folds: number;
  /** Tokens that evictions freed, net of their stubs. */
  reclaimed: number;
  /** Steps whose view does not begin with the view before. */
  cacheBreaks: number;
  cost: number;
  /** The same for the raw lists. */
  costFull: number;
  /** Steps whose request could not fit the usable window. */
  over: number;
  /** Handles named in any view, and those whose bytes came back from the store as they were. */
  handles: { offered: number; verified: number };
}

export interface Violation {
  step: number;
  /** Number of the invariant: 1, 2, 3, 4, 5, 8, 9, 13, 14 or 16. */
  invariant: number;
  /** Names rows and numbers, never their text. */
  detail: string;
}

export interface ReplayReport {
  file: string | null;
  format: string;
  window: number;
  config: object;
  /** What a provider would have rejected in the log and was healed before the replay; steps count the healed rows. */
  repaired?: { rule: string; at: number; did: string }[];
  steps: ReplayStep[];
  totals: ReplayTotals;
  violations: Violation[];
}

export interface ReplayOptions {
  /** Tokens; default what the log states. */
  window?: number;
  /** Tokens kept free for the answer; default 4,096. */
  maxOutput?: number;
  /** As in `open`. */
  config?: object;
  /** `true` folds with a briefing made by rule, the same every time; a function is the summarizer itself. */
  summarize?: boolean | ((request: any) => { text: string; finishReason?: string } | Promise<{ text: string; finishReason?: string }>);
  /** Goes into the report. */
  file?: string;
  /** Checked before each step. */
  signal?: AbortSignal;
  /** Called after each step, with what `inspect()` says there and what `next` returned (absent where the request could not fit). */
  onStep?(step: ReplayStep, at: { index: number; total: number; inspection: any; next: any }): void;
  /** Another entry's `open`, where the wasm comes another way. */
  open?(options: any): Promise<any>;
}

/**
 * What the cascade would have done in a recorded session: `next` before each model call, every view checked.
 * @throws {Error} CascadeError `bad_input` without a window, `bad_config` for a config the core refuses
 */
export function replaySession(session: Session, options?: ReplayOptions): Promise<ReplayReport>;

/** `0.1 · shared + 1.25 · (total − shared)`. */
export function requestCost(shared: number, total: number): number;
