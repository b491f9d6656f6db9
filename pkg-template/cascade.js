// @ts-check
// One conversation: `open`, then `next` before each model call and `settle` after each response.
//
// Decides the order of calls (one at a time, first come first served) and lays the core's recipe over
// the host's objects. Everything about relief is decided in the core.

import { branchState, deleteOutputs } from './branch.js';
import { Bridge } from './bridge.js';
import { Core } from './core_bg.js';
import { CascadeError, badInput, isTrap } from './errors.js';
import { stamper } from './events.js';
import { aiSdk } from './formats/ai-sdk.js';
import { formatByName, formatOf, listRows } from './formats/index.js';
import { pushFrame } from './frame.js';
import { callHost, checkHost, checkSignal } from './host.js';
import { ShownTexts } from './shown-texts.js';
import { ViewLayer } from './lay-view.js';
import { mediaPrice } from './media.js';
import { modelInput } from './models.js';
import { refuseViews } from './origins.js';
import { jsonOutput, listOutput, textOutput } from './outputs.js';
import { plainCopy } from './plain.js';
import { readOverflow } from './overflow.js';
import { Window } from './project.js';
import { bindPromoted, dueNow } from './promote.js';
import { readToolOutput } from './read-tool-output.js';
import { TICKET, foldTicket } from './run-fold.js';
import { run } from './run-job.js';
import { RowSync } from './sync-rows.js';
import { usageOf } from './usage-of.js';

