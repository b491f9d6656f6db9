// @ts-check
// Entries of a log to rows, steps and segments. Decides pairing (by occurrence, since ids repeat on some servers), where a
// late result goes, what a missing result becomes, and which prompt each step saw. Refuses to know any log format: a reader
// hands over entries in file order, and everything it could not place is reported, never silently dropped.

/**
 * @typedef {import('./index.js').Session} Session
 * @typedef {import('./index.js').Healed} Healed
 * @typedef {{ kind: 'message', at: number, message: any }} MessageEntry
 * @typedef {{ kind: 'assistant', at: number, content: any[], message?: any, step?: { usage?: any, model?: string, provider?: string } }} AssistantEntry
 * @typedef {{ kind: 'result', at: number, callId: string, name?: string, output: any, providerOptions?: any }} ResultEntry
 * @typedef {{ kind: 'fold', at: number, head: (Entry | { role: string, content: any })[], cause: string, tokensBefore?: number }} FoldEntry
 * @typedef {MessageEntry | AssistantEntry | ResultEntry | FoldEntry} Entry
 */

/** What stands in for a result that was never written. It must not read as success. */
export const INTERRUPTED = 'The tool call was interrupted; no result was recorded.';

/** Collects what was healed; equal findings are counted, not repeated, when `once` is used. */
export class Findings {
  /** @type {Healed[]} */
  list = [];
  /** @type {Map<string, Healed>} */
  #seen = new Map();

  /** @param {string} kind @param {number} at @param {string} detail @param {number} [count] */
  add(kind, at, detail, count) {
    this.list.push({ kind, at, detail, ...(count === undefined ? {} : { count }) });
  }

  /** @param {string} kind @param {number} at @param {string} detail */
  once(kind, at, detail) {
    const key = `${kind}\n${detail}`;
    const known = this.#seen.get(key);
    if (known) known.count = (known.count ?? 1) + 1;
    else {
      const found = { kind, at, detail, count: 1 };
      this.#seen.set(key, found);
      this.list.push(found);
    }
  }
}

/**
 * @param {Entry[]} entries in file order
 * @param {Findings} findings
 * @param {{ closed?: boolean }} [options] closed: heal the last round too (a list that more rows follow)
 * @returns {Pick<Session, 'rows' | 'steps' | 'segments' | 'healed'>}
 */
export function assemble(entries, findings, { closed = false } = {}) {
  const rounds = pair(entries, findings);
  const open = closed ? undefined : openRound(entries);
  /** @type {Session['rows']} */
  const rows = [];
  /** @type {Session['steps']} */
  const steps = [];
  /** @type {{ start: number, fold: FoldEntry | null }[]} */
  const starts = [{ start: 0, fold: null }];
  /** @type {Map<Entry, any[]>} */
  const rowsOf = new Map();

  for (const entry of entries) {
    if (entry.kind === 'message') {
      rows.push({ message: entry.message, position: entry.at });
      rowsOf.set(entry, [entry.message]);
    } else if (entry.kind === 'fold') {
      // Two compactions with nothing between them: only the later one ever became a prompt.
      if (starts[starts.length - 1].start === rows.length) starts.pop();
      starts.push({ start: rows.length, fold: entry });
    } else if (entry.kind === 'assistant') {
      if (entry.content.length === 0) {
        findings.once('empty_message', entry.at, 'an assistant message without content (aborted before its first token) is left out');
        continue;
      }
      const from = rows.length;
      steps.push({ row: from, ...stepOf(entry) });
      rows.push({ message: entry.message ?? { role: 'assistant', content: entry.content }, position: entry.at });
      rows.push(...resultRows(rounds.get(entry) ?? [], entry, entry === open, findings));
      rowsOf.set(entry, rows.slice(from).map((row) => row.message));
    }
  }
  dealPositions(rows);
  const segments = starts.map(({ start, fold }) => (fold
    ? { start, head: fold.head.flatMap((item) => ('role' in item ? [item] : rowsOf.get(item) ?? [])), cause: fold.cause, ...(fold.tokensBefore ? { tokensBefore: fold.tokensBefore } : {}) }
    : { start, head: [], cause: 'start' }));
  return { rows, steps, segments, healed: findings.list.sort((a, b) => a.at - b.at) };
}

/** @param {AssistantEntry} entry */
function stepOf({ step = {} }) {
  return Object.fromEntries(Object.entries(step).filter(([, value]) => value !== undefined));
}

/**
 * @typedef {{ id: string, name: string, result?: ResultEntry }} Call
 * @param {Entry[]} entries @param {Findings} findings
 * @returns {Map<AssistantEntry, Call[]>} the calls of each round, with their results
 */
