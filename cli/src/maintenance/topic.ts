// Commands of the topic `maintenance`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const maintenance = topic({
  topics: { 'admin maintenance': 'Maintenance mode: everything can be read, nothing can be changed' },
  commands: {
    'admin maintenance off': async () => (await import('./commands.ts')).off,
    'admin maintenance on': async () => (await import('./commands.ts')).on,
    'admin maintenance status': async () => (await import('./commands.ts')).status,
  },
});
