// The data that passes between a host and the package. Everything but messages is plain JSON; tokens are whole
// numbers, fractions are of the model's window, texts are measured in UTF-16 code units unless a name says bytes.

/** A message of the host, in its own format. Nothing of it is changed; untouched ones come back as the same object. */
export type Message = object;

/**
 * How the messages are shaped: the AI SDK's ModelMessage (v5 to v7, provider prompts V2 to V4) or UIMessage, Anthropic
 * Messages, OpenAI Chat messages or Responses items, Gemini contents. Detected where not named.
 */
export type Format = 'ai-sdk' | 'ai-sdk-ui' | 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini';

/**
 * The model. A string is looked up in the package's table (see `lookUpModel`); unknown models get an assumed window of
 * 128,000 tokens, marked as assumed wherever it is shown.
 */
export type Model =
  | string
  | {
      /** The model's name as the provider knows it; may be left out where `window` is given. */
      id?: string;
      provider?: string;
      /** Tokens of the window. */
      window?: number;
      /** Most tokens of one response: the output reserve, at most half of the window. @default the table's, else 4,096 */
      maxOutput?: number;
      /** Window to assume where nobody knows it. @default 128,000 */
      assumedWindow?: number;
    };

/** A tool the model can call, or could once it is loaded. */
export interface FrameTool {
  name: string;
  /** Where it comes from; tools of `core` or `builtin` stand first, the others by source. */
  source?: string;
  /** For the estimate, where `schema` holds the parameters alone. */
  description?: string;
  /** What of it is sent: a definition of any SDK, or its parameters; only its size is kept. */
  schema?: unknown;
  /** Available but not loaded: shown in the breakdown, not counted. */
  deferred?: boolean;
}

/** What surrounds the messages. */
export interface Frame {
  system?: string;
  /**
   * The index of what could be loaded, as it stands in the system prompt: a text, or a list by name, which the breakdown
   * then shows name by name. Skills are such entries; their bodies arrive as results of the host's own tool.
   */
  index?: string | readonly { name: string; description?: string; [more: string]: unknown }[] | object;
  tools?: readonly FrameTool[];
  /** Options of the request that cost tokens with some providers; they make the estimate closer and change nothing else. */
  toolChoice?: string | { type?: string; [more: string]: unknown };
  /** Extended thinking switched on: the request's own option, or `true`. */
  thinking?: boolean | { type?: string; [more: string]: unknown };
  /** What the answer is bound to: a schema, or the request's option that holds one. */
  format?: object;
  /** Memory, todos and the like: captured once, again at a fold or when it is set. */
  context?: readonly { kind: string; text: string }[];
  /** Whose facts these are, where facts are lifted out. */
  agent?: string;
}

/** Where a number comes from: counted by the provider, counted plus an estimate of what was added, or estimated. */
export type Provenance = 'exact' | 'anchored' | 'estimated';

/** Tokens in the window now. Thresholds, gauge and breakdown read this one number. */
export interface Occupancy {
  tokens: number;
  provenance: Provenance;
}

/** One edit of the recipe, in view order. `to` is exclusive; every index of the list is in exactly one. */
export type Op =
  | { keep: [from: number, to: number] }
  | { edit: number; set?: { path: (string | number)[]; value: unknown }[]; append?: object[] }
  | { drop: [from: number, to: number] }
  | { insert: Message; origin: string };

/** How a stage that was due ended. `detail` is for people. */
export interface Outcome {
  stage: string;
  outcome: 'done' | 'declined' | 'deferred';
  /** Why it was declined, as a stable word: `below_minimum`, `no_progress`, `unavailable`, `stale` … */
  reason?: string;
  until?: 'turn' | 'response';
  detail?: string;
}

/** How much of this view the provider has seen before, byte for byte. */
export interface Prefix {
  tokens: number;
  /** UTF-8 bytes of the measured texts. */
  bytes: number;
  /** The first difference: a row of the list, or a part of the frame; `name` is the tool it happened to. */
  brokenBy?: { at: number | 'system' | 'tools'; cause: string; name?: string };
}

