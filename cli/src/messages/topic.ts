import { topic } from '../platform/topic.ts';

export const messages = topic({
  topics: {
    messages: 'What your friends and you write to each other',
  },
  commands: {
    'messages delete': () => import('./commands/delete.ts'),
    'messages list': () => import('./commands/list.ts'),
    'messages read': () => import('./commands/read.ts'),
    'messages send': () => import('./commands/send.ts'),
    'messages unread': () => import('./commands/unread.ts'),
  },
});
