// @ts-check
// The pieces for hosts with their own loop: no conversation, no host, no await.
import '#boot';

export { apply } from './apply.js';
export { convert, toModelMessages } from './convert.js';
export { repair, validate } from './judge.js';
export { breakdown, clamp, gaugeText, readUsage, sanitizeFact } from './pure-api.js';
export { lexicalIndex } from './lexical.js';
export { count, plan } from './pure-plan.js';
