import { topic } from '../platform/topic.ts';

export const ledger = topic({
  topics: {
    ledger: 'The public ledger: look at it, verify it, watch it',
  },
  commands: {
    'ledger checkpoint': () => import('./commands/checkpoint.ts'),
    'ledger verify': () => import('./commands/verify.ts'),
    'ledger watch': () => import('./commands/watch.ts'),
  },
});
