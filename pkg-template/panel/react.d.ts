/** Types only: `import type {} from 'gentle-cascade/panel/react'` teaches React 19 JSX the element. */
import type { HTMLAttributes, RefAttributes } from 'react';
import type { ContextUsagePanel, ContextUsagePanelProps } from '../panel.js';

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'context-usage-panel': ContextUsagePanelProps & HTMLAttributes<ContextUsagePanel> & RefAttributes<ContextUsagePanel>;
    }
  }
}
