// @ts-check
// How providers say that a request was too long, and the numbers they give. Data, written down on 2026-11-30
// from the forms these errors are known to take; not checked against the live services.
// Reads an error in any SDK's wrapping; knows nothing of what is done about it.

/** Codes and finish reasons that say so by themselves. Codes about bytes or single texts say nothing of the window. */
const CODES = new Set(['context_length_exceeded', 'model_context_window_exceeded', 'context_window_exceeded', 'prompt_too_long', 'input_too_long', 'exceed_context_size_error', 'tokens_limit_reached']);

/** A count as it stands in a text; `#` in the patterns below. */
const COUNT = '([\\d,]+)';

/**
 * `window`, `requested` and `output` name the groups of the pattern that hold them; `output` is part of what was
 * requested and not of the input. `#` is a count. The first match wins, so what has numbers stands before what has none.
 * @type {{ provider: string, text: RegExp, window?: number, requested?: number, output?: number }[]}
 */
const TEXTS = [
  { provider: 'fireworks', text: /prompt is too long: #, model maximum context length: #/, requested: 1, window: 2 },
  { provider: 'anthropic', text: /prompt is too long: # tokens > # maximum/, requested: 1, window: 2 },
  { provider: 'anthropic', text: /input length and `?max_tokens`? exceed context limit: # \+ # > #/, requested: 1, window: 3 },
  { provider: 'anthropic', text: /prompt is too long/ },
  { provider: 'openrouter', text: /this endpoint'?s maximum context length is # tokens[^]*?requested about # tokens(?: \([^)]*?# in the output)?/, window: 1, requested: 2, output: 3 },
  { provider: 'vllm', text: /maximum context length is # tokens and your request has # input tokens/, window: 1, requested: 2 },
  { provider: 'vllm', text: /maximum context length is # tokens[^]*?your request has # input tokens/, window: 1, requested: 2 },
  { provider: 'sglang', text: /maximum context length of # tokens\. you requested a total of # tokens: # tokens from the input/, window: 1, requested: 3 },
  { provider: 'sglang', text: /input \(# tokens\) is longer than the model'?s context length \(# tokens\)/, requested: 1, window: 2 },
  { provider: 'openai', text: /maximum context length is # tokens[^]*?(?:resulted in|you requested|requested about) # tokens(?: \([^)]*?# in the (?:completion|output))?/, window: 1, requested: 2, output: 3 },
  { provider: 'openai', text: /exceed the configured limit of # tokens[^]*?resulted in # tokens/, window: 1, requested: 2 },
  { provider: 'openai', text: /maximum context length is # tokens/, window: 1 },
  { provider: 'openai', text: /input exceeds the context window of this model/ },
  { provider: 'openai', text: /requested tokens? \(?#\)? exceeds? (?:the )?context window (?:of|\()\s?#/, requested: 1, window: 2 },
  { provider: 'google', text: /input token count(?: is)? \(?#\)? exceeds the maximum number of tokens allowed \(?#\)?/, requested: 1, window: 2 },
  { provider: 'google', text: /input token count(?: is)? # but (?:the )?model only supports up to #/, requested: 1, window: 2 },
  { provider: 'google', text: /exceeds the maximum number of (?:input )?tokens/ },
  { provider: 'bedrock', text: /input is too long for requested model/ },
  { provider: 'bedrock', text: /number of input tokens exceeds maximum length/ },
  { provider: 'cohere', text: /too many tokens: total number of tokens in the prompt cannot exceed # - received #/, window: 1, requested: 2 },
  { provider: 'cohere', text: /too many tokens: size limit exceeded by # tokens[^]*?limit for this model is # tokens/, window: 2 },
  { provider: 'cohere', text: /too many tokens: (?:total number|size limit)/ },
  { provider: 'cerebras', text: /reduce the length of the messages or completion\.? current length is # while limit is #/, requested: 1, window: 2 },
  { provider: 'groq', text: /reduce the length of the messages or completion/ },
  { provider: 'mistral', text: /prompt contains # tokens[^]*?too large for model with # maximum context length/, requested: 1, window: 2 },
  { provider: 'mistral', text: /too large for model with # maximum context length/, window: 1 },
  { provider: 'xai', text: /maximum prompt length is # but the request contains # tokens/, window: 1, requested: 2 },
  { provider: 'tgi', text: /`?inputs`? tokens \+ `?max_new_tokens`? must be <= #\.(?: given: # `?inputs`? tokens)?/, window: 1, requested: 2 },
  { provider: 'tgi', text: /`?inputs`? must have less than # tokens\.(?: given: #)?/, window: 1, requested: 2 },
  { provider: 'llama.cpp', text: /request \(# tokens\) exceeds the available context size \(# tokens\)/, requested: 1, window: 2 },
  { provider: 'llama.cpp', text: /exceeds the available context size/ },
  { provider: 'vllm', text: /prompt \(length #\) is longer than the maximum model length of #/, requested: 1, window: 2 },
  { provider: 'vllm', text: /maximum (?:model|context) length (?:of|is) #/, window: 1 },
  { provider: 'lm studio', text: /keep the first # tokens[^]*?context length of only # tokens/, requested: 1, window: 2 },
  { provider: 'lm studio', text: /greater than the context length(?: \(n_keep: # ?>=? ?n_ctx: #\))?/, requested: 1, window: 2 },
  // The number in brackets is the service's code for it.
  { provider: 'minimax', text: /context window exceeds limit/ },
  { provider: 'moonshot', text: /exceeded model token limit: #(?: \(requested: #\))?/, window: 1, requested: 2 },
  { provider: 'copilot', text: /prompt token count of # exceeds the limit of #/, requested: 1, window: 2 },
  { provider: 'github', text: /request body too large for [^]{1,80}? model\. max size: # tokens/, window: 1 },
  { provider: 'ollama', text: /prompt too long; exceeded (?:max )?context length/ },
  { provider: 'cloudflare', text: /number of input and maximum output tokens \(#\) exceeded this model'?s? context window limit \(#\)/, window: 2 },
  { provider: 'watsonx', text: /number of input tokens # cannot exceed the total tokens limit #/, requested: 1, window: 2 },
  { provider: 'alibaba', text: /range of input length should be \[\d+, ?#\]/, window: 1 },
  { provider: 'zhipu', text: /prompt exceeds max(?:imum)? length/ },
  { provider: 'any', text: /context(?: |_)?(?:window|length)[^.]{0,40}(?:exceeded|too (?:long|large))/ },
];
const PATTERNS = TEXTS.map(({ text, ...groups }) => ({ ...groups, pattern: new RegExp(text.source.replaceAll('#', COUNT), 'i') }));

/** Texts that look alike and mean something else: rate limits count tokens too, and answers have a limit of their own. */
const NOT = /rate.?limit|tokens per (?:minute|day|min\b)|\b[TR]P[MD]\b|quota|throttl|please wait|try again (?:in|later|after)|maximum allowed number of output tokens|supports at most [\d,]+ completion tokens/i;

/**
 * What an error says about the window, or undefined when it is about something else.
 *
 * @param {unknown} error an error of any SDK, its body, or a text; a finish reason too
 * @returns {{ provider: string, window?: number, requested?: number } | undefined}
 */
export function readOverflow(error) {
  const { texts, codes, fields } = gather(error);
  const text = texts.join('\n');
  if (NOT.test(text) && !codes.some((code) => CODES.has(code))) return undefined;
  for (const { provider, pattern, window, requested, output } of PATTERNS) {
    const found = pattern.exec(text);
    if (!found) continue;
    const read = (/** @type {number | undefined} */ group) => number(group === undefined ? undefined : found[group]);
    const [asked, out] = [read(requested), read(output) ?? 0];
    return said(provider, read(window) ?? fields.n_ctx, asked === undefined ? fields.n_prompt_tokens : number(String(asked - out)));
  }
  return codes.some((code) => CODES.has(code)) ? said('any', fields.n_ctx, fields.n_prompt_tokens) : undefined;
}

/** @param {string} provider @param {number | undefined} window @param {number | undefined} requested */
function said(provider, window, requested) {
  return { provider, ...(window === undefined ? {} : { window }), ...(requested === undefined ? {} : { requested }) };
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
  /** @type {Record<string, number>} llama.cpp gives its numbers in fields of their own */
  const fields = {};
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
      for (const key of ['n_ctx', 'n_prompt_tokens']) {
        const n = number(plainNumber(value, key));
        if (n !== undefined) fields[key] = n;
      }
      for (const key of ['code', 'type', 'message', 'error', 'cause', 'data', 'body', 'responseBody', 'response', 'errors', 'lastError', 'details', 'finishReason', 'stop_reason', 'reason', 'name', '0']) {
        try {
          if (value[key] !== undefined) todo.push([value[key], depth + 1]);
        } catch {
          // An error's own field failed; the others may still say what happened.
        }
      }
    }
  }
  return { texts, codes, fields };
}

/** @param {any} value @param {string} key */
function plainNumber(value, key) {
  try {
    return typeof value[key] === 'number' ? String(value[key]) : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} text */
function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