/** The account of an eviction, in tokens at the price of an uncached input token. */
export interface CacheAccount {
  /** Tokens behind the first edit, which the provider writes into its cache again. */
  rewritten: number;
  /** What that costs. */
  cost: number;
  /** What every later request costs less. */
  saving: number;
  /** Requests after which it has paid for itself; absent when it never does. */
  breakEven?: number;
  /** What carrying the old results has cost since the last eviction. */
  carried: number;
  /** The cache has expired, so that the edit costs nothing. */
  cold: boolean;
}

/** A part of a bucket; the parts sum to it. */
export interface BreakdownItem {
  label: string;
  tokens: number;
  /** What it is made of, where that is more than one thing (the tools of a source); sums to `tokens`. */
  items?: BreakdownItem[];
}

export interface Bucket {
  id: 'system' | 'index' | 'tools' | 'deferred' | 'context' | 'messages' | 'attachments' | (string & {});
  label: string;
  tokens: number;
  items?: BreakdownItem[];
  /** `false` for what is shown but not in the window. */
  summed?: boolean;
}

/** What fills the window. The summed buckets and the overhead are the total, exactly. */
export interface Breakdown {
  buckets: Bucket[];
  /** Total minus what was measured, signed: what the provider adds, or what the estimate got wrong. */
  overhead: number;
  total: number;
  window: number;
  /** Window minus output reserve. */
  usable: number;
  /** Room below usable, never negative. */
  free: number;
  /** Of the window, unrounded; may exceed 100. Null while nothing is known (`unknown`), and while the window is a guess that a larger request proved wrong. */
  percent: number | null;
  provenance: Provenance;
  /** Tokens relieved so far, net of what stands in their place; not in the total. */
  reclaimed: number;
  /** The same by stage (`evict`, `fold` …). */
  reclaimedBy?: Record<string, number>;
  /** What the next relief would do. */
  nextRelief?: NextRelief;
  /** Nobody has counted since the history changed (fold, branch): `total` is an estimate to act on, not one to show. */
  unknown?: boolean;
  /** The buckets were scaled so that they sum to the total. */
  scaled?: boolean;
  thresholds: { evict: number; soft: number; hard: number };
  /** The window is a guess. */
  assumed?: boolean;
}

/** What the next eviction would do, planned as it would be planned. */
export interface NextRelief {
  stage: 'evict';
  /** Occupancy it acts from. */
  atTokens: number;
  /** Net tokens it would free. */
  reclaimedTokens: number;
  /** Results that would become stubs. */
  resultCount: number;
}

/** A row in the window, part by part; the parts sum to it. */
export interface RowWeight {
  /** Index in the list. */
  index: number;
  position?: number;
  /** Tokens in the view, corrected like the breakdown; 0 for what is not sent. */
  tokens: number;
  parts: { kind: 'system' | 'user' | 'assistant' | 'reasoning' | 'call' | 'result' | 'media' | 'other'; tool?: string; tokens: number }[];
}

/** What became of a row. */
export interface LedgerEntry {
  /** Index in the list. */
  index: number;
  position?: number;
  state: 'kept' | 'clamped' | 'evicted' | 'folded' | 'dropped' | 'digested' | 'pinned' | 'elided';
  /** The fold or block that stands for it. */
  id?: string;
  /** How `read_tool_output` reads hidden bytes back. */
  handle?: string;
  /** Why they cannot be read back. */
  loss?: Loss;
  /** The results one by one, where a row holds several. */
  parts?: { part: number; state: LedgerEntry['state']; handle?: string; loss?: Loss }[];
}

/** Why hidden bytes are gone: no raw store, over its limit, redacted, or `toolOutput.persistRaw` is off. */
export type Loss = 'no_store' | 'over_cap' | 'redacted' | 'persist_off';

export interface Thresholds {
  window: number;
  usable: number;
  /** Evict starts at or above this … */
  evict: number;
  /** … and goes down to this. */
  to: number;
  /** A fold is made in the background. */
  soft: number;
  /** A fold is waited for; rules relieve where there is none. */
  hard: number;
  digest: number;
  /** What is larger cannot be sent. */
  limit: number;
}

