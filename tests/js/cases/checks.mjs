// One function per check of the cases: it throws when the world does not hold what the case demands.
import assert from 'node:assert/strict';
import { callsOf, emptyPlaces, illFormed, mediaIn, resultsOf, textOf } from './messages.mjs';
import { serialised } from './run.mjs';

/** @typedef {import('./run.mjs').World} World */

/** What a check's `target` names. @param {World} world @param {string} name @returns {any} undefined where it does not exist */
export function targetOf(world, name) {
  switch (name) {
    case 'view':
      return world.view;
    case 'view.nonSystem':
      return world.view?.filter((m) => m.role !== 'system');
    case 'summaryRequest':
      return world.requests[0];
    case 'summaryRequests':
    case 'summaryRequests[*]':
      return world.requests;
    case 'summaryRequestText':
      return world.requests.map(textOf).join('\n');
    case 'text':
      return world.text;
    case 'output':
      return world.output;
    case 'output.serialized':
      return serialised(world.output);
    default:
      return name.startsWith('store.') ? [...world.raw.values()].join('\n') : valueAt(world, name);
  }
}

/** Numbers at a path: `inputTokens`, `counts[0]`, `variants[*].attachmentTokens`. @param {World} world @param {string} path @returns {any} */
export function valueAt(world, path) {
  return path.split('.').flatMap((key) => key.replace(/\[(\w+|\*)\]/g, '.$1').split('.')).reduce((/** @type {any} */ at, key) => {
    if (key === '*') return Object.values(at ?? {});
    return Array.isArray(at) && !/^\d+$/.test(key) ? at.map((v) => v?.[key]) : at?.[key];
  }, world.values);
}

const text = (/** @type {World} */ world, /** @type {string} */ target) => textOf(targetOf(world, target));
const utf8 = (/** @type {unknown} */ value) => Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));
const data = (/** @type {string} */ value) => [...value.matchAll(/data:[\w.+-]+\/[\w.+-]+;base64,([A-Za-z0-9+/=]*)/g)].map((m) => m[1]);

