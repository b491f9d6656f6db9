import type { Healed, Session } from './readers/index.js';
import type { Breakdown } from './types.js';

export interface InspectStep {
  /** Number of the model call, from 0. */
  index: number;
  /** Index of its assistant row in the session's rows. */
  row: number;
  /** What the provider counted, cached parts included; absent where the log does not say. */
  real?: { input: number; cacheRead: number; cacheWrite: number; output: number };
  /** The gauge just before that count is known, anchored on the one before. */
  estimate: number;
  /** |estimate − real| / real; absent without a count, and where there is no anchor: at the first step and after a compaction. */
  error?: number;
}

export interface InspectReport {
  file: string | null;
  format: string;
  model: string | null;
  rows: number;
  rounds: number;
  turns: number;
  /** Tokens. */
  window: number;
  windowSource: 'log' | 'table' | 'assumed';
  steps: InspectStep[];
  /** Over the steps that have an `error`; null where none has. `ratio`: real per estimated token, as learned. */
  estimate: { medianAbsError: number | null; p95AbsError: number | null; maxAbsError: number | null; ratio: number };
  /** What fills the window at the largest step, as in `inspect().breakdown`. */
  breakdown: Breakdown;
  healed: Healed[];
}

export interface InspectOptions {
  /** Goes into the report. */
  file?: string;
  /** Checked before each step. */
  signal?: AbortSignal;
  /** Called after each step. */
  onStep?(step: InspectStep, at: { index: number; total: number }): void;
  /** Another entry's `open`, where the wasm comes another way. */
  open?(options: any): Promise<any>;
}

/** What fills the window of a recorded session, step by step, in the windows the log itself had. Relieves nothing. */
export function inspectSession(session: Session, options?: InspectOptions): Promise<InspectReport>;
