// Commands of the topic `ledger`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const ledger = topic({
  topics: {
    ledger: 'The public ledger: show, verify, watch',
  },
  commands: {
    'ledger checkpoint': async () => (await import('./commands.ts')).checkpoint,
    'ledger verify': async () => (await import('./commands.ts')).verify,
    'ledger watch': async () => (await import('./commands.ts')).watch,
  },
});
