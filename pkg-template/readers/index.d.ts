/** Messages in the AI SDK's ModelMessage shape, as the readers write them. Plain `ai-sdk` dumps keep whatever parts they hold. */
export interface ReadMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | ReadPart[];
  [other: string]: unknown;
}

export interface ReadPart {
  type: string;
  [field: string]: any;
}

/** Token counts of one model call, in one meaning whatever the log's own. */
export interface Usage {
  /** The whole prompt, cached parts included. Never 0: a log that does not know has no usage. */
  input: number;
  cacheRead?: number;
  cacheWrite?: number;
  /** Reasoning included. */
  output?: number;
  reasoning?: number;
}

export interface Row {
  message: ReadMessage;
  /**
   * Where the durable record stands: 1-based line number (JSONL) or message number (JSON). Never runs backwards and grows
   * from round to round. `null` for a row made up by healing, and for the earlier rounds of a record that holds several.
   */
  position: number | null;
}

/** One model call. */
export interface Step {
  /** Index of its assistant row in `rows`. */
  row: number;
  usage?: Usage;
  model?: string;
  provider?: string;
}

/**
 * How the log's own window was built: the prompt of a call with row `r` is the `head` of the segment with the largest
 * `start <= r`, then `rows[start .. r)`. Starts strictly increase; the first is 0.
 */
export interface Segment {
  start: number;
  /** Empty at the start of a session; after a compaction its summary and the messages it kept (the same objects as the rows). */
  head: ReadMessage[];
  cause: 'start' | 'compaction' | 'truncation' | (string & {});
  /** Window size before the compaction, in tokens, where the log states it. */
  tokensBefore?: number;
}

export type HealedKind =
  /** Calls without a result: an error result stands in their place. */
  | 'unanswered_call'
  /** Calls of a response that was aborted or failed, which nobody ran: left out. */
  | 'broken_off'
  /** A result whose call is not in the log: left out. */
  | 'orphan_result'
  /** A call answered twice: the later answer is kept. */
  | 'duplicate_result'
  /** A result written after a later response: placed behind its call. */
  | 'moved_result'
  /** Rewound or edited-away messages: left out. */
  | 'dropped_branch'
  /** Messages of a sub-agent or another session: left out, they have their own window. */
  | 'sidechain'
  /** An assistant message without content: left out. */
  | 'empty_message'
  /** A message the app wrote itself without calling a model: left out. */
  | 'synthetic_message'
  /** A compaction keeps messages that are not in the file. */
  | 'missing_tail'
  /** The list was compacted before it was stored. */
  | 'compacted_list'
  /** What was cut from the window is recorded in another file. */
  | 'unknown_range'
  /** Reminder records whose prompt text the log does not hold: left out. */
  | 'attachment'
  /** A record, message or block of a type the reader does not know: left out. */
  | 'unknown_record'
  /** The last line is cut off, as after a crash: left out. */
  | 'truncated_line';

export interface Healed {
  kind: HealedKind | (string & {});
  /** Line or message number. */
  at: number;
  /** In plain words, without text from the log. */
  detail: string;
  /** How many records or calls; absent means one. */
  count?: number;
}

export type LogFormat = 'codex' | 'pi' | 'claude-code' | 'opencode' | 'gemini-cli' | 'openhands' | 'swe-agent' | 'cline' | 'langchain';
export type PlainFormat = 'ai-sdk' | 'ai-sdk-ui' | 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini';

export interface Session {
  format: LogFormat | PlainFormat;
  /** The last model of the main conversation. `window` only where the log states it, in tokens. */
  model?: { id: string; provider?: string; window?: number };
  /** The system prompt, where the log holds it. */
  system?: string;
  /** Tools, where the log holds them. `schema` is the definition as it is sent. */
  tools?: { name: string; schema?: unknown; source: string }[];
  /** The live main conversation, whole: compactions of the log are ignored, its summaries are not rows. */
  rows: Row[];
  /** One per assistant row, in order. */
  steps: Step[];
  segments: Segment[];
  /** What did not fit the shape above and what was done about it, by position. */
  healed: Healed[];
  /** Only for plain dumps of messages: the originals, untouched. */
  raw?: { format: PlainFormat; messages: any[] };
}

export interface ReadSessionOptions {
  /** How errors call the file. It plays no part in detection. */
  name?: string;
  /** The format, instead of detection; needed when the messages fit several. */
  format?: LogFormat | PlainFormat;
  /** Which conversation of a file that holds several, 1-based. */
  conversation?: number;
}

/** Names that `format` accepts. */
export const formats: (LogFormat | PlainFormat)[];

/**
 * Reads a session log or a plain list of messages; gzip is inflated. The format is detected by content.
 * Rejects with an `Error` of name `CascadeError` and code `bad_input` when the text is broken, unknown or ambiguous; its
 * message names the line and what was expected, and holds no text from the log.
 */
export function readSession(bytes: Uint8Array | ArrayBuffer | string, options?: ReadSessionOptions): Promise<Session>;

/**
 * The prompt a model call saw, as the log's own window held it.
 * @param row index of the call's assistant row, or `rows.length` for the next prompt
 */
export function promptBefore(session: Session, row: number): ReadMessage[];
