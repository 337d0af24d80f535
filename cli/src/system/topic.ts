// Commands of the topic `system`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const system = topic({
  commands: {
    'admin chain': async () => (await import('./commands.ts')).chain,
    'admin health': async () => (await import('./commands.ts')).health,
    'admin monitor': async () => (await import('./commands.ts')).monitor,
    'admin stats': async () => (await import('./commands.ts')).stats,
  },
});
