import { topic } from '../platform/topic.ts';

export const announcements = topic({
  topics: {
    'admin announcements': 'Write and publish announcements',
    announcements: 'What the administrators tell everybody',
  },
  commands: {
    'admin announcements create': () => import('./commands/admin/create.ts'),
    'admin announcements delete': () => import('./commands/admin/delete.ts'),
    'admin announcements list': () => import('./commands/admin/list.ts'),
    'admin announcements publish': () => import('./commands/admin/publish.ts'),
    'admin announcements show': () => import('./commands/admin/show.ts'),
    'admin announcements update': () => import('./commands/admin/update.ts'),
    'announcements list': () => import('./commands/list.ts'),
    'announcements read': () => import('./commands/read.ts'),
    'announcements show': () => import('./commands/show.ts'),
  },
});
