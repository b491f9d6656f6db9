// @ts-check
// The live chain of a Claude Code log. Decides which records the conversation still holds: it walks parents from the last
// leaf, across compaction boundaries, and takes in the parallel branches that one streamed response leaves behind. Refuses
// to know what the records say.

import { list, object, text } from './parts.js';

/**
 * @typedef {import('./json-text.js').Line} Line
 * @typedef {import('./assemble.js').Findings} Findings
 */

/** @param {any} record */
export const isConversation = (record) => record.type === 'user' || record.type === 'assistant';
/** @param {any} record */
export const isBoundary = (record) => record.type === 'system' && record.subtype === 'compact_boundary';

/**
 * @param {Line[]} lines records with a uuid, one agent's only, in file order
 * @returns {Set<Line>} the live ones
 */
export function liveRecords(lines) {
  /** @type {Map<string, Line[]>} a re-parented record is written again under its uuid */
  const versions = new Map();
  for (const line of lines) {
    const known = versions.get(line.value.uuid);
    if (known) known.push(line);
    else versions.set(line.value.uuid, [line]);
  }
  const leaf = [...lines].reverse().find(({ value }) => isConversation(value));
  const live = withParallelBranches(chainFrom(leaf, versions, lines), lines);
  const first = new Set([...versions.values()].map((all) => all[0]));
  const liveIds = new Set([...live].map(({ value }) => value.uuid));
  return new Set(lines.filter((line) => first.has(line) && liveIds.has(line.value.uuid)));
}

/** @param {Line | undefined} leaf @param {Map<string, Line[]>} versions @param {Line[]} lines */
function chainFrom(leaf, versions, lines) {
  /** @type {Set<Line>} */
  const live = new Set();
  const visited = new Set();
  const at = new Map(lines.map((line, i) => [line, i]));
  /** @param {unknown} uuid */
  const unvisited = (uuid) => (visited.has(uuid) ? undefined : versions.get(/** @type {string} */ (uuid))?.at(-1));
  for (let line = leaf; line;) {
    live.add(line);
    visited.add(line.value.uuid);
    const { value } = line;
    if (isBoundary(value)) line = beforeBoundary(value, unvisited, versions) ?? previous(lines, at.get(line), visited);
    else if (value.parentUuid == null) line = undefined;
    else if (versions.has(value.parentUuid)) line = unvisited(value.parentUuid);
    // The parent is in no record: newer versions stop writing some kinds, so the record above takes its place.
    else line = previous(lines, at.get(line), visited);
  }
  return live;
}

/**
 * The record a boundary continues. Preserved records may have been written again below the summary, so the named parent can
 * already be part of the chain; then the chain goes on before the oldest of them.
 * @param {any} boundary @param {(uuid: unknown) => Line | undefined} unvisited @param {Map<string, Line[]>} versions
 */
function beforeBoundary(boundary, unvisited, versions) {
  const kept = preservedUuids(boundary);
  const candidates = [boundary.logicalParentUuid, ...[...kept].reverse(),
    ...[...kept, boundary.logicalParentUuid].map((uuid) => versions.get(uuid)?.[0].value.parentUuid)];
  for (const uuid of candidates) {
    const line = unvisited(uuid);
    if (line) return line;
  }
  return undefined;
}

/** @param {any} boundary @returns {string[]} uuids named as kept verbatim; a segment names only its ends */
export function preservedUuids(boundary) {
  const meta = object(boundary.compactMetadata);
  const named = list(object(meta.preservedMessages).uuids).filter((uuid) => typeof uuid === 'string');
  if (named.length > 0) return named;
  const { headUuid, tailUuid } = object(meta.preservedSegment);
  return [headUuid, tailUuid].filter((uuid) => typeof uuid === 'string');
}

/** @param {Line[]} lines @param {number | undefined} index @param {Set<string>} visited */
function previous(lines, index = 0, visited) {
  for (let i = index - 1; i >= 0; i -= 1) {
    if (isConversation(lines[i].value) && !visited.has(lines[i].value.uuid)) return lines[i];
  }
  return undefined;
}

/**
 * One response is written as one line per block, and the results of parallel calls hang on the line of their call: the walk
 * sees one of these branches. All lines of a live response are live, and so are results of its calls nobody else answers.
 * @param {Set<Line>} chain @param {Line[]} lines
 */
function withParallelBranches(chain, lines) {
  const responses = new Set([...chain].map(({ value }) => responseId(value)).filter(Boolean));
  const live = new Set(chain);
  for (const line of lines) if (responses.has(responseId(line.value))) live.add(line);
  const calls = new Set();
  const answered = new Set();
  for (const { value } of live) {
    for (const block of list(object(value.message).content)) {
      if (block?.type === 'tool_use') calls.add(block.id);
      if (block?.type === 'tool_result') answered.add(block.tool_use_id);
    }
  }
  for (const line of lines) {
    if (live.has(line) || line.value.type !== 'user') continue;
    const results = list(object(line.value.message).content).filter((block) => block?.type === 'tool_result');
    if (results.some((block) => calls.has(block.tool_use_id) && !answered.has(block.tool_use_id))) live.add(line);
  }
  return live;
}

/** @param {any} record */
function responseId(record) {
  return record.type === 'assistant' ? text(object(record.message).id) : '';
}

/**
 * What was left out: rewound branches of the main conversation, one finding per branch.
 * @param {Line[]} lines @param {Set<Line>} live @param {Findings} findings
 */
export function reportBranches(lines, live, findings) {
  const liveIds = new Set([...live].map(({ value }) => value.uuid));
  /** @type {Map<string, string>} record to the first record of its branch */
  const branchOf = new Map();
  /** @type {Map<string, { at: number, count: number }>} */
  const branches = new Map();
  for (const { line, value } of lines) {
    if (liveIds.has(value.uuid)) continue;
    const root = branchOf.get(value.parentUuid) ?? value.uuid;
    branchOf.set(value.uuid, root);
    if (!isConversation(value) || value.isCompactSummary === true) continue;
    const branch = branches.get(root);
    if (branch) branch.count += 1;
    else branches.set(root, { at: line, count: 1 });
  }
  for (const { at, count } of branches.values()) {
    findings.add('dropped_branch', at, 'messages of a branch that was rewound or edited away are left out', count);
  }
}