/** Everything a person may want to see, as plain JSON. */
export interface Inspection {
  occupancy: Occupancy;
  window: { tokens: number; source: 'host' | 'table' | 'learned' | 'assumed'; model: string };
  thresholds: Thresholds;
  breakdown: Breakdown;
  /** What the next eviction would do; absent while there is nothing worth evicting. */
  nextRelief?: NextRelief;
  ledger: LedgerEntry[];
  /** What each row weighs; with `rows: true`. */
  rows?: RowWeight[];
  /**
   * What is odd: `orphan_result`, `unanswered_call`, `duplicate_result` in the list; `evicted_targets` (paths whose results
   * became stubs), `boundary_snapped`, `tail_over_budget`, `opaque_run`; of the provider's counts `inconsistent_usage` (they
   * contradict themselves), `overhead_drift` (what the messages do not show jumped: something hidden came or went) and
   * `truncated_by_server`; `limit_exceeded`.
   */
  findings: { kind: string; at: number; detail?: string; calls?: string[] }[];
  /** Kinds of session context whose source has changed since it was captured; the next fold takes it up. */
  stale: string[];
  /** How texts are weighed: by an encoding whose vocabulary is loaded (`o200k_base` …), `classes` or `chars4`; then the learned factors. */
  estimate: { counter: string; ratio: number; overhead?: number };
  /** Where the history may be cut, and which rule forbids every other place; absent with `cuts: false`. */
  cuts?: { safe?: number; legal: number[]; illegal: { at: number; rule: string; why: string }[]; reason?: string; [more: string]: unknown };
}

interface Numbered {
  /** Version of the payload. */
  v: 1;
  /** Counts up within one session. */
  seq: number;
  /** Whether it belongs into the host's history. */
  persist: boolean;
}

/** The gauge and what fills it; what the panel is fed with. */
export interface UsageEvent extends Numbered {
  type: 'context.usage';
  contextLimit: number;
  used: number;
  free: number;
  autocompactBuffer: number;
  /** Whether any of it is estimated. */
  approximate: boolean;
  segments: { category: string; label: string; tokens: number; items?: BreakdownItem[]; summed?: boolean }[];
  overhead: number;
  provenance: Provenance;
  usable: number;
  reclaimed?: number;
  thresholds: { evict: number; soft: number; hard: number };
  assumed?: boolean;
}

/** Results became stubs. */
export interface EvictedEvent extends Numbered {
  type: 'context.evicted';
  /** Net, more than 0. */
  reclaimedTokens: number;
  resultCount: number;
  /** Paths and the like that the results were about: drop read caches for them. */
  targets: string[];
  /** The evicted results one by one, by the id of their call; `target` is what it was about. */
  results: { toolCallId: string; toolName: string; target?: string }[];
}

/** Folding began, ended, or was declined. */
export type FoldEvent = Numbered &
  (
    | { type: 'context.folding'; reason: string; tokens: number }
    | { type: 'context.folded'; id: string; reason: string; before: number; after: number; covered: number; warnings?: ('no_headings' | 'changed_identifiers')[] }
    | { type: 'context.declined'; stage: string; reason: string }
  );

/** What happened. More types may come; ignore what you do not know. */
export type CascadeEvent = UsageEvent | EvictedEvent | FoldEvent;

/** Opaque: store it, hand it back. `boundary` is the last position a fold covers; rows after it are what `messages` must hold. */
export interface State {
  readonly v: number;
  readonly boundary: number | null;
  readonly [more: string]: unknown;
}

/** A deep part of something. */
type Patch<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]?: Patch<T[K]> | null } : T;

/** Every knob. All are optional; `null` puts one back to its default; an unknown one is an error that names the nearest. */
export type Config = Patch<Settings>;

