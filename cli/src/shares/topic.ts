import { topic } from '../platform/topic.ts';

export const shares = topic({
  topics: {
    'admin shares': 'The shares of everyone: look into, cancel',
    shares: 'Files shared by link: yours for others, and those of others',
  },
  aliases: { share: 'shares' },
  commands: {
    'admin shares cancel': () => import('./commands/admin/cancel.ts'),
    'admin shares list': () => import('./commands/admin/list.ts'),
    'admin shares logs': () => import('./commands/admin/logs.ts'),
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
