// @ts-check
// How providers say that a request was too long, and the numbers they give. Data, written down on 2026-11-30
// from the forms these errors are known to take; not checked against the live services.
// Reads an error in any SDK's wrapping; knows nothing of what is done about it.

/** Codes and finish reasons that say so by themselves. */
const CODES = new Set(['context_length_exceeded', 'model_context_window_exceeded', 'context_window_exceeded', 'string_above_max_length', 'request_too_large', 'prompt_too_long', 'input_too_long', 'exceed_context_size_error']);

/**
 * `window` and `requested` name the groups of the pattern that hold them.
 * @type {{ provider: string, pattern: RegExp, window?: number, requested?: number }[]}
 */
const TEXTS = [
  { provider: 'anthropic', pattern: /prompt is too long: ([\d,]+) tokens > ([\d,]+) maximum/i, requested: 1, window: 2 },
  { provider: 'anthropic', pattern: /input length and `?max_tokens`? exceed context limit: ([\d,]+) \+ ([\d,]+) > ([\d,]+)/i, requested: 1, window: 3 },
  { provider: 'anthropic', pattern: /prompt is too long/i },
  { provider: 'openai', pattern: /maximum context length is ([\d,]+) tokens[^]*?(?:resulted in|you requested|requested about) ([\d,]+) tokens(?: \(([\d,]+) in the messages)?/i, window: 1, requested: 2 },
  { provider: 'openai', pattern: /maximum context length is ([\d,]+) tokens/i, window: 1 },
  { provider: 'openai', pattern: /input exceeds the context window of this model/i },
  { provider: 'openai', pattern: /requested tokens? \(?([\d,]+)\)? exceed(?:s)? (?:the )?context window (?:of|\()\s?([\d,]+)/i, requested: 1, window: 2 },
  { provider: 'google', pattern: /input token count \(?([\d,]+)\)? exceeds the maximum number of tokens allowed \(?([\d,]+)\)?/i, requested: 1, window: 2 },
  { provider: 'google', pattern: /exceeds the maximum number of (?:input )?tokens/i },
  { provider: 'bedrock', pattern: /input is too long for requested model/i },
  { provider: 'bedrock', pattern: /too many (?:input )?tokens/i },
  { provider: 'groq', pattern: /reduce the length of the messages or completion/i },
  { provider: 'mistral', pattern: /prompt contains ([\d,]+) tokens[^]*?(?:maximum|limit|length)[^]*?([\d,]+)/i, requested: 1, window: 2 },
  { provider: 'mistral', pattern: /too large for model with ([\d,]+) maximum context length/i, window: 1 },
  { provider: 'cohere', pattern: /too many tokens: [^]*?(?:total|size)[^]*?([\d,]+)[^]*?(?:limit|max(?:imum)?)[^]*?([\d,]+)/i, requested: 1, window: 2 },
  { provider: 'xai', pattern: /maximum prompt length is ([\d,]+) but the request contains ([\d,]+) tokens/i, window: 1, requested: 2 },
  { provider: 'together', pattern: /`?inputs`? tokens \+ `?max_new_tokens`? must be <= ([\d,]+)\.[^]*?([\d,]+) `?inputs`? tokens/i, window: 1, requested: 2 },
  { provider: 'llama.cpp', pattern: /request \(([\d,]+) tokens\) exceeds the available context size \(([\d,]+) tokens\)/i, requested: 1, window: 2 },
  { provider: 'llama.cpp', pattern: /exceeds the available context size/i },
  { provider: 'vllm', pattern: /maximum (?:model|context) length (?:of|is) ([\d,]+)/i, window: 1 },
  { provider: 'lm studio', pattern: /greater than the context length/i },
  { provider: 'openrouter', pattern: /this endpoint'?s maximum context length is ([\d,]+) tokens[^]*?requested about ([\d,]+)/i, window: 1, requested: 2 },
  { provider: 'minimax', pattern: /context window exceeds limit(?: \(?([\d,]+)\)?)?/i, window: 1 },
  { provider: 'moonshot', pattern: /exceeded model token limit: ([\d,]+)(?: \(requested: ([\d,]+)\))?/i, window: 1, requested: 2 },
  { provider: 'copilot', pattern: /prompt token count of ([\d,]+) exceeds the limit of ([\d,]+)/i, requested: 1, window: 2 },
  { provider: 'ollama', pattern: /prompt too long; exceeded (?:max )?context length/i },
  { provider: 'any', pattern: /context(?: |_)?(?:window|length)[^.]{0,40}(?:exceeded|too (?:long|large))/i },
];

/** Texts that look alike and mean something else: rate limits count tokens too. */
const NOT = /rate.?limit|tokens per (?:minute|day)|\bTPM\b|quota|throttl/i;

/**
 * What an error says about the window, or undefined when it is about something else.
 *
 * @param {unknown} error an error of any SDK, its body, or a text; a finish reason too
 * @returns {{ provider: string, window?: number, requested?: number } | undefined}
 */
export function readOverflow(error) {
  const { texts, codes } = gather(error);
  const text = texts.join('\n');
  if (NOT.test(text) && !codes.some((code) => CODES.has(code))) return undefined;
  for (const { provider, pattern, window, requested } of TEXTS) {
    const found = pattern.exec(text);
    if (!found) continue;
    const read = (/** @type {number | undefined} */ group) => number(group === undefined ? undefined : found[group]);
    const [w, r] = [read(window), read(requested)];
    return { provider, ...(w === undefined ? {} : { window: w }), ...(r === undefined ? {} : { requested: r }) };
  }
  return codes.some((code) => CODES.has(code)) ? { provider: 'any' } : undefined;
}

/** @param {string | undefined} digits */
function number(digits) {
  const n = digits === undefined ? NaN : Number(digits.replaceAll(',', ''));
  return Number.isSafeInteger(n) && n > 0 && n < 2 ** 31 ? n : undefined;
}

/** Messages and codes, wherever the SDK put them; a getter that throws is left out. @param {unknown} error */
function gather(error) {
  /** @type {string[]} */
  const texts = [];
  /** @type {string[]} */
  const codes = [];
  /** @type {[unknown, number][]} */
  const todo = [[error, 0]];
  const seen = new Set();
  while (todo.length > 0 && seen.size < 64) {
    const [value, depth] = /** @type {[any, number]} */ (todo.shift());
    if (typeof value === 'string') {
      if (CODES.has(value)) codes.push(value);
      texts.push(value.slice(0, 4_000));
      const parsed = value.startsWith('{') && depth < 5 ? json(value) : undefined;
      if (parsed) todo.push([parsed, depth + 1]);
    } else if (value !== null && typeof value === 'object' && depth < 5 && !seen.has(value)) {
      seen.add(value);
      for (const key of ['code', 'type', 'message', 'error', 'cause', 'data', 'body', 'responseBody', 'response', 'errors', 'lastError', 'details', 'finishReason', 'stop_reason', 'reason', '0']) {
        try {
          if (value[key] !== undefined) todo.push([value[key], depth + 1]);
        } catch {
          // An error's own field failed; the others may still say what happened.
        }
      }
    }
  }
  return { texts, codes };
}

/** @param {string} text */
function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
