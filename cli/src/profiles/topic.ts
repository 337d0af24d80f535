// Commands of the topic `profiles`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const profiles = topic({
  topics: {
    profiles: 'Several servers or accounts side by side',
  },
  commands: {
    'profiles add': async () => (await import('./commands.ts')).add,
    'profiles list': async () => (await import('./commands.ts')).list,
    'profiles remove': async () => (await import('./commands.ts')).remove,
    'profiles use': async () => (await import('./commands.ts')).use,
  },
});
