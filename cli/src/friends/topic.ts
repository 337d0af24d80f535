import { topic } from '../platform/topic.ts';

export const friends = topic({
  topics: {
    friends: 'Your friends: ask, accept, find people',
  },
  commands: {
    'friends accept': () => import('./commands/accept.ts'),
    'friends add': () => import('./commands/add.ts'),
    'friends cancel': () => import('./commands/cancel.ts'),
    'friends list': () => import('./commands/list.ts'),
    'friends reject': () => import('./commands/reject.ts'),
    'friends remark': () => import('./commands/remark.ts'),
    'friends remove': () => import('./commands/remove.ts'),
    'friends requests': () => import('./commands/requests.ts'),
    'friends search': () => import('./commands/search.ts'),
  },
});
