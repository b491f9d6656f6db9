// @ts-check
// The pure pieces over the core; which entry loads the wasm is not decided here.

import { breakdownOf, gaugeText as gauge, readUsage as read, sanitizeFact as sanitize } from './core_bg.js';
import { badInput } from './errors.js';
import { modelInput } from './models.js';
import { shortenText } from './outputs.js';
import { plainCopy } from './plain.js';
import { usageOf } from './usage-of.js';

/** One response's usage, normalised: of any provider, or the response, message or log record that holds it. @param {any} usage */
export const readUsage = (usage) => read(usageOf(usage) ?? {});

/** A text shortened to `maxChars` UTF-16 code units, marker included; the same string when it fits. @param {string} text @param {{ maxChars?: number, handle?: string, loss?: string }} [options] */
export function clamp(text, { maxChars = 24_000, handle, loss } = {}) {
  return shortenText(text, maxChars, { ...(handle ? { handle } : {}), ...(loss ? { loss } : {}) });
}

/** Buckets against the provider's count; `scale` makes them sum to it. @param {{ buckets: any[], real?: number, reclaimed?: number, scale?: boolean, model: any, config?: any }} input */
export const breakdown = ({ buckets, real, reclaimed = 0, scale = false, model, config }) => breakdownOf(plainCopy({ buckets, real, reclaimed, scale }, 'breakdown'), modelInput(model), plainCopy(config, 'config', 'bad_config'));

/** The gauge as text: `ctx 80k/256k`. @param {number} total @param {number} window */
export const gaugeText = (total, window) => gauge(total, window);

/** Longest text that is looked at, in UTF-16 code units; what is longer is no fact, whatever it holds. */
const LONGEST_FACT = 20_000;

/**
 * The one gate for facts that are to be remembered: white space collapsed, control characters dropped, secrets
 * replaced by `[redacted]`.
 * @param {string} text
 * @returns {string | null} null for what is refused: empty, over 500 characters, a bare secret, text that speaks to the model
 */
export function sanitizeFact(text) {
  if (typeof text !== 'string') throw badInput('`sanitizeFact` needs a string');
  return text.length > LONGEST_FACT ? null : (sanitize(text) ?? null);
}
