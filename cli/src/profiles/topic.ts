import { topic } from '../platform/topic.ts';

export const profiles = topic({
  topics: {
    profiles: 'Several servers or accounts side by side',
  },
  commands: {
    'profiles add': () => import('./commands/add.ts'),
    'profiles list': () => import('./commands/list.ts'),
    'profiles remove': () => import('./commands/remove.ts'),
    'profiles use': () => import('./commands/use.ts'),
  },
});
