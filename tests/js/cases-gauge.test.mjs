// The cases about measuring and showing: occupancy, panel numbers, counting and its speed, media.
import assert from 'node:assert/strict';
import { open } from '../../pkg/inline.js';
import { breakdown, count } from '../../pkg/pure.js';
import { panelModel } from '../../pkg/panel.js';
import { memory } from '../../pkg/tokens/boot.js';
import { counter, loadVocabulary } from '../../pkg/tokens.js';
import { bytes } from '../../pkg/vocab/o200k.js';
import { testCases } from './cases/register.mjs';
import { modelOf, rowsOf } from './cases/config.mjs';
import { openCase, takeNext } from './cases/run.mjs';

const SOURCES = { exact: 'usage', anchored: 'usage+estimate', estimated: 'estimate' };
/** Whether it can still be done is not asked here, so nothing is above hard. */
const LADDER = /** @type {const} */ ([['hard', 'hard'], ['fold', 'soft'], ['evict', 'evict']]);

/** The highest threshold an occupancy reaches, in the words of the cases. @param {any} thresholds @param {number} tokens */
function actionAt(thresholds, tokens) {
  return LADDER.find(([, key]) => tokens >= thresholds[key])?.[0] ?? 'none';
}

/** What a case looks at after a step. @param {any} cascade @param {any} occupancy */
function seen(cascade, occupancy) {
  const { thresholds, window, breakdown: whole, findings } = cascade.inspect();
  return { inputTokens: occupancy.tokens, tokens: occupancy.tokens, source: SOURCES[/** @type {keyof typeof SOURCES} */ (occupancy.provenance)], action: actionAt(thresholds, occupancy.tokens), window, percent: whole.percent, findings };
}

/** @param {number} tokens @param {number} window @param {number} cells */
function bar(tokens, window, cells) {
  const { bar: { segments } } = panelModel({ contextLimit: window, used: tokens, segments: [{ category: 'messages', tokens }] });
  const filled = Math.min(cells, Math.round(segments.reduce((n, s) => n + s.share, 0) * cells));
  return { filled, empty: cells - filled };
}

/** A text of so many tokens by chars4. @param {number} n */
const sized = (n) => 'x'.repeat(4 * n);
const WHOLE = { toolOutput: { maxChars: 2_000_000_000 } };
const QUIET = { ...WHOLE, eviction: { enabled: false }, cascade: { enabled: false }, digest: { atFraction: 1 }, summarize: { enabled: false } };