interface Settings {
  /** Old tool results become stubs. */
  eviction: {
    /** @default true */
    enabled: boolean;
    /** Occupancy it acts from. @default 0.5 */
    atFraction: number;
    /** Occupancy it goes down to in one batch. @default half of `atFraction` */
    toFraction: number;
    /** Newest closed rounds with results that stay whole. @default 3 */
    keepRecentRounds: number;
    /** Net tokens a pass must free, else it does not act. @default 2,000 */
    clearAtLeast: number;
    /** Smaller results stay. @default 200 */
    minResultTokens: number;
    /** Tools whose newest result stays. @default [] */
    protect: string[];
    /** Whether long arguments of old calls are shortened, too: in AI SDK and OpenAI Chat messages, and where no reasoning is bound. @default false */
    inputs: boolean;
    /** Newest rounds that stay whole once occupancy is at the hard threshold. @default keepRecentRounds */
    keepAtHard: number;
    /** Whether the oldest rounds may go behind one line at the hard threshold. @default false */
    rounds: boolean;
  };
  /** Part of the same pass: a result that a newer one repeats goes first. */
  dedupe: {
    /** @default true */
    enabled: boolean;
    /** Tools whose newer result replaces an older one on the same target. @default [] */
    supersede: string[];
  };
  /** Old rounds become a briefing by the host's summarizer; nothing without one. */
  summarize: {
    /** @default true */
    enabled: boolean;
    /** Occupancy a fold is made from, in the background. @default 0.6 */
    softFraction: number;
    /** Occupancy `next` waits for it at. @default 0.9 */
    hardFraction: number;
    /** `false` folds in the call, at the soft threshold. @default true */
    background: boolean;
    /** Newest messages that stay verbatim. @default 8 */
    keepRecent: number;
    /** Newest closed assistant rounds that stay verbatim. @default 2 */
    keepRounds: number;
    /** Upper bound of the verbatim tail in tokens. @default min(20,000, soft / 2) */
    tailTokens: number;
    /** Lowers both thresholds to this many tokens. @default absent */
    ceilingTokens: number;
    /** Longer briefings are condensed. @default 4,000 */
    reflectTokens: number;
    /** The summarizer's own window in tokens. @default the model's */
    window: number;
    /** Thresholds of single models by id, in place of the ones above; `null` takes an entry away. @default {} */
    models: { [id: string]: { softFraction?: number; hardFraction?: number; ceilingTokens?: number } | null };
  };
  /** The cap on one tool result. */
  toolOutput: {
    /** UTF-16 code units, marker included. @default 24,000 */
    maxChars: number;
    /** Most tokens of a result, counted exactly where the model's vocabulary is loaded; the smaller of the two caps holds. Absent by default. */
    maxTokens: number;
    /** Whether full outputs go to `host.raw`. @default true */
    persistRaw: boolean;
    /** Longest stored output in UTF-8 bytes. @default 2,000,000 */
    rawCapBytes: number;
  };
  /** Relief by rule at the hard threshold, where no fold is possible. @default true */
  cascade: { enabled: boolean };
  /** The digest inside one very long turn. @default 0.95 */
  digest: { atFraction: number };
  /** The `<plan>` at the end after a fold. @default false */
  recitation: { enabled: boolean };
  /** Facts that `host.extract` finds in rows before they are folded: written at once, or suggested to the user. @default 'off' */
  memoryPromotion: { mode: 'off' | 'suggest' | 'auto' };
  /** The event `context.handoff_suggested` at the end of a task, from this occupancy on. @default false, 0.7 */
  handoffNudge: { enabled: boolean; atFraction: number };
  /** Older messages brought back for a new question, once per turn. @default false, 'semantic', 0.7, 0.15, 3 */
  retrieval: { enabled: boolean; mode: 'semantic' | 'lexical' | 'auto'; minScore: number; lexicalMinScore: number; maxResults: number };
  /** The user's own messages, kept verbatim when rows go. */
  orders: {
    /** @default true */
    enabled: boolean;
    /** @default min(20,000, a tenth of usable) */
    tokens: number;
  };
  /** Tokens of an image whose size cannot be read. @default 1,600 */
  media: { imageTokens: number };
  /**
   * What a provider limits besides tokens. Above one, eviction replaces the oldest images and files that were read by a
   * text with type, size and handle, down to half of it; requests to the summarizer keep to them. @default {}
   */
  limits: {
    /** Images and files in one request. */
    maxImages: number;
    /** UTF-8 bytes of all texts and media, media as base64. */
    maxRequestBytes: number;
    /** UTF-16 code units of one text, or of one image or file as base64. */
    maxStringChars: number;
  };
  /** How tokens are estimated. */
  estimate: {
    /** Character classes, or ceil(length / 4). @default 'auto' */
    counter: 'auto' | 'classes' | 'chars4';
    /** Tokens the messages do not show, known beforehand. @default learned */
    overhead: number;
    /** Real tokens per estimated token to start from, 0.2 to 5. @default 1 */
    ratio: number;
  };
  /**
   * What tokens cost, in any unit. With it an eviction below the hard threshold waits until carrying the old results has
   * cost twice what writing the rest of the prompt anew costs, or until the cache is cold. @default absent
   */
  prices: {
    /** @default 1 */
    input: number;
    /** @default 0.1 */
    cacheRead: number;
    /** @default 1.25 */
    cacheWrite: number;
    /** Seconds without a request after which the cache is cold; `next` takes `idleMs`. @default 300 */
    ttlSeconds: number;
  };
  /** Longest wait for a fold another call is making, in milliseconds. @default 60,000 */
  hardWaitMs: number;
  /** What the model binds its reasoning blocks to. @default none */
  reasoningBinding: 'none' | 'turn' | 'prefix';
  /**
   * What an edit does to bound reasoning behind it. `strip`: that of closed turns leaves the view with the edit, item ids
   * that need it too; before reasoning of the running turn the edit waits. `providerDrop`: the request tells the provider
   * to drop what no longer fits, so nothing waits and nothing is taken out. `postpone`: the edit waits until no reasoning
   * depends on it. @default strip
   */
  reasoningOnEdit: 'strip' | 'providerDrop' | 'postpone';
}

