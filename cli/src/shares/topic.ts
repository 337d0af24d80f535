// Commands of the topic `shares`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const shares = topic({
  topics: {
    'admin shares': 'The shares of all users: show, cancel',
    shares: 'Files shared by link: yours for others, and those of others',
  },
  aliases: { share: 'shares' },
  commands: {
    'admin shares cancel': async () => (await import('./admin-commands.ts')).cancel,
    'admin shares list': async () => (await import('./admin-commands.ts')).list,
    'admin shares logs': async () => (await import('./admin-commands.ts')).logs,
    'shares create': async () => (await import('./commands.ts')).create,
    'shares get': async () => (await import('./get.ts')).get,
    'shares info': async () => (await import('./commands.ts')).info,
    'shares list': async () => (await import('./commands.ts')).list,
    'shares logs': async () => (await import('./commands.ts')).logs,
    'shares revoke': async () => (await import('./commands.ts')).revoke,
    'shares save': async () => (await import('./commands.ts')).save,
    'shares update': async () => (await import('./commands.ts')).update,
  },
});
