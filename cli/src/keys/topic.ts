// Commands of the topic `keys`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const keys = topic({
  topics: {
    keys: 'Keys of issuers that you trust',
  },
  commands: {
    'keys pin': async () => (await import('./commands.ts')).pin,
  },
});
