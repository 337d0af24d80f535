// Commands of the topic `jobs`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const jobs = topic({
  topics: {
    'admin jobs': 'Dead jobs: list, show, revive, drop',
    'admin outbox': 'Dead events of the outbox: list, show, revive, drop',
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
