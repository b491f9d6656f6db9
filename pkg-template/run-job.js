// @ts-check
// Runs a job of the core to its end: asks what it asks, hands the answer back. Both ends are in JavaScript,
// so that a trap inside surfaces in the call that caused it.

const ASKS = 0;
const DONE = 1;

/** @param {any} job @returns {Promise<any>} */
export async function run(job) {
  let state = job.resume(undefined, false);
  while (state === ASKS) {
    let answer;
    let failed = false;
    try {
      answer = await job.take();
    } catch (error) {
      answer = error;
      failed = true;
    }
    state = job.resume(answer, failed);
  }
  return end(job, state);
}

/** The same over a bridge that answers at once. @param {any} job @returns {any} */
export function runNow(job) {
  let state = job.resume(undefined, false);
  while (state === ASKS) state = job.resume(job.take(), false);
  return end(job, state);
}

/** @param {any} job @param {number} state */
function end(job, state) {
  const value = job.take();
  job.free();
  if (state === DONE) return value;
  throw value;
}
