// Reads the case files and expands their big values. Knows their spelling and nothing of the package.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const folder = path.join(process.env.GENTLE_SHARED ?? path.join(root, '..', 'shared'), 'cases');

/**
 * The cases of these categories, expanded and in the order of their ids.
 * @param {string[]} categories @returns {any[] | undefined} nothing where the case files are not at hand
 */
export function readCases(categories) {
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder)
    .filter((name) => /^\d+.*\.json$/.test(name))
    .map((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')))
    .filter((one) => categories.includes(one.category))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((one) => ({ ...one, input: expand(one.input) }));
}

/** `{repeat, times}`, `{concat}`, `{utf16}` and `{repeatJson, times}` become what they stand for. @param {any} value @returns {any} */
export function expand(value) {
  if (Array.isArray(value)) return value.map(expand);
  if (value === null || typeof value !== 'object') return value;
  if (typeof value.repeat === 'string' && 'times' in value) return value.repeat.repeat(value.times);
  if ('repeatJson' in value && 'times' in value) return Array.from({ length: value.times }, () => expand(value.repeatJson));
  if (Array.isArray(value.concat)) return value.concat.map(expand).join('');
  if (Array.isArray(value.utf16)) return String.fromCharCode(...value.utf16);
  return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, expand(v)]));
}
