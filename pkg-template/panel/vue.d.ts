/** Types only: `import type {} from 'gentle-cascade/panel/vue'` teaches Vue 3 templates the element. */
import type { DefineComponent } from 'vue';
import type { ContextUsagePanelProps } from '../panel.js';

declare module 'vue' {
  interface GlobalComponents { 'context-usage-panel': DefineComponent<ContextUsagePanelProps> }
}
