// @ts-check
// Bars, sparklines, tables and wrapped lines as plain text. Values in, lines out; no colours of its own, no terminal.

import Table from 'cli-table3';
import stringWidth from 'string-width';

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/**
 * A horizontal bar, in eighths of a cell. What is above zero shows at least a sliver.
 * @param {number} value @param {number} max the value of a full bar @param {number} width cells
 */
export function bar(value, max, width) {
  if (!(value > 0) || !(max > 0) || width <= 0) return '';
  const eighths = Math.max(1, Math.round((Math.min(value, max) / max) * width * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}

/**
 * Values squeezed into at most `width` columns; a column shows the largest of its values.
 * @param {number[]} values @param {number} width
 * @returns {number[]}
 */
export function columns(values, width) {
  if (values.length <= width) return values;
  return Array.from({ length: width }, (_, c) => {
    const from = Math.floor((c * values.length) / width);
    const to = Math.floor(((c + 1) * values.length) / width);
    return Math.max(...values.slice(from, to));
  });
}

/**
 * @param {number[]} values @param {number} max the value of the highest level @param {number} width columns at most
 * @returns {string} one character per column, lowest level for zero
 */
export function sparkline(values, max, width) {
  return columns(values, width)
    .map((value) => LEVELS[Math.max(0, Math.min(7, max > 0 ? Math.ceil((value / max) * 8) - 1 : 0))])
    .join('');
}

/**
 * A line of marks under a sparkline of the same values.
 * @param {number[]} kinds per step an index into `signs`, 0 = nothing; the highest one of a column wins
 * @param {string[]} signs @param {number} width
 */
export function marks(kinds, signs, width) {
  return columns(kinds, width).map((kind) => signs[kind] || ' ').join('').trimEnd();
}

const NO_BORDER = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle']
    .map((name) => [name, '']),
);

/**
 * Columns aligned without borders.
 * @param {string[][]} rows cells may hold colours @param {('left' | 'right')[]} aligns
 * @returns {string[]} lines, indented by two
 */
export function table(rows, aligns) {
  if (rows.length === 0) return [];
  const made = new Table({ chars: NO_BORDER, style: { 'padding-left': 0, 'padding-right': 2, head: [], border: [], compact: true }, colAligns: aligns });
  made.push(...rows);
  return made.toString().split('\n').map((line) => `  ${line}`.trimEnd());
}

/**
 * Pieces joined by a dot, broken between pieces where a line would be too long.
 * @param {string[]} pieces @param {number} width
 * @returns {string[]}
 */
export function joined(pieces, width) {
  const lines = [];
  for (const piece of pieces.filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && stringWidth(last) + 5 + stringWidth(piece) <= width) lines[lines.length - 1] = `${last}  ·  ${piece}`;
    else lines.push(`  ${piece}`);
  }
  return lines;
}

/**
 * Words broken into lines.
 * @param {string} text @param {number} width cells of a line, indent included @param {string} [indent] two spaces
 * @returns {string[]}
 */
export function wrapped(text, width, indent = '  ') {
  const lines = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && stringWidth(last) + 1 + stringWidth(word) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${indent}${lines.length ? '  ' : ''}${word}`);
  }
  return lines;
}

/** Whether every line fits. @param {string[]} lines @param {number} width */
export const fits = (lines, width) => lines.every((line) => stringWidth(line) <= width);

/** A text cut to `width` cells, at its start, so that the end of a path stays readable. */
export function fitted(text, width) {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  for (const char of [...text].reverse()) {
    if (stringWidth(char + kept) > width - 1) break;
    kept = char + kept;
  }
  return `…${kept}`;
}
