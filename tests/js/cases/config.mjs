// A case's knobs in the package's own words: config, model, and the list of messages it works on.

/** @type {Record<string, string>} knob of a case -> knob of ours */
const KNOBS = {
  keepRecentMessages: 'summarize.keepRecent',
  keepRecentTurns: 'summarize.keepRounds',
  softFraction: 'summarize.softFraction',
  hardFraction: 'summarize.hardFraction',
  summarize: 'summarize.enabled',
  summarizerWindow: 'summarize.window',
  foldBatchTokens: 'summarize.window',
  summaryMaxTokens: 'summarize.reflectTokens',
  atFraction: 'eviction.atFraction',
  keepRecentRounds: 'eviction.keepRecentRounds',
  clearAtLeast: 'eviction.clearAtLeast',
  minResultTokens: 'eviction.minResultTokens',
  protectTools: 'eviction.protect',
  evictInputs: 'eviction.inputs',
  maxChars: 'toolOutput.maxChars',
  toolOutputMaxChars: 'toolOutput.maxChars',
  maxBytes: 'toolOutput.rawCapBytes',
  persistRaw: 'toolOutput.persistRaw',
  maxTokens: 'orders.tokens',
  retainUserText: 'orders.enabled',
  pinLastUserMessage: 'orders.enabled',
  minScore: 'retrieval.minScore',
  maxResults: 'retrieval.maxResults',
};
/** Not knobs of ours: how to call (`force`), fixed (`headFraction`), or part of the model or the sweep. */
const ELSEWHERE = new Set(['force', 'headFraction', 'assumedWindow', 'maxCharsFrom', 'maxCharsTo', 'snippetChars', 'tools']);

/** @param {any} one a case @returns {any} a config; a keep knob that is not set is 0, the counter is chars4 */
export function configOf(one) {
  const { config: given = {}, limits, tokens } = one.input;
  const config = { estimate: tokens === undefined ? { counter: 'chars4' } : {}, summarize: { keepRecent: 0, keepRounds: 0 }, eviction: { keepRecentRounds: 0 } };
  for (const [key, value] of Object.entries(given)) {
    if (ELSEWHERE.has(key)) continue;
    if (key === 'imageTokens') set(config, 'media.imageTokens', value.default);
    else if (key === 'standingOrders') set(config, 'orders.enabled', value.enabled);
    else if (KNOBS[key]) set(config, KNOBS[key], value);
    else throw new Error(`the case ${one.id} has a knob that the runner does not know: ${key}`);
  }
  // A soft threshold above the one of eviction is the case's own order of things.
  if (limits) config.limits = limits;
  return config;
}

/** @param {any} config @param {string} path @param {unknown} value */
function set(config, path, value) {
  const [section, key] = path.split('.');
  config[section] = { ...config[section], [key]: value };
}

/** @param {any} one @returns {any} a model; no `maxOutputTokens` is 0, `null` is unknown */
export function modelOf(one) {
  const { window, maxOutputTokens, config, limitTokens } = one.input;
  const maxOutput = maxOutputTokens === null ? {} : { maxOutput: maxOutputTokens ?? 0 };
  if (window === undefined && limitTokens === undefined) return { id: 'case', ...(config?.assumedWindow && { assumedWindow: config.assumedWindow }), ...maxOutput };
  return { id: 'case', window: window ?? limitTokens, ...maxOutput };
}

/** Message rows of a case with positions in order; rows that are the host's own are left out. @param {any} one */
export function rowsOf(one) {
  const { input } = one;
  const list = input.messages ?? input.items ?? input.contents;
  if (list) return { messages: list, positions: list.map((/** @type {any} */ _, /** @type {number} */ i) => i) };
  const rows = (input.rows ?? []).filter((/** @type {any} */ row) => row.message);
  let last = 0;
  return {
    messages: rows.map((/** @type {any} */ row) => row.message),
    positions: rows.map((/** @type {any} */ row) => (row.injected ? null : (last = row.pos ?? last + 1))),
  };
}
