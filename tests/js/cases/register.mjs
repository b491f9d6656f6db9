// Turns the cases of some categories into tests: one per case, one subtest per `must`, the id in the name.
import { test } from 'node:test';
import { CHECKS, targetOf } from './checks.mjs';
import { readCases } from './read.mjs';
import { OPS, newWorld } from './run.mjs';

/**
 * @param {string[]} categories
 * @param {{ ops?: typeof OPS, checks?: Record<string, (world: any, check: any) => any>, pending?: Record<string, string>, should?: boolean | string[] }} [more]
 *   `pending`: a case (or `case/check`) that this version does not meet yet, and why; it is run and reported, but does
 *   not fail the suite. `should`: whether what the cases recommend is checked, too, or those of which it is
 */
export function testCases(categories, { ops = {}, checks = {}, pending = {}, should = false } = {}) {
  const cases = readCases(categories);
  if (!cases) {
    test(`cases: ${categories.join(', ')}`, { skip: 'THE CASE FILES ARE NOT HERE: set GENTLE_SHARED to the folder that holds cases/' }, () => {});
    return;
  }
  const allOps = { ...OPS, ...ops };
  const allChecks = { ...CHECKS, ...checks };
  for (const one of cases) {
    test(`${one.id} (${one.category})`, pending[one.id] ? { todo: pending[one.id] } : {}, async (t) => {
      const run = allOps[one.input.op];
      if (!run) throw new Error(`the runner has no op ${one.input.op}`);
      const world = newWorld(one);
      await run(world);
      for (const [n, must] of one.expect.must.entries()) {
        const todo = pending[one.id] ?? pending[`${one.id}/${must.check}`];
        await t.test(`${one.id} must ${n + 1}: ${must.check}`, todo ? { todo } : {}, async () => runCheck(world, must, allChecks));
      }
      const wishes = should === true || (Array.isArray(should) && should.includes(one.id)) ? (one.expect.should ?? []) : [];
      for (const [n, wish] of wishes.entries()) await t.test(`${one.id} should ${n + 1}: ${wish.check}`, async () => runCheck(world, wish, allChecks));
    });
  }
}

/** @param {import('./run.mjs').World} world @param {any} must @param {Record<string, (world: any, check: any) => any>} checks @returns {any} */
export function runCheck(world, must, checks = CHECKS) {
  if (must.optional && must.target && targetOf(world, must.target) === undefined) return;
  if (must.unlessOutcome && world.outcome === must.unlessOutcome) return;
  const check = checks[must.check];
  if (!check) throw new Error(`the runner has no check ${must.check}`);
  return check(world, must);
}
