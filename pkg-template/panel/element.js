// @ts-check
// The custom element: properties and attributes in, DOM events out, open and close.
// Importing it where there is no DOM is safe; `define` is a separate call. It decides
// no number and no word, and it never calls anything of the host's.

import { panelModel } from './model.js';
import { buildFrame, draw } from './draw.js';
import { adoptStyles } from './styles.js';
import { panelState } from './state.js';

const Base = /** @type {typeof HTMLElement} */ (globalThis.HTMLElement ?? class {});

const PROPERTIES = /** @type {const} */ (['usage', 'state', 'labels', 'open']);
const EDGE = 8;
let named = false;

export class ContextUsagePanel extends Base {
  static observedAttributes = ['open', 'inline', 'compactable', 'new-session', 'state'];

  /** @type {any} */ #usage = null;
  /** @type {any} */ #labels = null;
  /** @type {ReturnType<typeof buildFrame> | undefined} */ #frame;

  /** A `context.usage` event, `inspect().breakdown` or `inspect()`; null shows the neutral state. */
  get usage() { return this.#usage; }
  set usage(value) { this.#usage = value ?? null; this.#draw(); }

  /** `'idle'` or `'compacting'`; reflected as an attribute. */
  get state() { return this.getAttribute('state') === 'compacting' ? 'compacting' : 'idle'; }
  set state(value) {
    if (value === 'compacting') this.setAttribute('state', value);
    else this.removeAttribute('state');
  }

  /** Words that replace the English ones, by key. */
  get labels() { return this.#labels; }
  set labels(value) { this.#labels = value ?? null; this.#draw(); }

  /** Whether the breakdown is shown; reflected as an attribute. */
  get open() { return this.hasAttribute('open'); }
  set open(value) { this.toggleAttribute('open', Boolean(value)); }

  /**
   * Feed an event straight in, without a reducer of your own.
   * @param {any} event any event of the cascade; those without meaning for the panel change nothing
   */
  receive(event) {
    const next = panelState({ usage: this.#usage, state: this.state }, event);
    this.state = next.state;
    this.usage = next.usage;
  }

  connectedCallback() {
    // A framework may have set a property before the element was defined: it then lies on
    // the instance, in front of the accessor, and has to be set again through it.
    for (const name of PROPERTIES) {
      if (!Object.hasOwn(this, name)) continue;
      const early = this[name];
      delete this[name];
      /** @type {any} */ (this)[name] = early;
    }
    if (!this.#frame) this.#build();
    document.addEventListener('pointerdown', this.#closeOutside, true);
    this.#draw();
    if (this.open) this.#place();
  }

  disconnectedCallback() {
    document.removeEventListener('pointerdown', this.#closeOutside, true);
  }

  attributeChangedCallback(name) {
    this.#draw();
    if (name === 'open' && this.open) this.#place();
  }

  #build() {
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    const frame = buildFrame();
    root.replaceChildren(frame.root);
    adoptStyles(root);
    frame.trigger.addEventListener('click', () => this.#toggle(!this.open));
    frame.compact.addEventListener('click', () => this.#tell('contextcompact'));
    frame.newSession.addEventListener('click', () => this.#tell('contextnewsession'));
    root.addEventListener('keydown', (event) => {
      if (/** @type {KeyboardEvent} */ (event).key !== 'Escape' || !this.open || this.hasAttribute('inline')) return;
      event.stopPropagation();
      this.#toggle(false);
      frame.trigger.focus();
    });
    this.#frame = frame;
  }

  #closeOutside = (/** @type {PointerEvent} */ event) => {
    if (this.open && !this.hasAttribute('inline') && !event.composedPath().includes(this)) this.#toggle(false);
  };

  /** @param {boolean} open */
  #toggle(open) {
    this.open = open;
    this.#tell('contexttoggle', { open });
  }

  /** @param {string} type @param {object} [detail] */
  #tell(type, detail = {}) {
    this.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, detail }));
  }

  /** Below the trigger or above it, wherever there is room, and never past the sides of the page. */
  #place() {
    if (!this.#frame || !this.isConnected || this.hasAttribute('inline')) return;
    const { panel } = this.#frame;
    const anchor = this.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = panel;
    const { clientWidth, clientHeight } = document.documentElement;
    const below = clientHeight - anchor.bottom;
    panel.dataset.side = below < height + EDGE && anchor.top > below ? 'top' : 'bottom';
    const left = Math.max(EDGE, Math.min(anchor.left, clientWidth - EDGE - width));
    panel.style.setProperty('--_shift', `${left - anchor.left}px`);
  }

  #draw() {
    if (!this.#frame) return;
    draw(this.#frame, panelModel(this.#usage, { state: this.state, labels: this.#labels }), {
      open: this.open,
      inline: this.hasAttribute('inline'),
      compactable: this.hasAttribute('compactable'),
      newSession: this.hasAttribute('new-session'),
    });
  }
}

/**
 * Register the element. Does nothing without a DOM, or when the name is taken already,
 * so that hot reload and two copies of the package do not throw.
 * @param {string} [tag] default `context-usage-panel`
 */
export function define(tag = 'context-usage-panel') {
  const { customElements } = globalThis;
  if (!customElements || customElements.get(tag)) return;
  // One class can carry one name: a second name gets a subclass.
  customElements.define(tag, named ? class extends ContextUsagePanel {} : ContextUsagePanel);
  named = true;
}
