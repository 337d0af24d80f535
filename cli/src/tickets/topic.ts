import { topic } from '../platform/topic.ts';

export const tickets = topic({
  topics: {
    'admin tickets': 'The tickets of everyone: answer, take up, close',
    tickets: 'Questions to the administrators, and their answers',
  },
  commands: {
    'admin tickets assign': () => import('./commands/admin/assign.ts'),
    'admin tickets info': () => import('./commands/admin/info.ts'),
    'admin tickets list': () => import('./commands/admin/list.ts'),
    'admin tickets reply': () => import('./commands/admin/reply.ts'),
    'admin tickets status': () => import('./commands/admin/status.ts'),
    'tickets close': () => import('./commands/close.ts'),
    'tickets confirm': () => import('./commands/confirm.ts'),
    'tickets create': () => import('./commands/create.ts'),
    'tickets info': () => import('./commands/info.ts'),
    'tickets list': () => import('./commands/list.ts'),
    'tickets reopen': () => import('./commands/reopen.ts'),
    'tickets reply': () => import('./commands/reply.ts'),
  },
});
