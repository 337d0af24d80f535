import { topic } from '../platform/topic.ts';

export const system = topic({
  commands: {
    'admin chain': () => import('./commands/chain.ts'),
    'admin health': () => import('./commands/health.ts'),
    'admin monitor': () => import('./commands/monitor.ts'),
    'admin stats': () => import('./commands/stats.ts'),
  },
});
