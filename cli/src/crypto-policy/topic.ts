// Commands of the topic `crypto-policy`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const cryptoPolicy = topic({
  topics: {
    'admin crypto': 'The protection of new files, and its end dates',
    'admin crypto policy': 'The protection of new files of the tenant',
  },
  commands: {
    'admin crypto diagnostics': async () => (await import('./commands.ts')).diagnostics,
    'admin crypto policy': async () => (await import('./commands.ts')).showPolicy,
    'admin crypto policy set': async () => (await import('./commands.ts')).setPolicy,
  },
});
