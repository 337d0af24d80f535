// Commands of the topic `invitations`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const invitations = topic({
  topics: {
    'admin invitations': 'Invitations to open an account in the tenant',
  },
  commands: {
    'admin invitations create': async () => (await import('./commands.ts')).create,
    'admin invitations list': async () => (await import('./commands.ts')).list,
    'admin invitations revoke': async () => (await import('./commands.ts')).revoke,
  },
});