const ops = {
  async occupancy(/** @type {any} */ world) {
    const { input } = world.one;
    const cascade = await openCase(world, { format: 'ai-sdk' });
    const { messages, positions } = rowsOf(world.one);
    if (input.rows) {
      // The host holds rows behind the boundary; what was counted before the fold is not known any more.
      const boundary = input.rows.find((/** @type {any} */ row) => row.checkpoint)?.checkpoint;
      const kept = messages.filter((/** @type {any} */ _, /** @type {number} */ i) => (positions[i] ?? Infinity) >= boundary.firstKept);
      const { occupancy } = await cascade.next({ messages: kept, positions: positions.filter((/** @type {any} */ p) => (p ?? Infinity) >= boundary.firstKept) });
      Object.assign(world.values, seen(cascade, occupancy));
    } else if (input.messages) {
      // What is in the window before anything is relieved: no stage may act, and no threshold is ever reached.
      const { id, ...limits } = modelOf(world.one);
      cascade.set({ config: QUIET, model: { id, window: 1_000_000_000 } });
      const usage = input.usage;
      if (usage?.atMessage !== undefined) {
        await cascade.next({ messages: messages.slice(0, usage.atMessage) });
        await cascade.settle({ usage });
      } else {
        await cascade.next({ messages });
        await cascade.settle({ usage });
      }
      const { occupancy } = await cascade.next({ messages });
      cascade.set({ model: { id, ...limits } });
      Object.assign(world.values, seen(cascade, occupancy));
    } else {
      for (const usage of input.steps ?? [input.usage]) {
        await cascade.next({ messages: [{ role: 'user', content: 'go' }] });
        await cascade.settle({ usage });
      }
      const { occupancy } = cascade.inspect();
      Object.assign(world.values, seen(cascade, occupancy));
      if (input.include === 'input+output') {
        const answered = await cascade.next({ messages: [{ role: 'user', content: 'go' }, { role: 'assistant', content: [{ type: 'text', text: 'x' }] }] });
        Object.assign(world.values, seen(cascade, answered.occupancy), { inputTokens: occupancy.tokens });
      }
      if (input.barCells) world.values.bar = bar(occupancy.tokens, input.window, input.barCells);
    }
    world.inspection = cascade.inspect();
    cascade.close();
  },

  async cascade(/** @type {any} */ world) {
    const { usage, config } = world.one.input;
    const cascade = await openCase(world);
    const { messages } = rowsOf(world.one);
    cascade.set({ config: QUIET });
    await cascade.next({ messages: messages.slice(0, usage.atMessage) });
    await cascade.settle({ usage });
    cascade.set({ config: { eviction: { enabled: true }, summarize: { enabled: config.summarize !== false }, cascade: { enabled: true } } });
    const next = await cascade.next({ messages });
    takeNext(world, next);
    world.values.inputTokensAfter = next.occupancy.tokens;
    cascade.close();
  },

  async policy(/** @type {any} */ world) {
    const cascade = await openCase(world);
    await cascade.next({ messages: [{ role: 'user', content: 'go' }] });
    const { occupancy } = await cascade.settle({ usage: world.one.input.usage });
    Object.assign(world.values, seen(cascade, occupancy));
    cascade.close();
  },

  async policy_trace(/** @type {any} */ world) {
    const { steps, window } = world.one.input;
    const cascade = await openCase(world, window === undefined ? { model: { id: 'large', window: steps[0].window } } : {});
    cascade.set({ config: QUIET });
    const list = [{ role: 'user', content: 'go' }];
    world.values.steps = [];
    for (const step of steps) {
      let occupancy;
      if (step.usage) {
        await cascade.next({ messages: list });
        ({ occupancy } = await cascade.settle({ usage: step.usage }));
      } else if (step.appendedEstimate) {
        list.push({ role: 'assistant', content: '' }, { role: 'user', content: sized(step.appendedEstimate) });
        occupancy = (await cascade.next({ messages: list }).catch(() => ({ occupancy: cascade.inspect().occupancy }))).occupancy;
      } else if (step.providerError) {
        ({ occupancy } = await cascade.settle({ error: { code: step.providerError } }));
      } else if (step.modelChange) {
        cascade.set({ model: { id: 'small', window: step.modelChange.window } });
        // What the next `next` starts from, before any request goes to the new model.
        ({ occupancy } = cascade.inspect());
      }
      world.values.steps.push(seen(cascade, occupancy));
    }
    Object.assign(world.values, world.values.steps.at(-1));
    cascade.close();
  },

  async calibrate(/** @type {any} */ world) {
    const trace = async (/** @type {any[]} */ steps) => {
      const cascade = await open({ transcript: 'c', format: 'ai-sdk', host: {}, model: { id: 'case', window: 2_000_000 }, config: { ...QUIET, estimate: { counter: 'chars4' } } });
      /** @type {any[]} */
      const list = [];
      const out = [];
      let weight = 0;
      for (const { estimate, real } of steps) {
        if (list.length > 0) list.push({ role: 'assistant', content: '' });
        list.push({ role: 'user', content: sized(estimate - weight) });
        weight = estimate;
        const { occupancy } = await cascade.next({ messages: list });
        if (real !== undefined) await cascade.settle({ usage: { inputTokens: real } });
        out.push({ calibrated: occupancy.tokens, factor: cascade.inspect().estimate.ratio, counter: cascade.inspect().estimate.counter });
      }
      cascade.close();
      return out;
    };
    const { steps, variants } = world.one.input;
    world.values.steps = await trace(steps);
    world.values.variants = [];
    for (const variant of variants) world.values.variants.push({ calibrated: (await trace(variant.steps)).at(-1)?.calibrated });
  },

  display(/** @type {any} */ world) {
    const { tokens, window, barCells, lastRequest } = world.one.input;
    const assumed = window.source === 'assumed';
    const size = window.value ?? window;
    const whole = breakdown({ buckets: [], ...(lastRequest === undefined || lastRequest === 'succeeded' ? { real: tokens } : {}), model: { id: 'case', ...(assumed ? { assumedWindow: size } : { window: size }), maxOutput: 0 } });
    const model = panelModel(whole);
    Object.assign(world.values, { tokens: whole.total, percent: whole.percent, free: whole.free, overflow: model.over, window: { provenWrong: model.warning !== null }, ...(barCells && { bar: bar(tokens, size, barCells) }) });
  },

  async breakdown(/** @type {any} */ world) {
    const { input } = world.one;
    const cascade = await openCase(world, { model: { id: 'case', window: 1_000_000 } });
    cascade.set({ config: QUIET });
    const set = (/** @type {any} */ tools, /** @type {boolean} */ deferred) => Array.from({ length: tools.count }, (_, i) => ({ name: `${deferred ? 'd' : 'b'}${i}`, source: 'core', deferred, schema: { x: 'x'.repeat(Math.max(0, Math.floor(tools.bytes / tools.count) - 8)) } }));
    const frame = input.tools ? { tools: [...set(input.tools.bound, false), ...set(input.tools.deferred, true)] } : undefined;
    await cascade.next({ messages: world.messages.length > 0 ? world.messages : [{ role: 'user', content: 'go' }], ...(frame && { frame }) });
    if (input.real) await cascade.settle({ usage: { inputTokens: input.real } });
    const { buckets, overhead, total } = cascade.inspect().breakdown;
    const of = (/** @type {string} */ id) => buckets.find((/** @type {any} */ b) => b.id === id);
    const part = (/** @type {string} */ label) => of('messages').items.find((/** @type {any} */ i) => i.label === label)?.tokens ?? 0;
    Object.assign(world.values, {
      total,
      overhead,
      messagesTotal: of('messages').tokens,
      buckets: { system: of('system').tokens, toolsBound: of('tools').tokens, toolsDeferred: of('deferred').tokens, session: of('context').tokens, messages: of('messages').tokens, attachments: of('attachments').tokens },
      parts: { reasoning: part('Reasoning'), toolArgs: part('Tool calls'), toolResults: part('Tool results') },
    });
    cascade.close();
  },

  async estimate(/** @type {any} */ world) {
    const cascade = await open({ transcript: 'c', format: 'ai-sdk', host: {}, model: { id: 'case', window: 100_000_000 }, config: { ...QUIET, toolOutput: { maxChars: 2_000_000_000 } } });
    const { occupancy } = await cascade.next({ messages: world.messages });
    Object.assign(world.values, seen(cascade, occupancy));
    cascade.close();
  },

  async count(/** @type {any} */ world) {
    await loadVocabulary('o200k', bytes());
    const { texts } = world.one.input;
    world.values.times = texts.map((/** @type {string} */ text) => {
      const start = performance.now();
      count(text);
      return performance.now() - start;
    });
    world.values.o200k_base = texts.map((/** @type {string} */ text) => count(text).tokens);
  },

  async stress(/** @type {any} */ world) {
    await loadVocabulary('o200k', bytes());
    const counts = new Set();
    const before = memory().buffer.byteLength;
    for (let i = 0; i < world.one.input.calls; i += 1) {
      const one = counter();
      counts.add(one.add(world.one.input.each.count).tokens);
      if (i % 2 === 0) one.free();
    }
    Object.assign(world.values, { distinctCounts: counts.size, growth: memory().buffer.byteLength - before });
  },
};