/** @type {Record<string, (world: World, check: any) => void>} */
export const CHECKS = {
  outcome_in: (world, { values }) => assert.ok(values.includes(world.outcome), `outcome ${world.outcome}, expected one of ${values}`),
  reason_in: (world, { values }) => assert.ok(values.includes(world.reason), `reason ${world.reason}, expected one of ${values}`),
  no_throw: () => {},
  no_empty_content: (world, { target }) => assert.deepEqual(emptyPlaces([targetOf(world, target)].flat()), []),
  count_ge: (world, { target, value }) => assert.ok(targetOf(world, target).length >= value),
  count_eq: (world, { path, value }) => assert.equal(valueAt(world, path).length, value),
  text_contains: (world, check) => assert.ok(text(world, check.target).includes(check.text), `${check.target} does not contain ${check.text}`),
  text_not_contains: (world, check) => assert.ok(!text(world, check.target).includes(check.text), `${check.target} contains ${check.text}`),
  text_contains_any: (world, check) => assert.ok(check.targets.some((/** @type {string} */ target) => text(world, target).includes(check.text))),
  text_order(world, { target, texts }) {
    const at = texts.map((/** @type {string} */ t) => text(world, target).indexOf(t));
    assert.ok(at.every((/** @type {number} */ n, /** @type {number} */ i) => n >= 0 && (i === 0 || n > at[i - 1])), `order ${at}`);
  },
  chars_le: (world, { target, value }) => assert.ok(text(world, target).length <= value, `${text(world, target).length} characters`),
  bytes_le: (world, { target, value }) => assert.ok(utf8(targetOf(world, target)) <= value, `${utf8(targetOf(world, target))} bytes`),
  well_formed: (world, { target }) => assert.ok(!illFormed(text(world, target))),
  json_parses: (world, { target }) => assert.equal(typeof JSON.parse(serialised(targetOf(world, target))), 'object'),
  calls_le: (world, { callback, value }) => assert.ok((world.calls[callback] ?? 0) <= value),
  calls_ge: (world, { callback, value }) => assert.ok((world.calls[callback] ?? 0) >= value),

  value_eq: (world, { path, value }) => assert.equal(valueAt(world, path), value),
  value_le: (world, { path, value }) => assert.ok(valueAt(world, path) <= value, `${path} = ${valueAt(world, path)}`),
  value_ge: (world, { path, value }) => assert.ok(valueAt(world, path) >= value, `${path} = ${valueAt(world, path)}`),
  value_between: (world, { path, min, max }) => assert.ok(valueAt(world, path) >= min && valueAt(world, path) <= max, `${path} = ${valueAt(world, path)}`),
  value_null: (world, { path }) => assert.ok(valueAt(world, path) === null || valueAt(world, path) === undefined),
  all_equal(world, { path }) {
    const values = valueAt(world, path);
    assert.ok(values.length > 1 && values.every((/** @type {number} */ v) => v === values[0]), `${path} = ${values}`);
  },

  byte_identical: (world, { indices }) => {
    for (const i of indices) assert.ok(world.view?.includes(world.messages[i]), `message ${i} is not the host's object in the view`);
  },
  kept_verbatim(world, { indices }) {
    const at = indices.map((/** @type {number} */ i) => world.view?.indexOf(world.messages[i]) ?? -1);
    assert.ok(at.every((/** @type {number} */ n, /** @type {number} */ i) => n >= 0 && (i === 0 || n > at[i - 1])), `places ${at}`);
  },
  untouched_unless_changed(world, { indices }) {
    for (const i of indices) {
      const reported = world.inspection?.findings?.some((/** @type {any} */ f) => f.kind === 'repaired' && f.at === i);
      assert.ok(world.view?.includes(world.messages[i]) || reported, `message ${i} was changed and not reported`);
    }
  },

  pairs_complete(world, { target, allowPending = [] }) {
    const messages = targetOf(world, target);
    const waiting = new Map();
    const all = [...callsOf(messages).map((c) => ({ ...c, call: true })), ...resultsOf(messages).map((r) => ({ ...r, call: false }))].sort((a, b) => a.at - b.at || Number(b.call) - Number(a.call));
    for (const { id, call } of all) {
      const open = waiting.get(id) ?? 0;
      assert.ok(call || open > 0, `the result ${id} has no call before it`);
      waiting.set(id, open + (call ? 1 : -1));
    }
    for (const [id, open] of waiting) assert.ok(open === 0 || allowPending.includes(id), `the call ${id} has no result`);
  },
  one_result_per_call(world, { target }) {
    const calls = callsOf(targetOf(world, target)).map((c) => c.id).sort();
    assert.deepEqual(resultsOf(targetOf(world, target)).map((r) => r.id).sort(), calls);
  },
  first_role: (world, { target, roles }) => assert.ok(roles.includes(targetOf(world, target).find((/** @type {any} */ m) => m.role !== 'system')?.role)),

  media_count_le: (world, { target, value }) => assert.ok(mediaIn(targetOf(world, target)).length <= value, `${mediaIn(targetOf(world, target)).length} media`),
  replaced_oldest_first(world) {
    const kept = new Set(mediaIn(world.view));
    const gone = mediaIn(world.messages).map((m) => !kept.has(m));
    assert.ok(gone.lastIndexOf(true) < (gone.includes(false) ? gone.indexOf(false) : gone.length));
  },

  no_partial_data_uri(world, { target }) {
    const whole = new Set(data(textOf(world.one.input)));
    for (const one of data(text(world, target))) assert.ok(whole.has(one), 'a data URI is cut');
  },
  data_uri_replaced: (world) => assert.deepEqual(data(world.text ?? ''), []),
  only_chars_plus_marker(world, { char }) {
    const rest = (world.text ?? '').split(char).join('');
    assert.match(rest, /^(\[[^\]]*\]|…)?$/u);
  },
  same_top_level_keys: (world, { keys }) => assert.deepEqual(Object.keys(JSON.parse(serialised(world.output))).filter((k) => k !== '_omitted'), keys),
  states_omitted_count(world) {
    const [before, after] = [world.one.input.output, world.output].map((o) => Object.values(o.value).find(Array.isArray));
    assert.match(JSON.stringify(world.output), new RegExp(`\\b${before.length - after.length} of ${before.length}\\b`));
  },
  input_eviction_is_opt_in(world) {
    if (world.one.input.config.evictInputs) return;
    for (const { at, part } of callsOf(world.messages)) assert.ok(callsOf(world.view ?? []).some((c) => c.part === part), `the arguments of message ${at} changed`);
  },
};
