// Commands of the topic `verify`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const verify = topic({
  commands: {
    verify: async () => (await import('./commands.ts')).verify,
  },
});
