import { topic } from '../platform/topic.ts';

export const accounts = topic({
  topics: {
    'admin roles': 'What each role may do',
    'admin users': 'The accounts of the tenant: roles, suspension, sessions',
  },
  commands: {
    'admin roles list': () => import('./commands/list-roles.ts'),
    'admin roles permissions': () => import('./commands/list-permissions.ts'),
    'admin users activate': () => import('./commands/activate.ts'),
    'admin users end-sessions': () => import('./commands/end-sessions.ts'),
    'admin users list': () => import('./commands/list.ts'),
    'admin users role': () => import('./commands/role.ts'),
    'admin users show': () => import('./commands/show.ts'),
    'admin users suspend': () => import('./commands/suspend.ts'),
  },
});
