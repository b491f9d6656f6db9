// @ts-check
// What families of models make of a text, a call, a result and a set of tools. Data; a host's own count wins.
//
// `ratio` is real tokens per `o200k_base` token, to start from: the gauge learns the rest. The other numbers are
// tokens of the provider. Ratios and constants are medians over recorded requests with the providers' own counts,
// 2026-11-30: dozens of rows for OpenAI and Claude, three to ten for Gemini, Llama, Mistral, Nova, Command and DeepSeek,
// one or two (and the published chat templates) for Qwen and GLM; minimax is weighed on one session and was checked on
// another. The bench prints the tool sets with an odd hash apart; they were seen while choosing, so they are no blind
// check. Hidden tool prompts as in Anthropic's tool-use overview of 2026-08; which models keep reasoning as in the
// providers' guides of 2026-08.

/**
 * @typedef {object} Family
 * @property {string} name
 * @property {number} [ratio]
 * @property {number} [base] a request beside its messages
 * @property {number} [message] a message beside its parts
 * @property {number} [answer] an assistant's text beside it
 * @property {number} [system] a system prompt beside its text
 * @property {number} [call] a call beside its arguments
 * @property {number} [result] a result beside its output
 * @property {number} [parallel] each call of a message that holds several
 * @property {number} [spelled] how often a call's tool name is spelled out
 * @property {'all' | 'turn' | 'none'} [reasoning] what stays of it: everything, until the user speaks again, nothing
 * @property {{ style: 'typescript' | 'json' | 'words', auto: number, forced?: number, withSystem?: number, each?: number }} [tools]
 *   how tools are shown to the model, and the hidden text around them
 * @property {number} [thinking] extended thinking switched on
 * @property {number} [format] an answer bound to a schema, beside the schema
 */

const openai = { ratio: 1, message: 4, system: 4, parallel: 3, spelled: 2, format: 9, reasoning: /** @type {const} */ ('turn') };
/** An answer names its channel, as in OpenAI's published Harmony format. */
const harmony = { base: 2, answer: 2 };
const claude = { ratio: 1.17, base: 2, message: 4, call: 34, result: 14, parallel: 14, spelled: 1, thinking: 28, format: 128, reasoning: /** @type {const} */ ('turn') };
/** @param {number} auto @param {number} forced */
const hidden = (auto, forced) => ({ style: /** @type {const} */ ('json'), auto: auto + 3, forced: forced + 9, each: 8 });

/** Tools shown as JSON, with a hidden text of so many tokens around them. @param {number} auto @param {number} [each] */
const asJson = (auto, each) => ({ style: /** @type {const} */ ('json'), auto, ...(each !== undefined && { each }) });
/** Behind Chat Completions, which has no place for earlier reasoning. */
const open = { ratio: 1.1, message: 4, call: 8, result: 8, spelled: 1, reasoning: /** @type {const} */ ('none'), tools: asJson(0, 4) };
const llama = { ratio: 1, message: 4, call: 8, result: 12, spelled: 1, reasoning: /** @type {const} */ ('none'), tools: asJson(120) };

/** First match wins; the text is `provider model` in lower case. @type {[RegExp, Family][]} */
const TABLE = [
  [/claude.*(opus|fable|mythos)[-. ]5/, { ...claude, name: 'claude-5', ratio: 1.5, reasoning: 'all', tools: hidden(286, 406) }],
  [/claude.*sonnet[-. ]5/, { ...claude, name: 'claude-5', ratio: 1.5, reasoning: 'all', tools: hidden(354, 474) }],
  [/claude.*opus-4[-.]8/, { ...claude, name: 'claude-4.8', ratio: 1.5, reasoning: 'all', tools: hidden(290, 410) }],
  [/claude.*opus-4[-.]7/, { ...claude, name: 'claude-4.7', ratio: 1.5, reasoning: 'all', tools: hidden(675, 804) }],
  [/claude.*opus-4[-.][56]/, { ...claude, name: 'claude-4.5', reasoning: 'all', tools: hidden(497, 589) }],
  [/claude.*(sonnet-4[-.][56]|haiku-4)/, { ...claude, name: 'claude-4.5', tools: hidden(497, 589) }],
  [/claude/, { ...claude, name: 'claude', tools: hidden(313, 315) }],
  [/gpt-oss/, { ...openai, ...harmony, name: 'gpt-oss', base: 63, call: 9, result: 2, tools: { style: 'typescript', auto: 20 } }],
  [/(openai[-.]chat|azure).*gpt-5/, { ...openai, ...harmony, name: 'openai-chat-5', call: 11, parallel: 8, tools: { style: 'typescript', auto: 84 } }],
  [/(openai[-.]chat|azure).*(^|[ /])o[134]/, { ...openai, name: 'openai-chat-o', base: 2, call: 9, parallel: 8, tools: { style: 'typescript', auto: 84 } }],
  [/openai[-.]chat.*gpt/, { ...openai, name: 'openai-chat', base: 3, call: 5, parallel: 8, tools: { style: 'typescript', auto: 3, withSystem: -1 } }],
  [/gpt-5|codex/, { ...openai, ...harmony, name: 'openai-5', call: 9, result: 2, tools: { style: 'typescript', auto: 2 } }],
  [/(^|[ /])o[134](-|$)/, { ...openai, name: 'openai-o', base: 2, call: 7, result: 2, tools: { style: 'typescript', auto: 2 } }],
  [/gpt/, { ...openai, name: 'openai', base: 3, call: 4, tools: { style: 'typescript', auto: -3 } }],
  [/gemini-(2[.-]5|[3-9])/, { name: 'gemini', ratio: 1, base: 2, spelled: 1, reasoning: 'none', tools: { style: 'words', auto: 10 } }],
  [/gemini|gemma/, { name: 'gemini-2.0', ratio: 1, spelled: 1, reasoning: 'none', tools: { style: 'words', auto: 2 } }],
  [/minimax/, { ...open, name: 'minimax', ratio: 1.38, tools: asJson(0) }],
  [/groq.*llama-4/, { ...llama, name: 'llama-4-groq', tools: asJson(672) }],
  [/(^|[^o])llama-?3/, { ...llama, name: 'llama-3', base: 31 }],
  [/(^|[^o])llama/, { ...llama, name: 'llama' }],
  [/command-r7b/, { ...open, name: 'command-r7b', ratio: 1, base: 490, tools: asJson(890) }],
  [/nova-2/, { ...open, name: 'nova-2', tools: asJson(850) }],
  [/nova/, { ...open, name: 'nova', tools: asJson(380) }],
  [/deepseek/, { ...open, name: 'deepseek', tools: asJson(150, 40) }],
  [/qwen|glm/, { ...open, name: 'qwen', tools: asJson(105, 12) }],
  [/mistral|magistral|codestral|pixtral|devstral|voxtral|kimi/, { ...open, name: 'mistral', tools: asJson(14, 4) }],
  [/command|grok/, { ...open, name: 'open' }],
  // A server that speaks OpenAI's API with a model nobody knows; OpenAI's own have all been named.
  [/openai/, { ...openai, name: 'openai', base: 3, call: 4, tools: { style: 'typescript', auto: -3 } }],
];

/** The constants of a model's family; undefined for a model that the table does not know. @param {string} id @param {string} [provider] @returns {Family | undefined} */
export function familyOf(id, provider = '') {
  const name = `${provider} ${id}`.toLowerCase();
  return TABLE.find(([pattern]) => pattern.test(name))?.[1];
}
