// Commands of the topic `friends`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const friends = topic({
  topics: {
    friends: 'Your friends: ask, accept, find people',
  },
  commands: {
    'friends accept': async () => (await import('./commands.ts')).accept,
    'friends add': async () => (await import('./commands.ts')).add,
    'friends cancel': async () => (await import('./commands.ts')).cancel,
    'friends list': async () => (await import('./commands.ts')).list,
    'friends reject': async () => (await import('./commands.ts')).reject,
    'friends remark': async () => (await import('./commands.ts')).remark,
    'friends remove': async () => (await import('./commands.ts')).remove,
    'friends requests': async () => (await import('./commands.ts')).requests,
    'friends search': async () => (await import('./commands.ts')).search,
  },
});
