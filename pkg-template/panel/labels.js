// @ts-check
// Every word the panel and its notices can say, as one plain object of strings, so
// that a host translates by handing over the keys it wants to replace. `{name}` marks
// a value. It knows no DOM and no numbers: values arrive already formatted.

export const defaultLabels = Object.freeze({
  title: 'Context window',
  trigger: 'Context usage',
  unknown: 'not known until the next answer',
  compacting: 'Compacting…',
  system: 'System prompt',
  index: 'Capability index',
  tools: 'Tools bound',
  deferred: 'Tools deferred',
  context: 'Session context',
  messages: 'Messages',
  attachments: 'Attachments',
  overhead: 'Overhead',
  overheadHint: 'The provider’s count minus what was measured',
  total: 'Total',
  free: 'Free',
  reserve: 'Kept for the answer',
  notCounted: 'not counted',
  otherSource: 'other',
  exact: 'exact',
  exactHint: 'The provider counted this request',
  anchored: 'anchored',
  anchoredHint: 'The provider’s last count plus an estimate of what was added since',
  estimated: '~ estimated',
  estimatedHint: 'No count from the provider yet',
  assumed: 'assumed window',
  assumedHint: 'The model’s window is not known; this size is an assumption',
  provenWrong: 'The assumed window is too small: a larger request succeeded',
  evict: 'evict',
  evictHint: 'From {tokens} tokens ({percent}) old tool results become one-line stubs',
  soft: 'soft',
  softHint: 'From {tokens} tokens ({percent}) older rows are folded into a summary in the background',
  hard: 'hard',
  hardHint: 'From {tokens} tokens ({percent}) the next request waits for relief',
  windowHint: 'The window ends at {tokens} tokens',
  meter: '{total} of {window} tokens, {percent}',
  reclaimed: '{tokens} reclaimed',
  nextEvict: 'The next step would evict {results}, {tokens} tokens',
  nextTokens: 'The next step would free {tokens} tokens',
  resultOne: '1 result',
  resultMany: '{n} results',
  compact: 'Compact now',
  newSession: 'New session',
  handoff: 'The context window is {percent} full. This is a good moment to start a new session.',
  rememberOne: 'Remember this?',
  rememberMany: 'Remember these {n} things?',
  save: 'Save',
});

/** @typedef {Partial<Record<keyof typeof defaultLabels, string>>} Labels */

/**
 * A host's labels over the English ones. Anything that is not a string is ignored,
 * so a half-translated object never shows `undefined`.
 * @param {Labels | null | undefined} labels
 * @returns {Record<keyof typeof defaultLabels, string>}
 */
export function withDefaults(labels) {
  const merged = { ...defaultLabels };
  for (const [key, text] of Object.entries(labels ?? {})) {
    if (typeof text === 'string') merged[key] = text;
  }
  return merged;
}

/**
 * Put values into a label. An unknown `{name}` stays as written.
 * @param {string} label
 * @param {Record<string, string>} values
 */
export function fill(label, values) {
  return label.replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(values, name) ? values[name] : whole));
}
