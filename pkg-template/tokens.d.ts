/** Full names; `_base` may be left out where a name is passed. */
export type EncodingName = 'o200k_base' | 'o200k_harmony' | 'cl100k_base' | 'p50k_base' | 'r50k_base';
/** A name as it may be passed. */
export type EncodingLike = EncodingName | 'o200k' | 'cl100k' | 'p50k' | 'r50k';

export interface CountOptions {
  /** Which vocabulary counts. Default: the one of `model`, else the first that was loaded. */
  encoding?: EncodingLike;
  /** A model's name, for example `gpt-5` or `openai/gpt-4o`. */
  model?: string;
  /** Whether `<|endoftext|>` and its like are text (the default) or count as the one token they name. */
  special?: 'text' | 'tokens';
  /** Tokens added for each message (roles, separators). Default 0: the texts alone. */
  perMessage?: number;
}

/**
 * Exact number of tokens of a text, or the sum over texts or messages.
 *
 * Of a message every text counts, and the JSON text of calls' inputs and results' outputs; ids, names,
 * roles, images and files do not. Never throws for what a text contains.
 * @throws CascadeError `bad_input` without a loaded vocabulary, for another type, or an unknown encoding
 */
export function count(input: string | readonly string[] | readonly object[], options?: CountOptions): number;

/**
 * Whether a text stays within a limit, without counting much further than that.
 * `tokens` is exact when `within` is true; else it is where counting stopped, above the limit.
 */
export function countUpTo(text: string, limit: number, options?: CountOptions): { within: boolean; tokens: number };

/** Counts a text that grows at its end. */
export interface TextCounter {
  /** Adds to the text, wherever it was cut. */
  add(text: string): TextCounter;
  /** Exact tokens of everything added; reading it is cheap and may happen after every addition. */
  readonly tokens: number;
  /** Gives the memory back; the counter cannot be used afterwards. */
  free(): void;
}
/** A counter at 0. Special tokens are text. */
export function counter(options?: CountOptions): TextCounter;

export interface TruncateOptions extends CountOptions {
  /** Which end stays. Default `head`. */
  from?: 'head' | 'tail' | 'both';
  /** With `both`: the head's share of the tokens, 0 to 1. Default 0.7. */
  share?: number;
  /** With `both`: what stands for the middle; counted in. Default `\n…\n`. */
  marker?: string;
}
/**
 * The longest beginning, end, or both, that has at most `tokens` tokens counted on its own.
 * The text itself when it fits; never half of a surrogate pair.
 */
export function truncateToTokens(text: string, tokens: number, options?: TruncateOptions): string;

/** The encoding of an OpenAI model, with or without a provider prefix; undefined for other models. */
export function encodingFor(model: string): EncodingName | undefined;

/** Whether a vocabulary is there to count with. */
export function hasVocabulary(name: EncodingLike): boolean;

/**
 * Makes an encoding available, in slices that block the event loop for a few milliseconds each.
 * Loading one that is there does nothing.
 * @param bytes the file behind `gentle-cascade/vocab/o200k` (or `cl100k`, `p50k`, `r50k`), or a promise of it
 * @throws CascadeError `bad_input` for anything else
 */
export function loadVocabulary(name: EncodingLike, bytes: Uint8Array | ArrayBuffer | Promise<Uint8Array | ArrayBuffer>): Promise<void>;

/** The same at once, for scripts: blocks for about 20 milliseconds. */
export function loadVocabularySync(name: EncodingLike, bytes: Uint8Array | ArrayBuffer): void;
