// @ts-check
// Windows and output limits by model name. Data, with its source and date; a host's own numbers win.
// Sources: the providers' model pages and SDK types as read on 2026-08-22 (Anthropic, OpenAI, Google).

import { badInput } from './errors.js';
import { familyOf } from './families.js';

/** @type {[RegExp, { provider: string, window: number, maxOutput: number, reasoningBinding?: string }][]} */
const TABLE = [
  [/claude-(fable|mythos)-5|claude-opus-5|claude-sonnet-5/, { provider: 'anthropic', window: 1_000_000, maxOutput: 128_000, reasoningBinding: 'prefix' }],
  [/claude-opus-4[.-][678]|claude-sonnet-4[.-]6/, { provider: 'anthropic', window: 1_000_000, maxOutput: 64_000 }],
  [/claude-opus-4/, { provider: 'anthropic', window: 200_000, maxOutput: 32_000 }],
  [/claude/, { provider: 'anthropic', window: 200_000, maxOutput: 64_000 }],
  [/gpt-4\.1/, { provider: 'openai', window: 1_047_576, maxOutput: 32_768 }],
  [/gpt-4o/, { provider: 'openai', window: 128_000, maxOutput: 16_384 }],
  [/gpt-5/, { provider: 'openai', window: 400_000, maxOutput: 128_000 }],
  [/(^|\/)o[134](-|$)/, { provider: 'openai', window: 200_000, maxOutput: 100_000 }],
  [/gemini-(2\.5|3)/, { provider: 'google', window: 1_048_576, maxOutput: 65_536 }],
];

/** What the table knows of a model, or undefined. @param {string} id */
export function lookUpModel(id) {
  const found = TABLE.find(([pattern]) => pattern.test(id.toLowerCase()));
  return found && { id, ...found[1] };
}

/** A host's model as the core reads it. @param {any} model */
export function modelInput(model) {
  const given = typeof model === 'string' ? { id: model } : model;
  if (!given || typeof given !== 'object' || (given.id === undefined ? given.window === undefined : typeof given.id !== 'string' || given.id === '')) throw badInput('`model` must be a model name or { id, provider?, window?, maxOutput?, assumedWindow? }');
  for (const key of Object.keys(given)) if (!['id', 'provider', 'window', 'maxOutput', 'assumedWindow'].includes(key)) throw badInput(`\`model.${key}\` is not known; a model has id, provider, window, maxOutput and assumedWindow`);
  for (const key of ['window', 'maxOutput', 'assumedWindow']) {
    const n = given[key];
    if (n !== undefined && !(Number.isInteger(n) && n >= (key === 'maxOutput' ? 0 : 1) && n < 2 ** 31)) throw badInput(`\`model.${key}\` must be a whole number of tokens, at least ${key === 'maxOutput' ? 0 : 1} and below 2^31`);
  }
  const known = given.window === undefined ? lookUpModel(given.id) : undefined;
  const provider = given.provider ?? known?.provider;
  const { name: _, tools: _tools, system: _system, thinking: _thinking, format: _format, ...family } = familyOf(given.id ?? '', provider) ?? { name: '' };
  // A window alone is enough to work with; then the model has no name to look anything up by.
  return {
    family,
    id: given.id ?? 'unnamed',
    provider,
    window: given.window ?? known?.window,
    maxOutput: given.maxOutput ?? known?.maxOutput,
    assumedWindow: given.assumedWindow,
    fromTable: known !== undefined,
  };
}

/** What `modelInput` read, as `open` takes it. @param {any} model */
export function givenModel({ fromTable, family: _family, ...model }) {
  if (fromTable) return { id: model.id, ...(model.maxOutput !== undefined && { maxOutput: model.maxOutput }) };
  return Object.fromEntries(Object.entries(model).filter(([, value]) => value !== undefined));
}
