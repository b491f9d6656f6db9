// @ts-check
// One plan without a conversation: what should go out now, and which full outputs to store before.
//
// Decides nothing itself: the same core runs over a bridge that answers at once. The caller keeps the
// returned state and passes it in again, so that decisions stay the same from step to step.

import { Core } from './core_bg.js';
import { badInput } from './errors.js';
import { aiSdk } from './formats/ai-sdk.js';
import { formatByName, formatOf, listRows } from './formats/index.js';
import { pushFrame } from './frame.js';
import { inputOf, shortInputText } from './inputs.js';
import { ViewLayer } from './lay-view.js';
import { mediaPrice } from './media.js';
import { leftOut, mediaOutput, shortenedWithoutMedia } from './media-left-out.js';
import { modelInput } from './models.js';
import { jsonOutput, rawText, shorten, textOutput } from './outputs.js';
import { plainCopy } from './plain.js';
import { Window } from './project.js';
import { runNow } from './run-job.js';
import { RowSync } from './sync-rows.js';

/**
 * @param {any} input see `PlanInput` in `pure.d.ts`
 * @returns {any} see `PlanResult` there
 */
export function plan({ messages, positions, format, model, config, occupancy, state, frame }) {
  if (!Array.isArray(messages)) throw badInput('`messages` must be the array of the conversation\'s rows');
  const host = format === undefined ? formatOf(messages).format : formatByName(format);
  const listed = listRows(host, messages, positions);
  const form = listed.format;
  /** @type {Map<string, string>} */
  const spill = new Map();
  const bridge = atOnce(listed.messages, form, spill);
  const given = modelInput(model);
  const { core, window } = openCore(bridge, given, plainCopy(config, 'config', 'bad_config'), plainCopy(state, 'state'));
  try {
    if (frame !== undefined) pushFrame(core, window, frame, undefined);
    const rows = new RowSync(core, window);
    rows.price = mediaPrice(given, core.config().media.imageTokens);
    rows.owners = listed.owners;
    rows.push(listed.messages, listed.positions, form);
    if (occupancy !== undefined) core.pinOccupancy(occupancy);
    const { steps, ...report } = runNow(core.next());
    const layer = new ViewLayer();
    layer.take(steps, listed.messages.length);
    const { recipe, view } = layer.lay(listed.messages, form, (row, part) => form.output(listed.messages[row], part));
    const { ledger, breakdown, thresholds } = core.inspect();
    return { ...report, recipe, view, cut: JSON.parse(core.cuts()), ledger, breakdown, thresholds, spill: [...spill].map(([handle, text]) => ({ handle, text })), state: core.state(), ...(host.rows && { messages: listed.messages }) };
  } finally {
    core.free();
  }
}

/**
 * Estimated tokens of a text, of several, or of messages, without overhead and calibration.
 *
 * @param {string | readonly any[]} input
 * @param {{ format?: string, counter?: 'classes' | 'chars4', model?: string }} [options] `model` prices media
 * @returns {{ tokens: number, rows: number[] }} `rows` sums to `tokens`
 */
export function count(input, { format, counter, model = 'count' } = {}) {
  const list = typeof input === 'string' ? [input] : input;
  const { core, window } = openCore(atOnce([], aiSdk, new Map()), modelInput(model ?? 'count'), counter ? { estimate: { counter } } : undefined, undefined);
  try {
    const form = format === undefined ? formatOf(list).format : formatByName(format);
    const weigh = (/** @type {string} */ text) => {
      window.write(text);
      return core.weigh();
    };
    const price = mediaPrice({ id: model }, core.config().media.imageTokens);
    const partsOf = (/** @type {any} */ item) => (form.rows ? form.rows([item]).messages.flatMap((m) => aiSdk.parts(m, price)) : form.parts(item, price));
    const rows = list.map((item) =>
      typeof item === 'string'
        ? weigh(item)
        : partsOf(item).reduce((/** @type {number} */ n, /** @type {any} */ p) => n + weigh(p.text) + (p.media ?? 0), 0),
    );
    return { tokens: rows.reduce((n, r) => n + r, 0), rows };
  } finally {
    core.free();
  }
}

/** @param {any} bridge @param {any} model @param {any} config @param {any} state */
function openCore(bridge, model, config, state) {
  /** @type {{ window?: Window }} */
  const late = {};
  const core = runNow(Core.open(bridge, model, config, state, (/** @type {any} */ output) => late.window?.write(output.text)));
  late.window = new Window(core);
  return { core, window: late.window };
}

/** @param {readonly any[]} messages @param {any} format @param {Map<string, string>} spill */
function atOnce(messages, format, spill) {
  return {
    has: (/** @type {string} */ what) => what === 'raw',
    output: (/** @type {number} */ row, /** @type {number} */ part) => format.output(messages[row], part),
    shorten(/** @type {any} */ output, /** @type {number} */ cap, /** @type {string | undefined} */ handle, /** @type {string | undefined} */ loss, /** @type {boolean} */ media) {
      const gap = { ...(handle ? { handle } : {}), ...(loss ? { loss } : {}) };
      return media ? shortenedWithoutMedia(output, cap, gap, format) : shorten(output, cap, gap);
    },
    media(/** @type {number} */ row, /** @type {number} */ part) {
      const [one] = format.parts(messages[row])[part]?.held ?? [];
      return one && mediaOutput(one);
    },
    leftOut(/** @type {number} */ row, /** @type {number} */ part, /** @type {string | undefined} */ handle, /** @type {string | undefined} */ loss) {
      const [one] = format.parts(messages[row])[part]?.held ?? [];
      return one && leftOut(one, { handle, loss });
    },
    input(/** @type {number} */ row, /** @type {number} */ part) {
      const input = inputOf(messages[row], part, format);
      return input && jsonOutput(input);
    },
    shortInput(/** @type {number} */ row, /** @type {number} */ part, /** @type {number} */ cap, /** @type {string} */ marker) {
      const input = inputOf(messages[row], part, format);
      return input && textOutput(shortInputText(input, cap, marker));
    },
    rawHas: () => false,
    rawPut(/** @type {string} */ handle, /** @type {any} */ output) {
      spill.set(handle, rawText(output));
      return false;
    },
  };
}
