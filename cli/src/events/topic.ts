import { topic } from '../platform/topic.ts';

export const events = topic({
  topics: {
    events: 'What happens to your account, as it happens',
  },
  commands: {
    'events tail': async () => (await import('./commands.ts')).tail,
  },
});
