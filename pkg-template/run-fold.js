// @ts-check
// A fold from a ticket, wherever it is picked up: a queue, an alarm, another process.
//
// Opens the conversation from the host's store, loads the rows the plan is about, and lets the core fold
// them if they are still what the plan was made from. Nothing but the host is needed; nothing is kept.

import { Bridge } from './bridge.js';
import { Core } from './core_bg.js';
import { badInput } from './errors.js';
import { formatByName, listRows } from './formats/index.js';
import { pushFrame } from './frame.js';
import { callHost, checkHost, checkSignal } from './host.js';
import { mediaPrice } from './media.js';
import { Window } from './project.js';
import { run } from './run-job.js';
import { RowSync } from './sync-rows.js';

/** Newest version of a ticket. */
const TICKET = 1;
const NEEDED = ['load', 'commit', 'rows', 'summarize'];

/**
 * @param {any} ticket what `next` or `settle` gave, as it was or from JSON
 * @param {any} host needs `load`, `commit`, `rows` and `summarize`
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<any[]>} the events: `context.folded`, or `context.declined` with the reason
 */
export async function runFold(ticket, host, options) {
  /** @type {any[]} */
  const events = [];
  await foldTicket(ticket, host, {
    signal: checkSignal(options?.signal),
    onEvent: (event) => {
      const told = { ...event, v: 1, seq: events.length + 1, persist: false };
      events.push(told);
      host?.onEvent?.(told);
    },
  });
  return events;
}

/** @param {any} ticket @param {any} host @param {{ signal?: AbortSignal, onEvent: (event: any) => void }} options */
export async function foldTicket(ticket, host, { signal, onEvent }) {
  checkTicket(ticket);
  const bridge = new Bridge(checkHost(host), ticket.transcript);
  for (const name of NEEDED) if (!bridge.has(name)) throw badInput(`a ticket needs \`host.${name}\``);
  const { plan } = ticket;
  const context = { transcript: ticket.transcript, ...(signal ? { signal } : {}) };
  const rows = rowsOf(await callHost(host, host, 'rows', [{ from: plan.from, to: ticket.to }], context));
  bridge.signal = signal;
  bridge.onLive = onEvent;
  const listed = listRows(formatByName(ticket.format), rows.map((row) => row.message), rows.map((row) => row.position));
  bridge.format = listed.format;
  bridge.messages = listed.messages;
  /** @type {{ window?: Window }} */
  const late = {};
  const core = await run(Core.open(bridge, ticket.model, ticket.config, undefined, (/** @type {any} */ output) => late.window?.write(output.text)));
  try {
    late.window = new Window(core);
    if (ticket.context) pushFrame(core, late.window, { context: ticket.context }, undefined);
    const sync = new RowSync(core, late.window);
    sync.price = mediaPrice(ticket.model, core.config().media.imageTokens);
    sync.owners = listed.owners;
    sync.push(listed.messages, listed.positions, listed.format);
    return await run(core.foldTicket(plan));
  } finally {
    core.free();
  }
}

/**
 * What another process needs to make the same fold; JSON.
 * @param {any} plan
 * @param {{ transcript: string, format: string, newest: number, model: any, config: any, context: any }} made with what, and from rows up to `newest`
 */
export function ticketOf(plan, { newest, context, transcript, format, model, config }) {
  return { v: TICKET, transcript, format, to: Math.max(newest, plan.covered), model, config, ...(context?.length > 0 ? { context } : {}), plan };
}

/** @param {any} ticket */
function checkTicket(ticket) {
  const whole = (/** @type {unknown} */ n) => Number.isSafeInteger(n) && Number(n) >= 0;
  const fine = ticket && typeof ticket === 'object' && typeof ticket.transcript === 'string' && ticket.transcript !== '' && whole(ticket.plan?.from) && whole(ticket.to);
  if (!fine) throw badInput('`ticket` is not a ticket of `next` or `settle`');
  if (ticket.v !== TICKET) throw badInput(`\`ticket.v\` is ${String(ticket.v)}; this version reads ${TICKET}`);
}

/** Rows as `host.rows` must return them, in order. @param {any} rows @returns {{ position: number, message: any }[]} */
export function rowsOf(rows) {
  if (!Array.isArray(rows)) throw badInput('`host.rows` must return an array of { position, message }');
  for (const [i, row] of rows.entries()) {
    if (!Number.isSafeInteger(row?.position) || row.message === null || typeof row.message !== 'object') throw badInput(`\`host.rows\` returned an entry (${i}) that is not { position, message } with a whole number as position`);
  }
  return rows;
}
