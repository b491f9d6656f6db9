// @ts-check
// One conversation: `open`, then `next` before each model call and `settle` after each response.
//
// Decides what a host can ask of it and what it is told. Calls stand in a line (`call-line.js`), a view is made in
// `planning.js`, events go out through `delivery.js`; everything about relief is decided in the core.

import { branchState, deleteOutputs } from './branch.js';
import { Bridge } from './bridge.js';
import { CallLine } from './call-line.js';
import { checkAccept, checkCompact, checkNext, checkOpen, checkPatch, checkResult } from './checked-input.js';
import { Core } from './core_bg.js';
import { Delivery } from './delivery.js';
import { DueFolds } from './due-folds.js';
import { badInput } from './errors.js';
import { aiSdk } from './formats/ai-sdk.js';
import { formatByName } from './formats/index.js';
import { FrameInForce } from './frame-in-force.js';
import { checkHost, checkSignal } from './host.js';
import { mediaPrice } from './media.js';
import { givenModel, modelInput } from './models.js';
import { readOverflow } from './overflow.js';
import { plainCopy } from './plain.js';
import { Planning } from './planning.js';
import { Window } from './project.js';
import { readToolOutput } from './read-tool-output.js';
import { backTo, outputOf } from './returned-output.js';
import { ticketOf } from './run-fold.js';
import { run } from './run-job.js';
import { RowSync } from './sync-rows.js';
import { isTaskBoundary } from './task-boundary.js';
import { usageOf } from './usage-of.js';

/** @param {any} options see `OpenOptions` in `index.d.ts` */
export async function open(options) {
  checkOpen(options);
  const { transcript, format, model, host, config, state } = options;
  if (format !== undefined) formatByName(format);
  const bridge = new Bridge(checkHost(host), transcript);
  /** @type {{ window?: Window }} */
  const late = {};
  const measure = (/** @type {any} */ output) => late.window?.write(output.text);
  const given = modelInput(model);
  const core = await run(Core.open(bridge, given, plainCopy(config, 'config', 'bad_config'), plainCopy(state, 'state'), measure));
  late.window = new Window(core);
  return new Cascade(core, bridge, late.window, format, given);
}

class Cascade {
  #core;
  #bridge;
  #rows;
  #frame;
  #planning;
  #delivery;
  #folds;
  #line = new CallLine();
  /** The model as the core reads it; media are priced by it, a ticket carries it. */
  #model;
  /** @type {any[]} */
  #tools;

  /** @param {any} core @param {Bridge} bridge @param {Window} window @param {string | undefined} format @param {any} model */
  constructor(core, bridge, window, format, model) {
    this.#core = core;
    this.#bridge = bridge;
    this.#delivery = new Delivery(bridge.host);
    this.#folds = new DueFolds(core, bridge, this.#line, this.#delivery);
    bridge.onLive = (/** @type {any} */ event) => this.#delivery.happened(event);
    this.#rows = new RowSync(core, window);
    this.#frame = new FrameInForce(core, window, bridge);
    this.#planning = new Planning(core, bridge, this.#rows, this.#frame, format);
    this.#model = model;
    this.#reprice();
    this.#tools = [readToolOutput(bridge.host, bridge.transcript, () => this.#core.config().toolOutput.maxChars, () => this.#format)];
  }

  /** The view to send now. @param {any} input */
  next(input) {
    return this.#plan(input, undefined);
  }

  /** Relief on request: a fold where one can be made, else a digest. @param {any} input */
  async compact(input) {
    return this.#plan(input, checkCompact(input));
  }

