// Commands of the topic `config`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const config = topic({
  topics: {
    config: 'Settings of a profile: server, time limit',
  },
  commands: {
    'config get': async () => (await import('./commands.ts')).get,
    'config list': async () => (await import('./commands.ts')).list,
    'config path': async () => (await import('./commands.ts')).path,
    'config set': async () => (await import('./commands.ts')).set,
    'config unset': async () => (await import('./commands.ts')).unset,
  },
});
