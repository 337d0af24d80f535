import { topic } from '../platform/topic.ts';

export const events = topic({
  topics: {
    events: 'What happens to your account, as it happens',
  },
  commands: {
    'events tail': () => import('./commands/tail.ts'),
  },
});
