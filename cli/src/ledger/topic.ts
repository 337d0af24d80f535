import { topic } from '../platform/topic.ts';

export const ledger = topic({
  topics: {
    ledger: 'The public ledger: look at it, verify it, watch it',
  },
  commands: {
    'ledger checkpoint': async () => (await import('./commands.ts')).checkpoint,
    'ledger verify': async () => (await import('./commands.ts')).verify,
    'ledger watch': async () => (await import('./commands.ts')).watch,
  },
});
