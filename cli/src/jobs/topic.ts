import { topic } from '../platform/topic.ts';

export const jobs = topic({
  topics: {
    'admin jobs': 'Work that was given up: look at it, try it again, throw it away',
    'admin outbox': 'Events that reached nobody: look at them, try them again, throw them away',
  },
  commands: {
    'admin jobs drop': async () => (await import('./commands.ts')).jobCommands.drop,
    'admin jobs list': async () => (await import('./commands.ts')).jobCommands.list,
    'admin jobs revive': async () => (await import('./commands.ts')).jobCommands.revive,
    'admin jobs show': async () => (await import('./commands.ts')).jobCommands.show,
    'admin outbox drop': async () => (await import('./commands.ts')).eventCommands.drop,
    'admin outbox list': async () => (await import('./commands.ts')).eventCommands.list,
    'admin outbox revive': async () => (await import('./commands.ts')).eventCommands.revive,
    'admin outbox show': async () => (await import('./commands.ts')).eventCommands.show,
  },
});
