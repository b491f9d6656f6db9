// @ts-check
// What an event of the cascade means for somebody who looks at a screen: the panel's
// next state, or a notice. Pure reducers over event JSON as it arrives from a server.
// They keep no history and decide nothing about how long a notice stays.

import { percentText } from './format.js';
import { fill, withDefaults } from './labels.js';

/**
 * @typedef {{ usage: any, state: 'idle' | 'compacting' }} PanelState
 * @typedef {{ kind: 'toast', text: string, usedFraction: number, atFraction?: number, action: string }} Toast
 * @typedef {{ kind: 'prompt', text: string, facts: string[], scope?: string, action: string }} Prompt
 */

/** @type {PanelState} */
const NOTHING = Object.freeze({ usage: null, state: 'idle' });

/** The same window with its content unknown: after a fold no number holds until the next real count. */
function neutral(usage) {
  if (!usage) return null;
  const { type, contextLimit, window, usable, thresholds, assumed, windowSource, reclaimed } = usage;
  return {
    type, contextLimit, window, usable, thresholds, assumed, windowSource, reclaimed,
    used: null, total: null, percent: null, free: null, segments: [],
  };
}

/**
 * The state to show after an event. Events it does not know return `prev` itself.
 *
 * - `context.usage`: its numbers
 * - `context.folding`: `state: 'compacting'` over the last numbers
 * - `context.folded`: idle, and neutral (not 0 %) until the next `context.usage`
 * - `context.declined`: idle with the last numbers, because a fold that did not happen changed nothing
 *
 * @param {PanelState | null | undefined} prev undefined at the start
 * @param {any} event
 * @returns {PanelState}
 */
export function panelState(prev, event) {
  const before = prev ?? NOTHING;
  switch (event?.type) {
    case 'context.usage':
      return { usage: event, state: 'idle' };
    case 'context.folding':
      return { usage: before.usage, state: 'compacting' };
    case 'context.folded':
      return { usage: neutral(before.usage), state: 'idle' };
    case 'context.declined':
      return before.state === 'idle' ? before : { usage: before.usage, state: 'idle' };
    default:
      return before;
  }
}

/**
 * The notice an event is worth, or null. Evictions and usage are routine: the panel shows them.
 * @param {any} event
 * @param {{ labels?: import('./labels.js').Labels }} [options]
 * @returns {Toast | Prompt | null}
 */
export function toNotice(event, { labels } = {}) {
  const words = withDefaults(labels);
  if (event?.type === 'context.handoff_suggested') {
    const { usedFraction, atFraction } = event;
    const percent = percentText(usedFraction * 100);
    return { kind: 'toast', text: fill(words.handoff, { percent }), usedFraction, atFraction, action: words.newSession };
  }
  if (event?.type === 'memory.suggestion') {
    const facts = (Array.isArray(event.facts) ? event.facts : [])
      .filter((fact) => typeof fact === 'string' && fact.trim() !== '');
    if (facts.length === 0) return null;
    const text = facts.length === 1 ? words.rememberOne : fill(words.rememberMany, { n: String(facts.length) });
    return { kind: 'prompt', text, facts, scope: event.scope, action: words.save };
  }
  return null;
}
