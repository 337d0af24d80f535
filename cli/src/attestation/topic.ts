// Commands of the topic `attestation`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const attestation = topic({
  topics: {
    'admin attestation': 'Batches of files on their way to the chain',
  },
  commands: {
    'admin attestation status': async () => (await import('./commands.ts')).status,
    'admin attestation trigger': async () => (await import('./commands.ts')).trigger,
  },
});
