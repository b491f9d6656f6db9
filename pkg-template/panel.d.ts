/** `gentle-cascade/panel`: a custom element fed with JSON; no wasm, no framework. */

/** Words by key; `{name}` marks a value. Keys that are left out stay English. */
export interface PanelLabels {
  title?: string; trigger?: string; unknown?: string; compacting?: string;
  system?: string; index?: string; tools?: string; deferred?: string; context?: string;
  messages?: string; attachments?: string; overhead?: string; overheadHint?: string;
  total?: string; free?: string; reserve?: string; notCounted?: string; otherSource?: string;
  exact?: string; exactHint?: string; anchored?: string; anchoredHint?: string;
  estimated?: string; estimatedHint?: string; assumed?: string; assumedHint?: string; provenWrong?: string;
  evict?: string; evictHint?: string; soft?: string; softHint?: string; hard?: string; hardHint?: string;
  windowHint?: string; meter?: string; reclaimed?: string;
  nextEvict?: string; nextTokens?: string; resultOne?: string; resultMany?: string;
  compact?: string; newSession?: string;
  handoff?: string; rememberOne?: string; rememberMany?: string; save?: string;
}

export declare const defaultLabels: Readonly<Required<PanelLabels>>;

export type Provenance = 'exact' | 'anchored' | 'estimated';

export interface BreakdownItem { label: string; tokens: number; source?: string }
export interface Thresholds { evict?: number; soft?: number; hard?: number }
export interface NextRelief { stage: string; reclaimedTokens: number; resultCount?: number }

/** The `context.usage` event. All numbers are tokens; null = not known. */
export interface ContextUsage {
  type: 'context.usage';
  contextLimit: number | null;
  used: number | null;
  free?: number | null;
  approximate?: boolean;
  segments: { category: string; label?: string; tokens: number; items?: BreakdownItem[]; summed?: boolean }[];
  /** Net tokens relieved so far; not part of `used`. */
  reclaimed?: number;
  percent?: number | null;
  overhead?: number;
  usable?: number | null;
  provenance?: Provenance;
  thresholds?: Thresholds;
  /** The window is an assumption, not a fact about the model. */
  assumed?: boolean;
  nextRelief?: NextRelief | null;
  [more: string]: unknown;
}

/** `inspect().breakdown`. */
export interface UsageBreakdown {
  buckets: { id: string; label?: string; tokens: number; items?: BreakdownItem[]; summed?: boolean }[];
  total: number | null;
  window: number | null;
  usable?: number | null;
  overhead?: number;
  free?: number | null;
  percent?: number | null;
  provenance?: Provenance;
  reclaimed?: number;
  thresholds?: Thresholds;
  assumed?: boolean;
  nextRelief?: NextRelief | null;
  [more: string]: unknown;
}

/** What the panel can show; a whole `inspect()` works too. */
export type PanelUsage = ContextUsage | UsageBreakdown | { breakdown: UsageBreakdown; [more: string]: unknown };

export interface PanelState { usage: PanelUsage | null; state: 'idle' | 'compacting' }

/** The state after an event; an event without meaning for the panel returns `prev` itself. */
export declare function panelState(prev: PanelState | null | undefined, event: { type: string; [more: string]: unknown }): PanelState;

export interface Toast { kind: 'toast'; text: string; usedFraction: number; atFraction?: number; action: string }
export interface Prompt { kind: 'prompt'; text: string; facts: string[]; scope?: string; action: string }

/** The notice an event is worth: a toast, a prompt, or null for routine events. */
export declare function toNotice(event: { type: string; [more: string]: unknown }, options?: { labels?: PanelLabels | null }): Toast | Prompt | null;

/** `ctx 80k/256k`; an unknown side is a dash. */
export declare function gauge(total: number | null | undefined, window: number | null | undefined): string;

export interface PanelRow {
  id: string; kind: string; label: string; tokens: number | null; text: string; note?: string; title?: string;
  groups: { label: string; tokens: number; text: string; items: { label: string; tokens: number; text: string }[] }[];
}

export interface PanelModel {
  known: boolean; state: 'idle' | 'compacting'; level: 'unknown' | 'calm' | 'evict' | 'soft' | 'hard'; over: boolean;
  percent: number | null; percentText: string; gauge: string; total: number | null; window: number | null; meterText: string;
  provenance: Provenance | 'unknown'; mark: string | null; markTitle: string; assumed: string | null; warning: string | null;
  bar: {
    segments: { id: string; share: number }[];
    ticks: { id: string; label: string; share: number; text: string; title: string; reached: boolean }[];
    reserve: number;
  };
  counted: PanelRow[]; sums: PanelRow[]; aside: PanelRow[];
  reclaimed: string | null; next: string | null;
  words: Required<PanelLabels>;
}

/** Everything the panel shows, as plain data, for hosts that draw it themselves. */
export declare function panelModel(usage: PanelUsage | null | undefined, options?: { state?: 'idle' | 'compacting'; labels?: PanelLabels | null }): PanelModel;

/**
 * `<context-usage-panel>`. Attributes: `open`, `inline` (always shown, no trigger),
 * `compactable`, `new-session` (show these buttons), `state="compacting"`.
 * Events, all bubbling: `contexttoggle` (`detail.open`), `contextcompact`, `contextnewsession`.
 */
export declare class ContextUsagePanel extends HTMLElement {
  get usage(): PanelUsage | null;
  set usage(value: PanelUsage | null | undefined);
  get state(): 'idle' | 'compacting';
  set state(value: 'idle' | 'compacting');
  get labels(): PanelLabels | null;
  set labels(value: PanelLabels | null | undefined);
  open: boolean;
  /** Feed any event of the cascade straight in, without a reducer of your own. */
  receive(event: { type: string; [more: string]: unknown }): void;
}

/** Registers the element; safe to call twice, and where there is no DOM. Default tag `context-usage-panel`. */
export declare function define(tag?: string): void;

/** Properties and attributes, for a framework's JSX or template types. */
export interface ContextUsagePanelProps {
  usage?: PanelUsage | null;
  state?: 'idle' | 'compacting';
  labels?: PanelLabels | null;
  open?: boolean;
  inline?: boolean;
  compactable?: boolean;
  'new-session'?: boolean;
  oncontexttoggle?: (event: CustomEvent<{ open: boolean }>) => void;
  oncontextcompact?: (event: CustomEvent) => void;
  oncontextnewsession?: (event: CustomEvent) => void;
}

declare global {
  interface HTMLElementTagNameMap { 'context-usage-panel': ContextUsagePanel }
}
