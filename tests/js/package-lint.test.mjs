// What publishing tools say of the package.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

test('publint finds nothing', async () => {
  const { messages, pkg } = await publint({ pkgDir: path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'pkg'), strict: true });
  assert.deepEqual(messages.filter((m) => m.type !== 'suggestion').map((m) => formatMessage(m, pkg)), []);
});
