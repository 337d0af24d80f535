import { topic } from '../platform/topic.ts';

export const sweep = topic({
  topics: {
    'admin sweep': 'Find stored objects that nothing refers to, and remove them in steps that each look again',
  },
  commands: {
    'admin sweep candidates': () => import('./commands/candidates.ts'),
    'admin sweep census': () => import('./commands/census.ts'),
    'admin sweep mark': () => import('./commands/mark.ts'),
    'admin sweep marks': () => import('./commands/marks.ts'),
    'admin sweep status': () => import('./commands/status.ts'),
    'admin sweep unknown-holds': () => import('./commands/unknown-holds.ts'),
    'admin sweep watch': () => import('./commands/watch.ts'),
  },
});
