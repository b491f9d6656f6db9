// T-7: the core breaks inside. The wasm of this test is the shipped one with a trap built into the entry of some of
// its exports, armed by a switch; the package around it is the shipped one, loaded by its `slim` entry.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import binaryen from 'binaryen';
import { memoryStore } from '../../pkg/stores/memory.js';

const ARMED = ['job_resume', 'core_settle', 'core_inspect'];

function withTraps(bytes) {
  const module = binaryen.readBinary(bytes);
  module.addGlobal('fault', binaryen.i32, true, module.i32.const(0));
  module.addGlobalExport('fault', 'fault');
  for (let i = 0; i < module.getNumExports(); i += 1) {
    const { name, value, kind } = binaryen.getExportInfo(module.getExportByIndex(i));
    if (!ARMED.includes(name) || kind !== binaryen.ExternalFunction) continue;
    const target = module.getFunction(value);
    const { body, results } = binaryen.getFunctionInfo(target);
    const trap = module.if(module.global.get('fault', binaryen.i32), module.unreachable());
    binaryen.Function.setBody(target, module.block(null, [trap, body], results));
  }
  return module.emitBinary();
}

// The package makes its one instance itself; here it is looked at on the way.
let fault;
const Instance = WebAssembly.Instance;
WebAssembly.Instance = function instance(module, imports) {
  const made = new Instance(module, imports);
  fault = made.exports.fault;
  return made;
};
const { open, initSync } = await import('../../pkg/slim.js');
initSync(withTraps(readFileSync(new URL('../../pkg/core_bg.wasm', import.meta.url))));

const messages = [{ role: 'user', content: 'my password is hunter2' }, { role: 'assistant', content: 'noted' }];
const start = (state) => open({ transcript: 't', model: { id: 'm', window: 10_000 }, host: memoryStore(), ...(state ? { state } : {}) });

async function broken(use) {
  fault.value = 1;
  try {
    await assert.rejects(async () => use(), (error) => {
      assert.deepEqual([error.name, error.code], ['CascadeError', 'internal_error']);
      assert.match(error.message, /reopen it from its state/);
      assert.ok(!`${error.message} ${error.stack} ${JSON.stringify(error)}`.includes('hunter2'));
      return true;
    });
  } finally {
    fault.value = 0;
  }
}

for (const [name, use] of [['next', (c) => c.next({ messages })], ['result', (c) => c.result({ callId: 'c', tool: 't', output: 'x' })], ['settle', (c) => c.settle({ usage: { inputTokens: 5 } })], ['inspect', (c) => c.inspect()]]) {
  test(`T-7 a trap in \`${name}\` ends that session, typed, and no other`, async () => {
    const [c, other] = await Promise.all([start(), start()]);
    await c.next({ messages });
    const { state } = c;
    await broken(() => use(c));
    for (const again of [() => c.inspect(), () => c.state, () => c.tools, () => c.set({})]) assert.throws(again, { code: 'internal_error' });
    for (const again of [() => c.next({ messages }), () => c.settle(), () => c.result({ callId: 'c', tool: 't', output: '' })]) await assert.rejects(again(), { code: 'internal_error' });
    c.close();
    assert.equal((await other.next({ messages })).view.length, 2);
    const reopened = await start(state);
    assert.equal((await reopened.next({ messages })).view.length, 2);
  });
}

test('T-7 calls that wait behind the one that broke are told, too', async () => {
  const c = await start();
  fault.value = 1;
  const all = await Promise.allSettled([c.next({ messages }), c.next({ messages }), c.settle()]);
  fault.value = 0;
  assert.deepEqual(all.map((one) => one.reason?.code), ['internal_error', 'internal_error', 'internal_error']);
});

test('a trap in the host\'s own wasm is the host\'s error and breaks nothing here', async () => {
  const theirs = new WebAssembly.RuntimeError('unreachable');
  const c = await open({ transcript: 't', model: { id: 'm', window: 10_000 }, host: { redact() { throw theirs; } } });
  await assert.rejects(c.result({ callId: 'c', tool: 't', output: 'x' }), (error) => error === theirs);
  assert.equal((await c.next({ messages })).view.length, 2);
});
