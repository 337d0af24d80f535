import { topic } from '../platform/topic.ts';

export const cryptoPolicy = topic({
  topics: {
    'admin crypto': 'What new files are protected with, and until when',
    'admin crypto policy': 'What new files of the tenant are protected with',
  },
  commands: {
    'admin crypto diagnostics': () => import('./commands/diagnostics.ts'),
    'admin crypto policy': () => import('./commands/policy/show.ts'),
    'admin crypto policy set': () => import('./commands/policy/set.ts'),
  },
});