/** What every host method gets as its last argument. */
export interface HostContext {
  transcript: string;
  /** Aborted when nobody waits any more: the caller's signal, or the deadline. */
  signal: AbortSignal;
}

type Awaitable<T> = T | PromiseLike<T>;

/** Full outputs, scoped to one transcript. */
export interface RawStore {
  /** Stores or replaces. */
  put(key: string, text: string, context: HostContext): Awaitable<unknown>;
  get(key: string, context: HostContext): Awaitable<string | null | undefined>;
  has(key: string, context: HostContext): Awaitable<boolean>;
  /** Copies to another transcript. */
  copy?(to: { to: string; keys: readonly string[] }, context: HostContext): Awaitable<unknown>;
  delete?(keys: readonly string[] | 'all', context: HostContext): Awaitable<unknown>;
}

/**
 * What the package may ask of its surroundings. Every method is optional and may be sync or async; it is called with the
 * host as `this` and given up after its deadline. What is absent, the package does without and says so.
 */
export interface Host {
  /** The stored state and its version, or null for a new conversation. */
  load?(context: HostContext): Awaitable<{ blob: unknown; version: number } | null | undefined>;
  /** Writes the state if the stored version is still `expect` (null: nothing is stored yet), in one atomic step. */
  commit?(input: { blob: string; expect: number | null }, context: HostContext): Awaitable<{ version: number } | 'conflict'>;
  raw?: RawStore;
  /** Takes secrets out of an output. Sees each full text once; what it changed is never stored. */
  redact?(input: { tool: string; text: string }, context: HostContext): Awaitable<string>;
  /** Makes a briefing; without it there are no folds. */
  summarize?(request: SummarizeRequest, context: HostContext): Awaitable<string | { text: string; finishReason?: string }>;
  /** The host's own blocks, put back verbatim at every fold. */
  authority?(context: HostContext): Awaitable<{ rules?: string | null; quality?: string | null; lessons?: string | null; memory?: string | null } | null | undefined>;
  /** What was typed while a fold was made. */
  pending?(context: HostContext): Awaitable<readonly Message[] | null | undefined>;
  /** The host's durable rows, both ends included. */
  rows?(range: { from: number; to: number }, context: HostContext): Awaitable<readonly { position: number; message: Message }[]>;
  /** Hears every event, in order. A mistake of its own is reported once on the console and stops nothing. */
  onEvent?(event: CascadeEvent): unknown;
}

/** What a summarizer is asked. `system` and `prompt` are ready to send. */
export interface SummarizeRequest {
  kind: 'fold' | 'merge' | 'chunk' | 'reflect';
  tier: 'fast';
  /** Most tokens of the answer. */
  maxTokens: number;
  reason: string;
  /** Occupancy when the fold was planned. */
  tokens: number;
  preserve: string[];
  previous?: string;
  covered: string;
  tail: string;
  system: string;
  prompt: string;
  /**
   * In place of `system` and `prompt`: a user message behind the last view, sent to the same model, which then reads its
   * cached prefix again. The history is not framed as data in this form. Absent where one request is not enough.
   */
  suffix?: string;
}
