// The counters that are compared, each made ready the way its documentation says, ordinary text only. The paths of
// what a bundler would ship of each are here, too: their compressed size is part of the table.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './corpora.mjs';

const modules = path.join(path.dirname(fileURLToPath(import.meta.url)), 'node_modules');
const pkg = path.join(process.env.PKG ?? path.join(root, 'pkg'));

/** name → { open(encoding): Promise<(text) => tokens>, slow?: true } */
export const engines = {
  'gentle-cascade': {
    async open() {
      const { count, loadVocabulary } = await import(path.join(pkg, 'tokens', 'inlined.js'));
      await loadVocabulary('o200k', readFileSync(path.join(pkg, 'vocab', 'o200k.pairs')));
      return (text) => count(text);
    },
  },
  hypertok: {
    async open() {
      const { fromBytes } = await import('hypertok');
      const tokenizer = await fromBytes(new Uint8Array(readFileSync(path.join(modules, '@hypertok', 'vocab-o200k', 'vocab.htk'))), { tier: 'single' });
      return (text) => tokenizer.encodeSync(text).length;
    },
  },
  'gpt-tokenizer': {
    async open() {
      const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
      return (text) => countTokens(text);
    },
  },
  'ai-tokenizer': {
    async open() {
      const [{ Tokenizer }, encoding] = await Promise.all([import('ai-tokenizer'), import('ai-tokenizer/encoding/o200k_base')]);
      const tokenizer = new Tokenizer(encoding);
      return (text) => tokenizer.count(text);
    },
  },
  tiktoken: {
    async open() {
      const { get_encoding: getEncoding } = await import('tiktoken');
      const encoder = getEncoding('o200k_base');
      return (text) => encoder.encode_ordinary(text).length;
    },
  },
  'js-tiktoken': {
    slow: true,
    async open() {
      const [{ Tiktoken }, { default: ranks }] = await Promise.all([import('js-tiktoken/lite'), import('js-tiktoken/ranks/o200k_base')]);
      const encoder = new Tiktoken(ranks);
      return (text) => encoder.encode(text, [], []).length;
    },
  },
};
