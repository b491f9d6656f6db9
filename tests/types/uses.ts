// The package as typed programs use it, and what the types must refuse. Checked, never run.
import { CascadeError, apply, init, isCascadeError, lookUpModel, open, version } from 'gentle-cascade';
import type { CascadeEvent, Config, Host, Next, State } from 'gentle-cascade';
import { breakdown, clamp, count, gaugeText, plan, readUsage, repair, validate } from 'gentle-cascade/pure';
import * as slim from 'gentle-cascade/slim';
import { memoryStore } from 'gentle-cascade/stores/memory';
import * as web from 'gentle-cascade/web';

interface MyMessage {
  role: 'user' | 'assistant' | 'tool';
  content: string;
}

const messages: MyMessage[] = [{ role: 'user', content: 'hi' }];

export async function loop(saved: State | undefined): Promise<string> {
  await init();
  const host: Host = {
    ...memoryStore(),
    redact: ({ text }) => text.replaceAll('secret', '…'),
    async summarize({ system, prompt, maxTokens }, { signal }) {
      return { text: `${system}${prompt}${maxTokens}${signal.aborted}` };
    },
    onEvent(event: CascadeEvent) {
      if (event.type === 'context.evicted') event.resultCount.toFixed();
      // @ts-expect-error only evictions have a result count
      else event.resultCount;
    },
  };
  await using_(host);
  const config: Config = { eviction: { atFraction: 0.4, toFraction: null }, toolOutput: { maxChars: 8_000 } };
  const c = await open({ transcript: 't', model: { id: 'm', window: 200_000 }, host, config, ...(saved ? { state: saved } : {}) });
  const next: Next<MyMessage> = await c.next({ messages, positions: [1], signal: AbortSignal.timeout(5) });
  const role: 'user' | 'assistant' | 'tool' | undefined = next.view[0]?.role;
  if (next.background) void next.background.run().then((events) => events.length);
  const { output, handle } = await c.result({ callId: 'c', tool: 'read', output: { rows: [] } });
  await c.settle({ usage: { inputTokens: 5 } });
  const [tool] = c.tools;
  await tool?.execute({ id: handle ?? '', grep: 'x' });
  const { ledger, thresholds } = c.inspect();
  c.set({ model: 'gpt-5', config: { summarize: { ceilingTokens: 80_000 } }, pin: [3], orderKeys: { 3: 'indent' } });
  c.close();
  return `${role}${String(output)}${ledger[0]?.state}${thresholds.soft}${version()}${lookUpModel('gpt-5')?.window}${apply(messages, next.recipe)[0]?.content}`;
}

async function using_(host: Host): Promise<void> {
  using c = await open({ transcript: 't', model: 'claude-sonnet-4-5', host, format: 'anthropic' });
  c.inspect({ cuts: false });
  const { breakdown: whole, rows = [], nextRelief, findings, stale } = c.inspect({ rows: true, scale: true });
  const share: number | null = whole.percent;
  const deep: number[] = whole.buckets.flatMap((bucket) => (bucket.items ?? []).flatMap((item) => (item.items ?? []).map((inner) => inner.tokens)));
  const heaviest: string | undefined = rows.flatMap((row) => row.parts).sort((a, b) => b.tokens - a.tokens)[0]?.tool;
  void [share, deep, heaviest, nextRelief?.resultCount, whole.reclaimedBy?.evict, whole.unknown, findings.some((f) => f.kind === 'overhead_drift'), stale];
  void c.settle({ error: new Error('x') }).then(({ overflow, background }) => [overflow?.requested, overflow?.provenance, background?.ticket]);
  c.set({ frame: { index: [{ name: 'pdf', description: 'Reads PDF files.' }], tools: [{ name: 'a', description: 'A.', schema: {} }], toolChoice: { type: 'any' }, thinking: true, format: { type: 'object' } } });
}

export function pieces(): unknown {
  const planned = plan({ messages, model: 'gpt-5', occupancy: 100_000 });
  const again = plan({ messages, model: 'gpt-5', state: planned.state });
  return [again.view[0]?.content, planned.spill[0]?.handle, count('x').tokens, clamp('x', { maxChars: 5, loss: 'no_store' }), readUsage({}).inputTokens, gaugeText(1, 2), breakdown({ buckets: [], model: 'm' }).overhead, validate(messages, 'ai-sdk').findings[0]?.rule, repair(messages).messages[0]?.role];
}

export function failures(error: unknown): string | undefined {
  if (isCascadeError(error) && error.code === 'budget_impossible') return `${error.bound} ${error.change?.window}`;
  return error instanceof CascadeError ? error.code : undefined;
}

export async function load(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  await web.init(new URL('https://example.org/core.wasm'));
  await slim.init(fetch('core.wasm'));
  slim.initSync(bytes);
}

export async function refused(): Promise<void> {
  // @ts-expect-error a transcript needs a name
  await open({ model: 'm' });
  // @ts-expect-error positions are numbers
  await (await open({ transcript: 't', model: 'm' })).next({ messages, positions: ['1'] });
  // @ts-expect-error a misspelt knob
  await open({ transcript: 't', model: 'm', config: { eviction: { atFractoin: 1 } } });
  // @ts-expect-error no such format
  await open({ transcript: 't', model: 'm', format: 'xml' });
  // @ts-expect-error commit answers a version or 'conflict'
  await open({ transcript: 't', model: 'm', host: { commit: () => true } });
  // @ts-expect-error slim has no wasm of its own
  await slim.init();
  // @ts-expect-error the state is the package's
  (await open({ transcript: 't', model: 'm' })).state = { v: 1, boundary: null };
}
