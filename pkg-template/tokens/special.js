// @ts-check
// The special tokens of each encoding, for the rare case that a text is a rendered prompt and they are to
// count as one token each. Decides which names exist (as tiktoken 0.14 defines them). Everywhere else such
// a name in a text is text, whoever wrote it.

const ENDOFTEXT = '<|endoftext|>';
const FIM = ['<|fim_prefix|>', '<|fim_middle|>', '<|fim_suffix|>'];

/** Ranks that gpt-oss reserves without a name of their own. @param {number} rank */
const isReserved = (rank) => [200000, 200001, 200004].includes(rank) || (rank >= 200009 && rank <= 201087 && rank !== 200012);

const HARMONY = ['startoftext', 'endoftext', 'return', 'constrain', 'channel', 'start', 'end', 'message', 'call'].map((name) => `<|${name}|>`);

/** @type {Record<string, string[]>} */
const NAMES = {
  o200k_base: [ENDOFTEXT, '<|endofprompt|>'],
  o200k_harmony: HARMONY,
  cl100k_base: [ENDOFTEXT, ...FIM, '<|endofprompt|>'],
  p50k_base: [ENDOFTEXT],
  r50k_base: [ENDOFTEXT],
};

/**
 * Cuts a text at its special tokens.
 * @param {string} text @param {string} encoding full name
 * @returns {{ parts: string[], found: number }}
 */
export function specialTokens(text, encoding) {
  const names = NAMES[encoding] ?? [];
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(/<\|[a-z_]+(\d{6})?\|>/g)) {
    const reserved = encoding === 'o200k_harmony' && match[0].startsWith('<|reserved_') && isReserved(Number(match[1]));
    if (!reserved && !names.includes(match[0])) continue;
    parts.push(text.slice(from, match.index));
    from = match.index + match[0].length;
  }
  parts.push(text.slice(from));
  return { parts, found: parts.length - 1 };
}
