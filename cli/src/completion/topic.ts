// Commands of the topic `completion`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const completion = topic({
  topics: { completion: 'Completion for shells' },
  commands: {
    completion: async () => (await import('./commands.ts')).completion,
    'completion values': async () => (await import('./commands.ts')).values,
  },
});
