import { topic } from '../platform/topic.ts';

export const shares = topic({
  topics: {
    shares: 'Files shared by link: yours for others, and those of others',
  },
  aliases: { share: 'shares' },
  commands: {
    'shares create': () => import('./commands/create.ts'),
    'shares get': () => import('./commands/get.ts'),
    'shares info': () => import('./commands/info.ts'),
    'shares list': () => import('./commands/list.ts'),
    'shares logs': () => import('./commands/logs.ts'),
    'shares revoke': () => import('./commands/revoke.ts'),
    'shares save': () => import('./commands/save.ts'),
    'shares update': () => import('./commands/update.ts'),
  },
});
