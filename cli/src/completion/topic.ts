import { topic } from '../platform/topic.ts';

export const completion = topic({
  topics: { completion: 'Completion for shells' },
  commands: {
    completion: () => import('./commands/completion.ts'),
    'completion values': () => import('./commands/values.ts'),
  },
});
