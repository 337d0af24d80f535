import { topic } from '../platform/topic.ts';

export const attestation = topic({
  topics: {
    'admin attestation': 'Batches of files on their way to the chain',
  },
  commands: {
    'admin attestation status': () => import('./commands/status.ts'),
    'admin attestation trigger': () => import('./commands/trigger.ts'),
  },
});
