import { topic } from '../platform/topic.ts';

export const verify = topic({
  commands: {
    verify: async () => (await import('./commands.ts')).verify,
  },
});
