import { topic } from '../platform/topic.ts';

export const adminFiles = topic({
  topics: {
    'admin files': 'The files of everyone: find, look into, delete, restore',
  },
  commands: {
    'admin files delete': () => import('./commands/delete.ts'),
    'admin files list': () => import('./commands/list.ts'),
    'admin files restore': () => import('./commands/restore.ts'),
    'admin files show': () => import('./commands/show.ts'),
  },
});