/** @param {any} options see `OpenOptions` in `index.d.ts` */
export async function open(options) {
  if (!options || typeof options !== 'object') throw badInput('`open` needs an object: { transcript, model, … }');
  const { transcript, format, model, host, config, state } = options;
  if (typeof transcript !== 'string' || transcript === '') throw badInput('`transcript` must be a non-empty string that names the conversation');
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
  #window;
  #rows;
  /** Named, or seen for certain. @type {import('./formats/parts.js').Format | undefined} */
  #format;
  /** The model as the core reads it; media are priced by it, a ticket carries it. */
  #model;
  /** @type {Promise<unknown>} */
  #queue = Promise.resolve();
  /** @type {'open' | 'closed' | 'dead'} */
  #life = 'open';
  #busy = false;
  /** Calls that have not ended. */
  #open = 0;
  /** Patches that came while a call was running. @type {(() => void)[]} */
  #later = [];
  #warned = false;
  #stamp = stamper();
  /** Who hands out what happens now: the running call, a background fold. @type {Set<any[]>} */
  #sinks = new Set();
  #frame = /** @type {any} */ (undefined);
  #frameNames = { system: /** @type {string | undefined} */ (undefined), tools: /** @type {string[]} */ ([]) };
  /** Deferred tools to bind when the turn allows it. @type {string[]} */
  #wanted = [];
  #layer = new ViewLayer();
  #shown = new ShownTexts();
  #restarted = true;
  /** @type {any[]} */
  #tools;
  /** Position of the newest stored row of the last call. */
  #newest = 0;

  /** @param {any} core @param {Bridge} bridge @param {Window} window @param {string | undefined} format @param {any} model */
  constructor(core, bridge, window, format, model) {
    this.#core = core;
    this.#bridge = bridge;
    bridge.onLive = (/** @type {any} */ event) => {
      const told = this.#tell([event]);
      for (const sink of this.#sinks) sink.push(...told);
    };
    this.#window = window;
    this.#rows = new RowSync(core, window);
    this.#format = format === undefined ? undefined : formatByName(format);
    this.#model = model;
    this.#reprice();
    this.#tools = [readToolOutput(bridge.host, bridge.transcript, () => this.#core.config().toolOutput.maxChars, () => this.#format ?? aiSdk)];
  }

  /** The view to send now. @param {any} input */
  next(input) {
    return this.#plan(input, undefined);
  }

  /** Relief on request: a fold where one can be made, else a digest. @param {any} input */
  compact(input) {
    const { at = 'now', brief, focus } = input ?? {};
    if (at !== 'now' && at !== 'chapter') return Promise.reject(badInput("`at` must be 'now' or 'chapter'"));
    for (const [name, value] of Object.entries({ brief, focus })) {
      if (value !== undefined && typeof value !== 'string') return Promise.reject(badInput(`\`${name}\` must be a string`));
    }
    return this.#plan(input, { compact: at === 'now', chapter: at === 'chapter', brief: brief ?? null, focus: focus ?? null });
  }

  /** @param {any} input @param {any} ask */
  #plan(input, ask) {
    // Read when it is called: the host may push to its array while the call waits its turn.
    const taken = settled(() => ({ ...checkNext(input), read: this.#rows.snapshot(input.messages, this.#open === 0) }));
    return this.#run(async (live) => {
      const { read, positions, signal, idleMs } = taken();
      signal?.throwIfAborted();
      const messages = read();
      // What passed once and is the same object still passes.
      const known = this.#rows.known(messages);
      refuseViews(messages, known);
      const host = this.#formatOf(messages);
      const listed = listRows(host, messages, positions);
      const { format } = listed;
      if (input.frame !== undefined) this.#takeFrame(input.frame);
      this.#promote(messages, format);
      this.#shown.refuse(listed.messages, host.rows ? 0 : known, format);
      const bridge = this.#bridge;
      bridge.messages = listed.messages;
      bridge.format = format;
      bridge.signal = signal;
      try {
        // A vocabulary that came since the last call counts exactly what was estimated before.
        if (this.#core.takeVocabulary()) this.#rows.reset();
        this.#rows.owners = listed.owners;
        this.#rows.push(listed.messages, listed.positions, format, { whole: ask !== undefined, ...(!host.rows && { known }) });
        this.#newest = newestPosition(listed.positions, listed.messages.length);
        this.#core.setIdle(idleMs ?? -1);
        const report = await run(this.#core.next(ask));
        const fresh = this.#layer.take(report.steps, this.#rows.takeStable());
        this.#shown.take(fresh, format);
        // What a view of an earlier process showed is known only now.
        if (this.#restarted) this.#shown.refuse(listed.messages, 0, format);
        this.#restarted = false;
        await this.#redactAgain(fresh, listed.messages, format);
        const { recipe, view } = this.#layer.lay(listed.messages, format, (row, part) => bridge.output(row, part), (row) => this.#rows.printOf(row));
        const { steps: _steps, events, background, record, folded, ...rest } = report;
        const pending = folded ? await this.#pending(view, recipe) : 0;
        return {
          ...rest,
          view,
          recipe,
          frame: this.#frameNames,
          ...(host.rows && { messages: listed.messages }),
          events: [...live, ...this.#number(events)],
          ...(record === undefined ? {} : { record: [host.userMessage([{ text: record, origin: 'user' }], 'user')] }),
          ...(pending > 0 ? { pending } : {}),
          ...(background ? { background: this.#background(background) } : {}),
        };
      } finally {
        bridge.messages = [];
        bridge.signal = undefined;
        bridge.place = undefined;
      }
    });
  }

  /** What was typed while the fold was made is read in this very request. @param {any[]} view @param {any[]} recipe */
  async #pending(view, recipe) {
    const { host, transcript, signal } = this.#bridge;
    if (typeof host.pending !== 'function') return 0;
    const more = (await callHost(host, host, 'pending', [], { transcript, signal })) ?? [];
    for (const message of more) {
      view.push(message);
      recipe.push({ insert: message, origin: 'user' });
    }
    return more.length;
  }

  /** @param {any} plan */
  #background(plan) {
    const bridge = this.#bridge;
    /** @type {Promise<any[]> | undefined} */
    let started;
    return {
      ticket: this.#ticket(plan),
      run: () => {
        started ??= (async () => {
          /** @type {any[]} */
          const live = [];
          this.#sinks.add(live);
          const done = run(this.#core.background()).catch((error) => {
            throw this.#judge(error);
          });
          bridge.running = done;
          try {
            await done;
          } finally {
            if (bridge.running === done) bridge.running = undefined;
            this.#sinks.delete(live);
          }
          return live;
        })();
        return started;
      },
    };
  }

  /** A fold that is due at rest: its rows come from the host's store, since none of the host's objects are kept. @param {any} plan */
  #atRest(plan) {
    const bridge = this.#bridge;
    const ticket = this.#ticket(plan);
    /** @type {Promise<any[]> | undefined} */
    let started;
    return {
      ticket,
      run: () => {
        started ??= (async () => {
          /** @type {any[]} */
          const live = [];
          this.#check();
          this.#core.setFolding(true);
          const done = (async () => {
            try {
              await foldTicket(ticket, bridge.host, { onEvent: (event) => live.push(...this.#tell([event])) });
            } finally {
              if (this.#life === 'open') {
                this.#core.setFolding(false);
                await run(this.#core.catchUp());
              }
            }
          })();
          bridge.running = done;
          try {
            await done;
          } finally {
            if (bridge.running === done) bridge.running = undefined;
          }
          return live;
        })();
        return started;
      },
    };
  }

  /** What another process needs to make the same fold; JSON. @param {any} plan */
  #ticket(plan) {
    const { context } = this.#frame ?? {};
    return {
      v: TICKET,
      transcript: this.#bridge.transcript,
      format: (this.#format ?? aiSdk).name,
      to: Math.max(this.#newest, plan.covered),
      model: this.#model,
      config: this.#core.config(),
      ...(context?.length > 0 ? { context } : {}),
      plan,
    };
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
      if (typeof to !== 'string' || to === '' || to === this.#bridge.transcript) throw badInput('`to` must name another conversation');
      if (!Number.isSafeInteger(at) || at < 0) throw badInput('`at` must be the position of the last row that goes along');
      const { transcript, host: mine } = this.#bridge;
      const state = await branchState(this.#core, mine, transcript, { to, at, map });
      const child = await open({ transcript: to, host: host ?? mine, model: givenModel(this.#model), config: this.#core.config(), ...(this.#format && { format: this.#format.name }), ...(typeof mine.commit === 'function' ? {} : { state }) });
      if (this.#frame !== undefined) child.set({ frame: this.#frame });
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
    return this.#guard(() => this.#core.suggestions());
  }

  /** Writes facts with `host.addFact`, each through `sanitizeFact`: all of a suggestion, some of it, or the user's own. @param {{ id?: string, facts?: string[], scope?: string }} input */
  accept(input) {
    return this.#run(async () => {
      const { id, facts, scope } = input ?? {};
      if (facts !== undefined && !(Array.isArray(facts) && facts.every((f) => typeof f === 'string'))) throw badInput('`facts` must be an array of strings');
      if (id === undefined && facts === undefined) throw badInput('`accept` needs `id` of a suggestion or `facts`');
      return { facts: await run(this.#core.accept(id === undefined ? undefined : String(id), facts, scope === undefined ? undefined : String(scope))) };
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
      if (isTaskBoundary(input.messages, this.#format ?? aiSdk)) told.push(...[this.#core.handoff()].filter(Boolean));
      const events = this.#number(told);
      const { occupancy, window } = this.#core.gauge();
      const due = this.#core.foldDue();
      return { occupancy, window, events, ...(learned && { overflow: learned }), ...(due ? { background: this.#atRest(due) } : {}) };
    });
  }

  /** A tool ran: what to record as its result. @param {any} input @param {{ signal?: AbortSignal }} [options] */
  result(input, options) {
    return this.#run(async () => {
      const signal = checkSignal(options?.signal);
      signal?.throwIfAborted();
      const { callId, tool, output } = input ?? {};
      if (typeof callId !== 'string' || callId === '') throw badInput('`callId` must be the id of the tool call');
      if (typeof tool !== 'string') throw badInput('`tool` must be the name of the tool');
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
    return this.#guard(() => {
      const { persistRaw } = this.#core.config().toolOutput;
      const { raw, rows } = this.#bridge.host;
      return (raw && persistRaw) || ((raw || rows) && this.#core.handlesShown()) ? this.#tools : [];
    });
  }

  /** What fills the window and what became of each row, as plain JSON; `cuts: false` leaves out where the history may be cut, `rows` says what each row weighs, `scale` makes the buckets sum to the total. @param {{ cuts?: boolean, rows?: boolean, scale?: boolean }} [what] */
  inspect({ cuts = true, rows = false, scale = false } = {}) {
    return this.#guard(() => ({ ...this.#core.inspect(scale === true), ...(rows && { rows: this.#core.weights() }), ...(cuts && { cuts: JSON.parse(this.#core.cuts()) }) }));
  }

  /** Takes effect at the next `next`; an error leaves everything as it was. @param {any} patch */
  set(patch) {
    this.#guard(() => {
      if (!patch || typeof patch !== 'object') throw badInput('`set` needs an object: { config?, model?, frame? }');
      for (const key of Object.keys(patch)) if (!['config', 'model', 'frame', 'promote', 'pin', 'orderKeys'].includes(key)) throw badInput(`\`set\` does not know \`${key}\`; it takes config, model, frame, promote, pin and orderKeys`);
      const model = patch.model === undefined ? undefined : modelInput(patch.model);
      const config = plainCopy(patch.config, 'config', 'bad_config');
      const { frame } = patch;
      const pin = plainCopy(patch.pin, 'pin');
      const orderKeys = plainCopy(patch.orderKeys, 'orderKeys');
      const promote = plainCopy(patch.promote, 'promote');
      if (promote !== undefined && !(Array.isArray(promote) && promote.every((name) => typeof name === 'string'))) throw badInput('`promote` must be an array of tool names');
      if (config !== undefined) this.#core.checkConfig(config);
      const apply = () => {
        if (config !== undefined && this.#core.configure(config)) this.#rows.reset();
        if (model !== undefined) {
          this.#core.setModel(model);
          this.#model = model;
        }
        if (frame !== undefined) {
          this.#takeFrame(frame);
          this.#core.recaptureContext();
        } else if (this.#frame !== undefined && (config !== undefined || model !== undefined)) {
          // Another model is shown its tools in another form.
          const again = this.#frame;
          this.#frame = undefined;
          this.#takeFrame(again);
        }
        if (promote !== undefined) this.#wanted = [...new Set([...this.#wanted, ...promote])];
        if (config !== undefined || model !== undefined) this.#reprice();
        if (pin !== undefined) this.#core.setPins(pin);
        if (orderKeys !== undefined) this.#core.setOrderKeys(orderKeys);
      };
      // The call in flight keeps what it started with.
      if (this.#busy) this.#later.push(apply);
      else apply();
    });
  }

  /** The durable state, for hosts without a store. */
  get state() {
    return this.#guard(() => this.#core.state());
  }

  /** Frees the wasm side; later calls are refused with code `closed`. */
  close() {
    if (this.#life !== 'open') return;
    this.#life = 'closed';
    void this.#queue.finally(() => this.#core.free());
  }

  [Symbol.dispose ?? Symbol.for('Symbol.dispose')]() {
    this.close();
  }

  #check() {
    if (this.#life === 'closed') throw new CascadeError('closed', 'the session was closed');
    if (this.#life === 'dead') throw new CascadeError('internal_error', 'the session failed inside; reopen it from its state');
  }

  /** @template T @param {() => T} look @returns {T} */
  #guard(look) {
    this.#check();
    try {
      return look();
    } catch (error) {
      throw this.#judge(error);
    }
  }

  /** A trap leaves the instance in an unknown state; nothing of it may be used again. @param {unknown} error */
  #judge(error) {
    if (!isTrap(error)) return error;
    this.#life = 'dead';
    return new CascadeError('internal_error', 'the session failed inside; reopen it from its state');
  }

  /** One call at a time, in the order they came; events go out when the state is released. @param {(live: any[]) => Promise<any>} job */
  #run(job) {
    try {
      this.#check();
    } catch (error) {
      return Promise.reject(error);
    }
    this.#open += 1;
    const run = this.#queue.then(async () => {
      this.#check();
      this.#busy = true;
      /** @type {any[]} */
      const live = [];
      this.#sinks.add(live);
      try {
        const out = await job(live);
        const told = new Set(live);
        if (out?.events) this.#deliver(out.events.filter((/** @type {any} */ e) => !told.has(e)));
        return out;
      } catch (error) {
        throw this.#judge(error);
      } finally {
        this.#sinks.delete(live);
        this.#busy = false;
        for (const apply of this.#later.splice(0)) this.#attempt(apply);
      }
    });
    // Without the value: what was handed out is the caller's alone.
    const ended = () => {
      this.#open -= 1;
    };
    this.#queue = run.then(ended, ended);
    return run;
  }

  /** What was checked when it came in. @param {() => void} apply */
  #attempt(apply) {
    if (this.#life === 'dead') return;
    try {
      apply();
    } catch (error) {
      this.#judge(error);
    }
  }

  /** Events the host hears at once. @param {any[]} events */
  #tell(events) {
    const numbered = this.#number(events);
    this.#deliver(numbered);
    return numbered;
  }

  /** @param {any[]} events */
  #number(events) {
    return events.map(this.#stamp);
  }

  /** @param {any[]} events */
  #deliver(events) {
    const { host } = this.#bridge;
    if (typeof host.onEvent !== 'function') return;
    for (const event of events) {
      try {
        const answer = host.onEvent(event);
        if (typeof answer?.then === 'function') answer.then(undefined, (/** @type {unknown} */ error) => this.#warn(error));
      } catch (error) {
        this.#warn(error);
      }
    }
  }

  /** A listener's own mistake must not stop the agent; it is reported once. @param {unknown} error */
  #warn(error) {
    if (this.#warned) return;
    this.#warned = true;
    console.warn('gentle-cascade: `host.onEvent` threw', error);
  }

  /** @param {readonly any[]} messages */
  #formatOf(messages) {
    if (this.#format) return this.#format;
    const { format, certain } = formatOf(messages);
    if (certain) this.#format = format;
    return format;
  }

  /** Media are priced by the model and the configuration in force. */
  #reprice() {
    this.#rows.price = mediaPrice(this.#model, this.#core.config().media.imageTokens);
    this.#rows.reprice();
  }

  /** Binds the deferred tools whose time has come. @param {readonly any[]} messages @param {any} format */
  #promote(messages, format) {
    const due = dueNow(this.#wanted, messages, format);
    if (due.length === 0) return;
    this.#wanted = this.#wanted.filter((name) => !due.includes(name));
    this.#core.promote(due);
    if (this.#frame === undefined) return;
    const frame = this.#frame;
    this.#frame = undefined;
    this.#takeFrame(frame);
  }

  /** @param {any} frame */
  #takeFrame(frame) {
    this.#frameNames = pushFrame(this.#core, this.#window, bindPromoted(frame, this.#core.promoted()), this.#frame);
    this.#bridge.agent = agentOf(frame);
    this.#frame = frame;
  }

  /** After a restart the redact hook has to see its texts again; what it leaves is the same as before. @param {any[]} steps @param {readonly any[]} messages @param {any} format */
  async #redactAgain(steps, messages, format) {
    for (const step of steps) {
      for (const replace of step.set ?? []) {
        if (!replace.redacted || replace.text !== undefined || this.#bridge.redacted.get(messages[step.row])?.has(replace.part)) continue;
        const output = this.#bridge.output(step.row, replace.part);
        const name = format.parts(messages[step.row])[replace.part]?.name ?? '';
        await this.#bridge.redact(name, output);
      }
    }
  }
}

/** What `modelInput` read, as `open` takes it. @param {any} model */
function givenModel({ fromTable, family: _family, ...model }) {
  if (fromTable) return { id: model.id, ...(model.maxOutput !== undefined && { maxOutput: model.maxOutput }) };
  return Object.fromEntries(Object.entries(model).filter(([, value]) => value !== undefined));
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

/** @param {any} frame */
function agentOf({ agent }) {
  if (agent !== undefined && agent !== null && (typeof agent !== 'string' || agent === '')) throw badInput('`frame.agent` must be a non-empty string');
  return agent ?? undefined;
}

/** Position of the newest row that is stored; rows without positions are stored under their index. @param {readonly any[] | undefined} positions @param {number} rows */
function newestPosition(positions, rows) {
  if (!positions) return Math.max(0, rows - 1);
  for (let i = positions.length - 1; i >= 0; i -= 1) if (positions[i] !== null && positions[i] !== undefined) return positions[i];
  return 0;
}

/** Whether a response ended the task at hand: the model said something and waits for nothing. @param {any} messages @param {any} format */
function isTaskBoundary(messages, format) {
  if (!Array.isArray(messages)) return false;
  let open = 0;
  let said = false;
  const read = format.rowFormat ?? format;
  for (const message of shallow(() => (format.rows ? format.rows(messages).messages : messages))) {
    for (const part of shallow(() => read.parts(message))) {
      if (part.kind === PART_CALL) open += 1;
      else if (part.kind === PART_RESULT) open -= 1;
      else if (part.kind === PART_TEXT) said = true;
      else if (part.kind === PART_ASKS) return false;
    }
  }
  return said && open <= 0;
}

const PART_TEXT = 0;
const PART_CALL = 2;
const PART_RESULT = 3;
const PART_ASKS = 5;

/** Nothing where the host's messages cannot be read: a suggestion is not worth an error. @param {() => any[]} read @returns {any[]} */
function shallow(read) {
  try {
    return read();
  } catch {
    return [];
  }
}

/** @param {any} input */
function checkNext(input) {
  if (!input || typeof input !== 'object') throw badInput('`next` needs an object: { messages, … }');
  if (!Array.isArray(input.messages)) throw badInput('`messages` must be the array of the conversation\'s rows');
  if (input.positions !== undefined && !Array.isArray(input.positions)) throw badInput('`positions` must be an array beside `messages`');
  if (input.idleMs !== undefined && !(typeof input.idleMs === 'number' && input.idleMs >= 0)) throw badInput('`idleMs` must be the milliseconds since the last response');
  return { positions: input.positions?.slice(), signal: checkSignal(input.signal), idleMs: input.idleMs };
}

const SDK_OUTPUTS = new Set(['text', 'json', 'error-text', 'error-json', 'content', 'execution-denied']);

/** Whatever a tool returned, as an output. @param {any} output */
function outputOf(output) {
  if (typeof output === 'string') return textOutput(output);
  if (SDK_OUTPUTS.has(output?.type)) return aiSdk.output({ content: [{ output }] }, 0);
  if (Array.isArray(output) && output.length > 0 && output.every((i) => typeof i?.type === 'string')) return listOutput(output, false, () => undefined);
  return jsonOutput(output);
}

/** The shortened output in the form the tool returned. @param {any} before @param {any} output */
function backTo(before, output) {
  if (SDK_OUTPUTS.has(before?.type)) return aiSdk.leaf({ content: [{ output: before }] }, 0, output).value;
  return output.value;
}
