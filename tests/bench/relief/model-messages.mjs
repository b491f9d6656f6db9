// A stretch of a session as ModelMessages whose parts carry the index of their item.

/** @param {import('./sessions.mjs').Session} session @param {number} from @param {number} to items */
export function toModelMessages(session, from, to) {
  const out = [];
  /** @type {any} */
  let open;
  for (const item of session.items.slice(from, to)) {
    if (item.role === 'system') continue;
    if (!open || open.role !== item.role || item.role === 'user' || open.step !== item.step) out.push((open = { role: item.role, content: [], step: item.step }));
    const toolCallId = item.id ?? `item-${item.at}`;
    if (item.call) open.content.push({ type: 'tool-call', toolCallId, toolName: item.tool, input: item.input, at: item.at });
    else if (item.role === 'tool') open.content.push({ type: 'tool-result', toolCallId, toolName: item.tool, output: { type: 'text', value: item.text }, at: item.at });
    else open.content.push({ type: 'text', text: item.text, at: item.at });
  }
  return out;
}
