import { topic } from '../platform/topic.ts';

export const friendShares = topic({
  topics: {
    'friend-shares': 'Files that friends give to each other',
  },
  commands: {
    'friend-shares cancel': () => import('./commands/cancel.ts'),
    'friend-shares get': () => import('./commands/get.ts'),
    'friend-shares list': () => import('./commands/list.ts'),
    'friend-shares save': () => import('./commands/save.ts'),
    'friend-shares send': () => import('./commands/send.ts'),
    'friend-shares show': () => import('./commands/show.ts'),
    'friend-shares unread': () => import('./commands/unread.ts'),
  },
});
