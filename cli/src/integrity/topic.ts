import { topic } from '../platform/topic.ts';

export const integrity = topic({
  topics: {
    'admin integrity': 'Check what is stored against what was recorded, and heal what is damaged',
  },
  commands: {
    'admin integrity ack': () => import('./commands/ack.ts'),
    'admin integrity alerts': () => import('./commands/alerts.ts'),
    'admin integrity check': () => import('./commands/check.ts'),
    'admin integrity repair': () => import('./commands/repair.ts'),
    'admin integrity resolve': () => import('./commands/resolve.ts'),
    'admin integrity show': () => import('./commands/show.ts'),
    'admin integrity watch': () => import('./commands/watch.ts'),
  },
});
