// A recorded request body of any wire format as what `next` takes: messages, frame, model.
const text = (/** @type {any} */ value) => (value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value));
const list = (/** @type {any} */ value) => (value === undefined || value === null ? [] : [value].flat());

/** @param {any} probe @returns {{ messages: any[], frame: any, model: any, hidden: string[] }} `hidden`: what the server adds and the body does not show */
export function requestOf(probe) {
  const q = probe.request;
  /** @type {string[]} */
  const hidden = [];
  /** @type {any[]} */
  const messages = [];
  /** @type {any[]} */
  const tools = [];
  const system = list(q.system ?? q.instructions ?? q.systemInstruction?.parts ?? q.system_instruction?.parts).map((s) => (typeof s === 'string' ? s : text(s.text))).filter((s) => s !== '');
  const call = (/** @type {string} */ name, /** @type {any} */ input) => ({ type: 'tool-call', toolCallId: `c${messages.length}`, toolName: name, input: text(input) });
  const result = (/** @type {any} */ value) => ({ type: 'tool-result', toolCallId: 'c', toolName: '', output: { type: 'text', value: text(value) } });
  const part = (/** @type {any} */ b) => {
    if (typeof b === 'string') return [{ type: 'text', text: b }];
    if (typeof b.text === 'string') return [{ type: 'text', text: b.text }];
    if (b.type === 'tool_use') return [call(b.name, b.input)];
    if (b.type === 'tool_result') return [result(typeof b.content === 'string' ? b.content : list(b.content).map((c) => c.text ?? text(c)).join('\n'))];
    if (b.toolUse) return [call(b.toolUse.name, b.toolUse.input)];
    if (b.toolResult) return [result(list(b.toolResult.content).map((c) => c.text ?? text(c.json ?? c)).join('\n'))];
    if (b.functionCall) return [call(b.functionCall.name, b.functionCall.args)];
    if (b.functionResponse) return [result(b.functionResponse.response)];
    if (b.cachePoint) return [];
    hidden.push(b.type ?? Object.keys(b).join());
    return b.type === 'thinking' || b.reasoningContent ? [] : [{ type: 'text', text: text(b) }];
  };
  const say = (/** @type {any} */ m) => {
    const content = [...list(m.content ?? m.parts).flatMap(part), ...list(m.tool_calls).map((c) => call(c.function?.name ?? c.name, c.function?.arguments ?? c.arguments))];
    const role = m.role === 'model' ? 'assistant' : m.role === 'developer' ? 'system' : (m.role ?? 'user');
    if (role === 'system' && messages.length === 0) return void system.push(content.map((p) => p.text).join('\n'));
    if (role === 'tool') return void messages.push({ role, content: [result(content.map((p) => p.text).join('\n'))] });
    if (content.some((p) => p.type === 'tool-result')) return void messages.push({ role: content.every((p) => p.type === 'tool-result') ? 'tool' : 'user', content });
    messages.push({ role, content });
  };
  list(q.messages).forEach(say);
  list(q.contents).forEach(say);
  for (const item of typeof q.input === 'string' ? [{ role: 'user', content: q.input }] : list(q.input)) {
    if (item.type === 'function_call') messages.push({ role: 'assistant', content: [call(item.name, item.arguments)] });
    else if (item.type === 'function_call_output') messages.push({ role: 'tool', content: [result(item.output)] });
    else if (item.type && item.type !== 'message') hidden.push(item.type);
    else say(item);
  }
  const bind = (/** @type {any} */ name, /** @type {any} */ description, /** @type {any} */ schema) => tools.push({ name: text(name), description: text(description), schema: schema ?? {} });
  for (const t of [...list(q.tools), ...list(q.toolConfig?.tools)]) {
    if (t.function) bind(t.function.name, t.function.description, t.function.parameters);
    else if (t.functionDeclarations ?? t.function_declarations) for (const f of t.functionDeclarations ?? t.function_declarations) bind(f.name, f.description, f.parametersJsonSchema ?? f.parameters_json_schema ?? f.parameters);
    else if (t.toolSpec) bind(t.toolSpec.name, t.toolSpec.description, t.toolSpec.inputSchema?.json);
    else if (t.input_schema && !t.defer_loading) bind(t.name, t.description, t.input_schema);
    else if (t.parameters && t.name) bind(t.name, t.description, t.parameters);
    else hidden.push(t.defer_loading ? 'deferred' : text(t.type ?? 'tool'));
  }
  if (q.previous_response_id || q.context_management) hidden.push('server state');
  if (q.instructions === '') hidden.push('default instructions');
  // The endpoint that folds a conversation puts its own instructions in front.
  if (probe.provider === 'openai-compact') hidden.push('compaction instructions');
  // A view leaves blank messages out; what was counted had them in.
  if (messages.some((m) => m.content.every((/** @type {any} */ p) => p.type === 'text' && p.text.trim() === ''))) hidden.push('blank message');
  const choice = q.tool_choice ?? q.toolConfig?.toolChoice;
  const toolChoice = typeof choice === 'string' ? choice : (choice?.type ?? Object.keys(choice ?? {})[0]);
  const format = (q.response_format?.json_schema?.schema ? q.response_format : undefined) ?? (q.text?.format?.schema ? q.text.format : undefined) ?? q.output_config?.format?.schema ?? q.generationConfig?.responseSchema ?? q.generationConfig?.responseJsonSchema ?? (q.outputConfig ? JSON.parse(q.outputConfig.textFormat?.structure?.jsonSchema?.schema ?? 'null') : undefined) ?? undefined;
  const thinking = q.thinking?.type === 'enabled' || q.additionalModelRequestFields?.thinking?.type === 'enabled';
  const id = decodeURIComponent(probe.model ?? 'unnamed').toLowerCase();
  const provider = probe.wire === 'openai-chat' || probe.wire === 'openai-responses' ? (probe.wire === 'openai-chat' ? 'openai.chat' : 'openai.responses') : (probe.host ?? probe.wire);
  return {
    messages: messages.length > 0 ? messages : [{ role: 'user', content: '' }],
    frame: { ...(system.length > 0 && { system: system.join('\n') }), tools, ...(toolChoice && { toolChoice }), ...(thinking && { thinking }), ...(format !== undefined && { format }) },
    model: { id, provider, window: 2_000_000 },
    hidden,
  };
}
