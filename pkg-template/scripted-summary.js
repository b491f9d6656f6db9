// @ts-check
// A summarizer without a model, for replays and demonstrations: the same request always gives the same briefing.
// It keeps what a model would be asked to keep (the first request, names of files, errors, the last thing said), a
// few of each, so that sizes behave as with a real one. Not meant to be worked from.

const SECTIONS = ['Objective', 'Files & State', 'Verification', 'Next Step'];
const FILES = 24;
const LINES = 8;

/** Bullet points of one section of a briefing. @param {string} text @param {string} name @returns {string[]} */
function bullets(text, name) {
  const from = text.indexOf(`## ${name}\n`);
  if (from < 0) return [];
  const body = text.slice(from + name.length + 4).split('\n## ')[0];
  return body.split('\n').filter((line) => line.startsWith('- ')).map((line) => line.slice(2));
}

/** Each once, the newest last, at most `most`. @param {string[]} lines @param {number} most */
const newest = (lines, most) => [...new Set(lines.map((line) => line.trim().slice(0, 160)).filter(Boolean))].slice(-most);

/**
 * @param {{ previous?: string, covered: string }} request what `host.summarize` is given
 * @returns {{ text: string, finishReason: 'stop' }}
 */
export function scriptedSummary({ previous = '', covered }) {
  const rows = covered.split(/^(?=\[(?:user|assistant|tool|system)(?:, row \d+)?\]$)/m);
  const said = (/** @type {string} */ who) => rows.filter((row) => row.startsWith(`[${who}`)).map((row) => row.split('\n').slice(1).join(' '));
  const parts = {
    Objective: [...bullets(previous, 'Objective'), ...said('user')].slice(0, 1).map((line) => line.trim().slice(0, 160)),
    'Files & State': newest([...bullets(previous, 'Files & State'), ...(covered.match(/[\w.@-]*(?:\/[\w.@-]+)+\.\w{1,6}\b/g) ?? [])], FILES),
    Verification: newest([...bullets(previous, 'Verification'), ...(covered.match(/^.*\b(?:error|failed|passed)\b.*$/gim) ?? [])], LINES),
    'Next Step': newest(said('assistant'), 1),
  };
  const text = SECTIONS.map((name) => `## ${name}\n${/** @type {any} */ (parts)[name].map((/** @type {string} */ line) => `- ${line}`).join('\n')}`).join('\n\n');
  return { text, finishReason: 'stop' };
}