  /** @param {any} input @param {any} ask */
  #plan(input, ask) {
    // Read when it is called: the host may push to its array while the call waits its turn.
    const taken = settled(() => ({ ...checkNext(input), read: this.#rows.snapshot(input.messages, this.#line.idle), frame: input.frame }));
    return this.#run(async (live) => {
      const { events, background, ...planned } = await this.#planning.plan(taken(), ask);
      return {
        ...planned,
        events: [...live, ...this.#delivery.number(events)],
        ...(background ? { background: this.#folds.ofCall(this.#ticket(background)) } : {}),
      };
    });
  }

  /** @param {any} plan */
  #ticket(plan) {
    const { transcript } = this.#bridge;
    const context = this.#frame.given?.context;
    return ticketOf(plan, { transcript, format: this.#format.name, newest: this.#planning.newest, model: this.#model, config: this.#core.config(), context });
  }

  /** Takes back folds and decisions after a row. @param {{ to: number }} input */
  rewind(input) {
    return this.#run(async () => {
      if (!Number.isSafeInteger(input?.to) || input.to < 0) throw badInput('`to` must be the position of the last row that stays');
      await run(this.#core.rewindTo(input.to));
      return {};
    });
  }

  /** Shows the rows of a fold again. @param {{ id: string }} input */
  unfold(input) {
    return this.#run(async () => {
      await run(this.#core.unfold(String(input?.id ?? '')));
      return {};
    });
  }

  /** Another conversation that begins with the rows up to `at`. @param {any} input */
  fork(input) {
    return this.#run(async () => {
      const { to, at, map, host } = input ?? {};
      const { transcript, host: mine } = this.#bridge;
      if (typeof to !== 'string' || to === '' || to === transcript) throw badInput('`to` must name another conversation');
      if (!Number.isSafeInteger(at) || at < 0) throw badInput('`at` must be the position of the last row that goes along');
      const state = await branchState(this.#core, mine, transcript, { to, at, map });
      const { format } = this.#planning;
      const child = await open({ transcript: to, host: host ?? mine, model: givenModel(this.#model), config: this.#core.config(), ...(format && { format: format.name }), ...(typeof mine.commit === 'function' ? {} : { state }) });
      if (this.#frame.given !== undefined) child.set({ frame: this.#frame.given });
      return child;
    });
  }

  /** A fresh start on the same rows; with `all` nothing at all is remembered. @param {{ all?: boolean }} [input] */
  forget(input) {
    return this.#run(async () => {
      await run(this.#core.reset(input?.all === true));
      await deleteOutputs(this.#bridge.host, this.#bridge.transcript);
      return {};
    });
  }

  /** Facts that wait for the user's answer, those of earlier processes too: `{ id, scope, facts }[]`. */
  get suggestions() {
    return this.#line.look(() => this.#core.suggestions());
  }

  /** Writes facts with `host.addFact`, each through `sanitizeFact`: all of a suggestion, some of it, or the user's own. @param {{ id?: string, facts?: string[], scope?: string }} input */
  accept(input) {
    return this.#run(async () => {
      const { id, facts, scope } = checkAccept(input);
      return { facts: await run(this.#core.accept(id, facts, scope)) };
    });
  }

  /** Lets a suggestion go; its facts are not suggested again. @param {{ id: string }} input */
  reject(input) {
    return this.#run(async () => {
      await run(this.#core.reject(String(input?.id ?? '')));
      return {};
    });
  }

  /** A response arrived. @param {any} [input] */
  settle(input = {}) {
    return this.#run(async () => {
      if (input === null || typeof input !== 'object') throw badInput('`settle` needs an object: { messages?, usage?, error? }');
      const overflow = input.error === undefined ? undefined : readOverflow(input.error);
      const learned = overflow && { ...overflow, ...this.#core.overflowed(overflow) };
      const told = this.#core.settle(usageOf(input.usage));
      if (isTaskBoundary(input.messages, this.#format)) told.push(...[this.#core.handoff()].filter(Boolean));
      const events = this.#delivery.number(told);
      const { occupancy, window } = this.#core.gauge();
      const due = this.#core.foldDue();
      return { occupancy, window, events, ...(learned && { overflow: learned }), ...(due ? { background: this.#folds.atRest(this.#ticket(due)) } : {}) };
    });
  }

  /** A tool ran: what to record as its result. @param {any} input @param {{ signal?: AbortSignal }} [options] */
  result(input, options) {
    return this.#run(async () => {
      const signal = checkSignal(options?.signal);
      signal?.throwIfAborted();
      const { callId, tool, output } = checkResult(input);
      this.#bridge.signal = signal;
      try {
        const done = await run(this.#core.result(callId, tool, outputOf(output)));
        return { output: 'output' in done ? backTo(output, done.output) : output, clamped: done.clamped, ...(done.handle ? { handle: done.handle } : {}) };
      } finally {
        this.#bridge.signal = undefined;
      }
    });
  }

  /** `[]`, or the tool that reads outputs back. */
  get tools() {
    return this.#line.look(() => {
      const { persistRaw } = this.#core.config().toolOutput;
      const { raw, rows } = this.#bridge.host;
      return (raw && persistRaw) || ((raw || rows) && this.#core.handlesShown()) ? this.#tools : [];
    });
  }

  /** What fills the window and what became of each row, as plain JSON; `cuts: false` leaves out where the history may be cut, `rows` says what each row weighs, `scale` makes the buckets sum to the total. @param {{ cuts?: boolean, rows?: boolean, scale?: boolean }} [what] */
  inspect({ cuts = true, rows = false, scale = false } = {}) {
    return this.#line.look(() => ({ ...this.#core.inspect(scale === true), ...(rows && { rows: this.#core.weights() }), ...(cuts && { cuts: JSON.parse(this.#core.cuts()) }) }));
  }

  /** Takes effect at the next `next`; an error leaves everything as it was. @param {any} patch */
  set(patch) {
    this.#line.look(() => {
      const checked = checkPatch(patch);
      if (checked.config !== undefined) this.#core.checkConfig(checked.config);
      this.#line.between(() => this.#apply(checked));
    });
  }

  /** @param {ReturnType<typeof checkPatch>} patch */
  #apply({ config, model, frame, promote, pin, orderKeys }) {
    if (config !== undefined && this.#core.configure(config)) this.#rows.reset();
    if (model !== undefined) {
      this.#core.setModel(model);
      this.#model = model;
    }
    if (frame !== undefined) {
      this.#frame.take(frame);
      this.#core.recaptureContext();
    } else if (config !== undefined || model !== undefined) {
      // Another model is shown its tools in another form.
      this.#frame.again();
    }
    if (promote !== undefined) this.#frame.want(promote);
    if (config !== undefined || model !== undefined) this.#reprice();
    if (pin !== undefined) this.#core.setPins(pin);
    if (orderKeys !== undefined) this.#core.setOrderKeys(orderKeys);
  }

  /** The durable state, for hosts without a store. */
  get state() {
    return this.#line.look(() => this.#core.state());
  }

  /** Frees the wasm side; later calls are refused with code `closed`. */
  close() {
    this.#line.close(() => this.#core.free());
  }

  [Symbol.dispose ?? Symbol.for('Symbol.dispose')]() {
    this.close();
  }

  /** A call in its turn; what happened during it goes out when the state is released. @param {(live: any[]) => Promise<any>} job */
  #run(job) {
    return this.#line.run(() => {
      /** @type {any[]} */
      const live = [];
      return this.#delivery.during(live, async () => {
        const out = await job(live);
        const told = new Set(live);
        if (out?.events) this.#delivery.deliver(out.events.filter((/** @type {any} */ e) => !told.has(e)));
        return out;
      });
    });
  }

  /** The format in force, as far as it is known. */
  get #format() {
    return this.#planning.format ?? aiSdk;
  }

  /** Media are priced by the model and the configuration in force. */
  #reprice() {
    this.#rows.price = mediaPrice(this.#model, this.#core.config().media.imageTokens);
    this.#rows.reprice();
  }
}

/** The outcome of `look` now, handed out later. @template T @param {() => T} look @returns {() => T} */
function settled(look) {
  try {
    const value = look();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
