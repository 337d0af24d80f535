// Commands of the topic `watch`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const watch = topic({
  commands: {
    watch: async () => (await import('./commands.ts')).watch,
    'watch status': async () => (await import('./commands.ts')).status,
  },
});
