// @ts-check
// The panel's looks: one stylesheet for the shadow root. Every colour and size a host may
// want is a custom property on the element with a default here; light and dark follow the
// page's `color-scheme`. It knows class names and parts, no numbers.

export const css = `
:host {
  --_fg: var(--context-fg, light-dark(#1c1f26, #e8eaef));
  --_muted: var(--context-muted, light-dark(#626976, #9aa2b1));
  --_bg: var(--context-bg, light-dark(#ffffff, #1d2026));
  --_line: var(--context-line, light-dark(#e3e6eb, #343943));
  --_track: var(--context-track, light-dark(#eef0f3, #2b3038));
  --_hover: var(--context-hover, light-dark(#f3f4f7, #2a2e36));
  --_accent: var(--context-accent, light-dark(#3f68d8, #7c9cff));
  --_soft: var(--context-soft, light-dark(#a86400, #f0b150));
  --_hard: var(--context-hard, light-dark(#c22f3a, #ff7f85));
  --system: var(--context-system, light-dark(#7a61c9, #a893f0));
  --index: var(--context-index, light-dark(#b05a98, #db8fc6));
  --tools: var(--context-tools, light-dark(#1d8f86, #4cc2b6));
  --context: var(--context-session, light-dark(#b7791f, #dfa94e));
  --messages: var(--context-messages, light-dark(#3f68d8, #7c9cff));
  --attachments: var(--context-attachments, light-dark(#c4563f, #f0907a));
  --other: var(--context-other, light-dark(#5f7a92, #93acc2));
  --overhead: var(--context-overhead, light-dark(#7d8593, #8d95a4));
  position: relative;
  display: inline-block;
  color: var(--_fg);
  font: var(--context-font, 13px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif);
  font-variant-numeric: tabular-nums;
  text-align: start;
}
:host([hidden]) { display: none; }
:host([inline]) { display: block; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
button { font: inherit; color: inherit; background: none; border: 0; margin: 0; cursor: pointer; }
:focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

/* trigger */
.trigger { display: inline-flex; align-items: center; gap: 6px; padding: 4px 8px 4px 6px; border-radius: 8px; white-space: nowrap; }
.trigger:hover, .trigger[aria-expanded="true"] { background: var(--_hover); }
.ring { width: 18px; height: 18px; flex: none; transform: rotate(-90deg); }
.ring circle { fill: none; stroke-width: 4; }
.ring .track { stroke: var(--_line); }
.ring .fill { stroke: var(--_level); stroke-dasharray: var(--_share, 0) 100; transition: stroke-dasharray .3s; }
.root { --_level: var(--_accent); }
.root[data-level="soft"] { --_level: var(--_soft); }
.root[data-level="hard"], .root[data-over] { --_level: var(--_hard); }
.root[data-share="unknown"] .ring .track { stroke-dasharray: 3 3; stroke: var(--_muted); }
.root[data-state="compacting"] .ring { animation: turn 1.2s linear infinite; }
.root[data-state="compacting"] .ring .fill { stroke-dasharray: 28 100; stroke: var(--_muted); }
@keyframes turn { to { transform: rotate(270deg); } }

/* panel */
.panel {
  width: var(--context-width, 320px); max-width: calc(100vw - 16px); padding: 14px 16px 16px;
  background: var(--_bg); border: 1px solid var(--_line); border-radius: var(--context-radius, 12px);
}
:host(:not([inline])) .panel {
  position: absolute; z-index: var(--context-layer, 20); left: var(--_shift, 0); top: calc(100% + 6px);
  max-height: min(640px, calc(100vh - 32px)); overflow: auto; overscroll-behavior: contain;
  box-shadow: 0 1px 2px rgb(0 0 0 / .06), 0 12px 32px rgb(0 0 0 / .14);
}
:host(:not([inline])) .panel[data-side="top"] { top: auto; bottom: calc(100% + 6px); }
:host([inline]) .panel { width: 100%; max-width: none; }

.head { display: flex; align-items: baseline; gap: 8px; color: var(--_muted); font-size: 12px; }
.head .title { flex: 1; font-weight: 500; }
.mark { cursor: help; }
.mark[data-mark="exact"] { color: var(--_fg); }
.assumed { padding: 0 6px; border: 1px dashed currentColor; border-radius: 99px; font-size: 11px; cursor: help; color: var(--_soft); }
.figure { display: flex; align-items: baseline; justify-content: space-between; gap: 12px; margin: 2px 0 10px; }
.percent { font-size: 28px; line-height: 1.2; font-weight: 600; letter-spacing: -.01em; }
.root[data-level="soft"] .percent { color: var(--_soft); }
.root[data-level="hard"] .percent, .root[data-over] .percent { color: var(--_hard); }
.root[data-share="unknown"] .percent { color: var(--_muted); font-weight: 400; }
.gauge { color: var(--_muted); }
.remark { margin: -4px 0 8px; color: var(--_muted); }
.remark.warning { color: var(--_hard); }

.meter { position: relative; height: 10px; border-radius: 3px; background: var(--_track); }
.fillings { position: absolute; inset: 0; display: flex; gap: 1px; border-radius: 3px; overflow: hidden; }
.fillings i { flex: none; min-width: 1px; background: var(--_color); forced-color-adjust: none; }
.fillings .reserve { margin-left: auto; }
.hatched, .swatch.hatched, .fillings .hatched {
  background: repeating-linear-gradient(135deg, var(--_color) 0 1.5px, transparent 1.5px 4px);
}
.tick { position: absolute; top: -3px; bottom: -3px; left: calc(var(--_share) * 100%); width: 9px; margin-left: -4.5px; cursor: help; }
.tick::before { content: ""; position: absolute; inset: 0 4px; background: var(--_fg); opacity: .75; box-shadow: 0 0 0 .5px var(--_bg); }
.tick[data-tick="window"]::before { background: var(--_hard); opacity: 1; }
.ladder { display: flex; flex-wrap: wrap; gap: 0 14px; margin: 7px 0 0; padding: 0; list-style: none; color: var(--_muted); font-size: 12px; }
.ladder li { cursor: help; }
.ladder .reached { color: var(--_fg); font-weight: 500; }
.root[data-state="compacting"] .fillings { opacity: .45; }
.root[data-state="compacting"] .meter::after {
  content: ""; position: absolute; inset: 0; border-radius: 3px;
  background: linear-gradient(90deg, transparent, color-mix(in srgb, var(--_accent) 55%, transparent), transparent) 0 0 / 40% 100% no-repeat;
  animation: sweep 1.4s ease-in-out infinite;
}
@keyframes sweep { from { background-position: -60% 0; } to { background-position: 160% 0; } }

/* rows */
.rows { margin: 12px 0 0; padding: 0; list-style: none; }
.rows + .rows { margin-top: 6px; padding-top: 6px; border-top: 1px solid var(--_line); }
.rows:empty { display: none; }
.row { display: grid; grid-template-columns: 10px minmax(0, 1fr) auto; gap: 9px; align-items: center; min-height: 25px; }
.row .label { overflow-wrap: anywhere; }
.row .note { color: var(--_muted); font-size: 12px; margin-left: 6px; }
.row.zero { color: var(--_muted); }
.swatch { width: 10px; height: 10px; border-radius: 3px; background: var(--_color); forced-color-adjust: none; }
.swatch.hollow { background: none; border: 1.5px solid var(--_color); }
[data-row="total"] .swatch { visibility: hidden; }
[data-row="total"] .label, [data-row="total"] .number { font-weight: 600; }
summary.row { cursor: pointer; list-style: none; border-radius: 5px; }
summary.row::-webkit-details-marker { display: none; }
summary.row:hover .label { text-decoration: underline; text-decoration-color: var(--_line); text-underline-offset: 3px; }
summary .label::after {
  content: ""; display: inline-block; width: 5px; height: 5px; margin: 0 0 2px 7px;
  border: solid var(--_muted); border-width: 0 1.3px 1.3px 0; transform: rotate(-45deg); transition: transform .15s;
}
details[open] > summary .label::after { transform: rotate(45deg); margin-bottom: 3px; }
.groups { margin: 0 0 6px 19px; padding: 0; list-style: none; color: var(--_muted); font-size: 12px; max-height: 220px; overflow: auto; }
.groups .line { display: flex; justify-content: space-between; gap: 12px; padding: 1px 0; }
.groups .line span:first-child { overflow-wrap: anywhere; }
.groups .source { color: var(--_fg); }
.groups ul { margin: 0 0 2px 12px; padding: 0; list-style: none; }

.notes { margin: 10px 0 0; color: var(--_muted); font-size: 12px; }
.notes p { margin: 2px 0 0; }
.notes .reclaimed { color: var(--_fg); }
.actions { display: flex; gap: 8px; margin-top: 14px; }
.actions button { flex: 1; padding: 6px 10px; border: 1px solid var(--_line); border-radius: 8px; }
.actions button:hover:not(:disabled) { background: var(--_hover); }
.actions button:disabled { color: var(--_muted); cursor: default; }

@media (prefers-reduced-motion: reduce) {
  * { animation: none !important; transition: none !important; }
}
@media (forced-colors: active) {
  .meter, .actions button, .trigger { border: 1px solid ButtonText; }
  .tick::before { background: CanvasText; forced-color-adjust: none; }
  .ring .track { stroke: GrayText; }
  .ring .fill { stroke: Highlight; }
  .swatch { border: 1px solid CanvasText; }
}
`;

/** @type {CSSStyleSheet | undefined} */
let shared;

/**
 * Style a shadow root. A constructed sheet is shared by all panels and needs no
 * `style-src 'unsafe-inline'`; a DOM without them gets a style element.
 * @param {ShadowRoot} root
 */
export function adoptStyles(root) {
  if (typeof CSSStyleSheet === 'function' && 'replaceSync' in CSSStyleSheet.prototype && 'adoptedStyleSheets' in root) {
    if (!shared) {
      shared = new CSSStyleSheet();
      shared.replaceSync(css);
    }
    root.adoptedStyleSheets = [shared];
    return;
  }
  const style = document.createElement('style');
  style.textContent = css;
  root.append(style);
}
