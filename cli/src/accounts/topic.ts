// Commands of the topic `accounts`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const accounts = topic({
  topics: {
    'admin roles': 'Roles and their permissions',
    'admin users': 'The accounts of the tenant: roles, quotas, suspension, sessions',
  },
  commands: {
    'admin roles list': async () => (await import('./commands.ts')).showRoles,
    'admin roles permissions': async () => (await import('./commands.ts')).showPermissions,
    'admin users activate': async () => (await import('./commands.ts')).activate,
    'admin users create': async () => (await import('./create-and-delete.ts')).create,
    'admin users delete': async () => (await import('./create-and-delete.ts')).remove,
    'admin users end-sessions': async () => (await import('./commands.ts')).endSessions,
    'admin users list': async () => (await import('./commands.ts')).list,
    'admin users quota': async () => (await import('./quota.ts')).quota,
    'admin users role': async () => (await import('./commands.ts')).role,
    'admin users show': async () => (await import('./commands.ts')).show,
    'admin users suspend': async () => (await import('./commands.ts')).suspend,
  },
});