function pair(entries, findings) {
  /** @type {Map<AssistantEntry, Call[]>} */
  const rounds = new Map();
  /** @type {Map<string, { call: Call, round: AssistantEntry }[]>} */
  const byId = new Map();
  /** @type {AssistantEntry | undefined} */
  let newest;
  for (const entry of entries) {
    if (entry.kind === 'assistant') {
      const calls = clientCalls(entry.content);
      rounds.set(entry, calls);
      if (entry.content.length > 0) newest = entry;
      for (const call of calls) append(byId, call.id, { call, round: entry });
    } else if (entry.kind === 'result') {
      const known = byId.get(entry.callId);
      if (!known) {
        findings.add('orphan_result', entry.at, 'a tool result whose call is not in the log is left out');
        continue;
      }
      const { call, round } = firstWaiting(known) ?? known[known.length - 1];
      if (call.result) findings.add('duplicate_result', call.result.at, `the same call was answered again at ${entry.at}; the later answer is kept`);
      else if (round !== newest) findings.add('moved_result', entry.at, `a result written after a later response is placed behind its call at ${round.at}`);
      call.result = entry;
    }
  }
  return rounds;
}

/** The newest round that still waits under this id, and in it the first call. @param {{ call: Call, round: AssistantEntry }[]} known */
function firstWaiting(known) {
  let found;
  for (let i = known.length - 1; i >= 0; i -= 1) {
    if (found && known[i].round !== found.round) break;
    if (!known[i].call.result) found = known[i];
  }
  return found;
}

/** @template K, V @param {Map<K, V[]>} map @param {K} key @param {V} value */
function append(map, key, value) {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}

/** Calls the client answers; provider-executed ones carry their result in the assistant message. @param {any[]} content @returns {Call[]} */
function clientCalls(content) {
  return content.filter((part) => part.type === 'tool-call' && !part.providerExecuted)
    .map((part) => ({ id: part.toolCallId, name: part.toolName }));
}

/** The last assistant entry, unless a message or a compaction already follows it. @param {Entry[]} entries */
function openRound(entries) {
  for (let i = entries.length - 1; i >= 0; i -= 1) {
    const entry = entries[i];
    if (entry.kind === 'assistant' && entry.content.length > 0) return entry;
    if (entry.kind === 'fold' || (entry.kind === 'message' && entry.message.role !== 'tool')) return undefined;
  }
  return undefined;
}

/**
 * One tool row per durable record, in the order the results were written.
 * @param {Call[]} calls @param {AssistantEntry} entry @param {boolean} open @param {Findings} findings
 */
function resultRows(calls, entry, open, findings) {
  /** @type {Map<number, any[]>} */
  const records = new Map();
  const answered = calls.filter((call) => call.result).sort((a, b) => at(a) - at(b));
  for (const { id, name, result } of answered) {
    const part = { type: 'tool-result', toolCallId: id, toolName: name, output: result?.output };
    if (result?.providerOptions) Object.assign(part, { providerOptions: result.providerOptions });
    append(records, at({ result }), part);
  }
  /** @type {Session['rows']} */
  const rows = [...records].map(([position, content]) => ({ message: { role: 'tool', content }, position }));
  const missing = open ? [] : calls.filter((call) => !call.result);
  if (missing.length > 0) {
    const content = missing.map(({ id, name }) => ({ type: 'tool-result', toolCallId: id, toolName: name, output: { type: 'error-text', value: INTERRUPTED } }));
    rows.push({ message: { role: 'tool', content }, position: null });
    findings.add('unanswered_call', entry.at, 'calls without a result get an error result in their place', missing.length);
  }
  return rows;
}

/** @param {{ result?: ResultEntry }} call */
const at = (call) => call.result?.at ?? 0;

/**
 * Positions never run backwards and grow from round to round. A record written between a call and its result now stands
 * behind the result, so the line numbers of that stretch are dealt out again in order. A record that holds several rounds
 * is behind us only when its last round is: that one carries the number, the earlier ones have none.
 * @param {Session['rows']} rows
 */
function dealPositions(rows) {
  const known = rows.filter((row) => row.position !== null);
  const sorted = known.map((row) => /** @type {number} */ (row.position)).sort((a, b) => a - b);
  known.forEach((row, i) => { row.position = sorted[i]; });
  /** @type {number | null} the first position of the rounds after this one */
  let later = null;
  for (let i = rows.length - 1; i >= 0; i -= 1) {
    const { position, message } = rows[i];
    if (position !== null && position === later) rows[i].position = null;
    if (message.role === 'assistant' && position !== null) later = position;
  }
}

/**
 * Leading system messages are the system prompt, not rows.
 * @param {Entry[]} entries
 * @returns {{ system?: string, entries: Entry[] }}
 */
export function liftSystem(entries) {
  let first = 0;
  /** @type {string[]} */
  const texts = [];
  for (; first < entries.length; first += 1) {
    const entry = entries[first];
    if (entry.kind !== 'message' || entry.message.role !== 'system') break;
    texts.push(entry.message.content);
  }
  return { ...(texts.length > 0 ? { system: texts.join('\n\n') } : {}), entries: entries.slice(first) };
}
