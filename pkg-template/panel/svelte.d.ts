/** Types only: `import type {} from 'gentle-cascade/panel/svelte'` teaches Svelte 5 markup the element. */
import type { HTMLAttributes } from 'svelte/elements';
import type { ContextUsagePanel, ContextUsagePanelProps } from '../panel.js';

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'context-usage-panel': ContextUsagePanelProps & HTMLAttributes<ContextUsagePanel>;
  }
}
