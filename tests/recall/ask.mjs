// Asks every question in a session of its own end of the same folded conversation, and says which rows came back.

import { open } from '../../pkg/inline.js';
import { conversation } from './conversation.mjs';

/** Rows that stay in view at the end: the answer must not come from there. */
const KEEP = { keepRounds: 1, keepRecent: 0 };

/**
 * @param {any} retrieval the configuration of the stage @param {any} [host] with `embed` where meaning is searched
 * @returns {Promise<{ question: string, at: number, found: number[], ms: number }[]>} found: quoted rows, best first
 */
export async function askAll(retrieval, host = {}) {
  const { messages, questions } = conversation();
  const cascade = await open({
    transcript: 'recall',
    format: 'ai-sdk',
    model: { id: 'm', window: 200_000, maxOutput: 4_000 },
    host: { summarize: () => ({ text: '## Objective\nanswer questions about the booking service\n\n## Next Step\nwait\n' }), ...host },
    config: { orders: { enabled: false }, summarize: KEEP, retrieval: { enabled: true, ...retrieval } },
  });
  const folded = await cascade.compact({ messages });
  if (!folded.outcomes.some((o) => o.stage === 'fold' && o.outcome === 'done')) throw new Error('the conversation was not folded');
  const boundary = cascade.state.boundary;
  // In a session rows leave the view a few at a time and are embedded as they go; here all of them left at once.
  // A busy machine may need more turns than three: an embedder that is late is asked for less the next time.
  for (let turn = 0, calm = 0; turn < 20 && calm < 3; turn += 1) {
    const next = await cascade.next({ messages: [...messages, { role: 'user', content: `One moment (${turn}).` }] });
    calm = next.outcomes.some((o) => o.stage === 'recall' && o.reason === 'unavailable') ? 0 : calm + 1;
  }
  const out = [];
  for (const { question, at } of questions) {
    if (at > boundary) throw new Error(`row ${at} is not covered`);
    // Each question is asked at the same place, as if the others had not been.
    const list = [...messages, { role: 'user', content: question }];
    const from = performance.now();
    const next = await cascade.next({ messages: list });
    const ms = performance.now() - from;
    const content = next.view.at(-1).content;
    const block = Array.isArray(content) ? (content.find((p) => p.text.startsWith('<related_context>'))?.text ?? '') : '';
    out.push({ question, at, ms, found: [...block.matchAll(/^\[row (\d+), /gm)].map((m) => Number(m[1])) });
  }
  cascade.close();
  return out;
}

/** Share of questions whose row is among the quoted ones. @param {{ at: number, found: number[] }[]} answers */
export const hitRate = (answers) => answers.filter((a) => a.found.includes(a.at)).length / answers.length;
