// Commands of the topic `events`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const events = topic({
  topics: {
    events: 'The events of your account as they happen',
  },
  commands: {
    'events tail': async () => (await import('./commands.ts')).tail,
  },
});
