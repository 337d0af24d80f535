import { topic } from '../platform/topic.ts';

export const config = topic({
  topics: {
    config: 'Settings of a profile: server, time limit',
  },
  commands: {
    'config get': () => import('./commands/get.ts'),
    'config list': () => import('./commands/list.ts'),
    'config path': () => import('./commands/path.ts'),
    'config set': () => import('./commands/set.ts'),
    'config unset': () => import('./commands/unset.ts'),
  },
});