const checks = {
  evicted: (/** @type {any} */ world, /** @type {any} */ { toolCallIds }) => {
    const results = world.view.flatMap((/** @type {any} */ m) => (Array.isArray(m.content) ? m.content : [])).filter((/** @type {any} */ p) => p.type === 'tool-result');
    assert.deepEqual(results.filter((/** @type {any} */ p) => String(p.output.value).startsWith('[context-cleared]')).map((/** @type {any} */ p) => p.toolCallId), toolCallIds);
  },
  action: (/** @type {any} */ world, /** @type {any} */ { values }) => assert.ok(values.includes(world.values.action), `action ${world.values.action} at ${world.values.inputTokens}, expected one of ${values}`),
  action_on_step: (/** @type {any} */ world, /** @type {any} */ { step, values }) => assert.ok(values.includes(world.values.steps[step - 1].action), `action ${world.values.steps[step - 1].action}, expected one of ${values}`),
  occupancy_source: (/** @type {any} */ world, /** @type {any} */ { step, values }) => assert.ok(values.includes(world.values.steps[step - 1].source), world.values.steps[step - 1].source),
  before_next_request: (/** @type {any} */ world) => assert.notEqual(world.values.steps.at(-1).action, 'none'),
  factor_clamped: (/** @type {any} */ world, /** @type {any} */ { min, max }) => assert.ok(world.values.steps.every((/** @type {any} */ s) => s.factor >= min && s.factor <= max)),
  no_nan: (/** @type {any} */ world) => assert.ok(Object.values(world.values).every((v) => typeof v !== 'number' || (Number.isFinite(v) && v >= 0))),
  not_in_total: (/** @type {any} */ world) => {
    const { buckets, overhead, total } = world.values;
    const { toolsDeferred, ...rest } = buckets;
    assert.ok(toolsDeferred > 0);
    assert.equal(Object.values(rest).reduce((/** @type {number} */ n, v) => n + /** @type {number} */ (v), overhead), total);
  },
  sum_eq: (/** @type {any} */ world, /** @type {any} */ { paths, value }) => assert.equal(paths.reduce((/** @type {number} */ n, /** @type {string} */ path) => n + path.split('.').reduce((/** @type {any} */ at, key) => at?.[key], world.values), 0), value),
  time_le_ms: (/** @type {any} */ world, /** @type {any} */ { value }) => assert.ok(world.values.times.every((/** @type {number} */ ms) => ms <= value), String(world.values.times)),
  memory_growth_le_pages: (/** @type {any} */ world, /** @type {any} */ { value }) => assert.ok(world.values.growth <= value * 65_536, `${world.values.growth} bytes`),
  flag: (/** @type {any} */ world, /** @type {any} */ { name }) => assert.ok(world.values.findings.some((/** @type {any} */ f) => f.kind === name)),
  encoder_is_shared: (/** @type {any} */ world) => assert.ok(world.values.growth < 100_000),
  encoding_reported: (/** @type {any} */ world) => assert.deepEqual(new Set(world.values.steps.map((/** @type {any} */ s) => s.counter)), new Set(['chars4'])),
};

testCases(['occupancy', 'ui-display', 'token-count'], { ops, checks, should: ['064-base64-inside-a-text-result', '123-encoder-instances-exhaust-wasm-memory', '125-one-vocabulary-for-every-model'] });
