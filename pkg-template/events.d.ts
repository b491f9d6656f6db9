// The events of a conversation. `host.onEvent` gets each one; `events` of `next`, `settle` and of a
// background run list those of the call. All are plain JSON.

/** What every event carries. */
export interface EventStamp {
  /** Version of the payload. Fields are added within one, never renamed. */
  v: 1;
  /** Rises by one from event to event of one open session. */
  seq: number;
  /** Whether the event belongs into the host's history and should survive a reload. */
  persist: boolean;
}

/** A slice of the window. */
export interface UsageSegment {
  category: string;
  label: string;
  tokens: number;
  /** What it is made of; sums to `tokens`. */
  items?: { label: string; tokens: number }[];
  /** `false`: shown, but not in the window. */
  summed?: false;
}

/** After a settled response. Feeds the panel. */
export interface UsageEvent extends EventStamp {
  type: 'context.usage';
  persist: false;
  /** The window in tokens. */
  contextLimit: number;
  /** Tokens in the window; what was reclaimed is not in it. */
  used: number;
  free: number;
  autocompactBuffer: number;
  /** Whether any of it is estimated. */
  approximate: boolean;
  segments: UsageSegment[];
  /** `used` minus the sum of the segments, signed. */
  overhead: number;
  provenance: 'exact' | 'anchored' | 'estimated';
  usable: number;
  /** Net tokens relieved so far; absent when none were. */
  reclaimed?: number;
  thresholds: { evict: number; soft: number; hard: number };
  /** The window is a guess. */
  assumed?: true;
}

/** A step replaced old results by stubs. Routine: never worth a toast. */
export interface EvictedEvent extends EventStamp {
  type: 'context.evicted';
  persist: false;
  /** Net, more than 0. */
  reclaimedTokens: number;
  /** More than 0. */
  resultCount: number;
  /** What the results were about (paths and the like), so that read caches can be dropped. */
  targets: string[];
  /** The evicted results one by one, by the id of their call; `target` is what it was about. */
  results: { toolCallId: string; toolName: string; target?: string }[];
}

/** At a task boundary with a full window; comes again at every such boundary, the client decides how long to show it. */
export interface HandoffEvent extends EventStamp {
  type: 'context.handoff_suggested';
  persist: false;
  usedFraction: number;
  atFraction: number;
}

/** A fold is being made; a request may wait for it. */
export interface FoldingEvent extends EventStamp {
  type: 'context.folding';
  persist: false;
  reason: string;
  tokens: number;
}

/** A fold is in force. */
export interface FoldedEvent extends EventStamp {
  type: 'context.folded';
  persist: false;
  id: string;
  reason: string;
  before: number;
  after: number;
  covered: number;
  /** The briefing is prose without headings, or its open tasks name what stands nowhere in what it was made from. */
  warnings?: ('no_headings' | 'changed_identifiers')[];
  /** Milliseconds since `context.folding`. */
  ms?: number;
}

/** A fold was begun and not made; history is as it was. */
export interface DeclinedEvent extends EventStamp {
  type: 'context.declined';
  persist: false;
  stage: string;
  reason: string;
  ms?: number;
}

/** Facts worth remembering. `accept({ id })` writes them, `reject({ id })` lets them go. */
export interface SuggestionEvent extends EventStamp {
  type: 'memory.suggestion';
  persist: true;
  id: string;
  scope: string;
  /** At least one; each went through `sanitizeFact`. */
  facts: string[];
}

export type CascadeEvent = UsageEvent | EvictedEvent | HandoffEvent | FoldingEvent | FoldedEvent | DeclinedEvent | SuggestionEvent;

/** Every event type and whether it belongs into the host's history. */
export const EVENTS: { readonly [T in CascadeEvent['type']]: { readonly persist: boolean } };

/** Numbers events; made once per session. For hosts that emit events of their own loop. */
export function stamper(now?: () => number): (event: { type: string }) => EventStamp & { type: string };

/** An event as a data part of an AI SDK message stream; transient unless it is to be kept. */
export function toDataPart<E extends CascadeEvent>(event: E): { type: `data-${string}`; id: string; data: E; transient?: true };

/** An event as the text of one server-sent event. */
export function toSse(event: CascadeEvent): string;

/** The event in a data part, a message of an event source, JSON text or an event; null for anything else. */
export function eventFrom(received: unknown): CascadeEvent | null;
