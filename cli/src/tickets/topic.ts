// Commands of the topic `tickets`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const tickets = topic({
  topics: {
    'admin tickets': 'The tickets of all users: answer, assign, close',
    tickets: 'Questions to the administrators, and their answers',
  },
  commands: {
    'admin tickets assign': async () => (await import('./admin-commands.ts')).assign,
    'admin tickets info': async () => (await import('./admin-commands.ts')).info,
    'admin tickets list': async () => (await import('./admin-commands.ts')).list,
    'admin tickets reply': async () => (await import('./admin-commands.ts')).reply,
    'admin tickets status': async () => (await import('./admin-commands.ts')).status,
    'tickets close': async () => (await import('./commands.ts')).close,
    'tickets confirm': async () => (await import('./commands.ts')).confirm,
    'tickets create': async () => (await import('./commands.ts')).create,
    'tickets info': async () => (await import('./commands.ts')).info,
    'tickets list': async () => (await import('./commands.ts')).list,
    'tickets reopen': async () => (await import('./commands.ts')).reopen,
    'tickets reply': async () => (await import('./commands.ts')).reply,
  },
});
