// Commands of the topic `drop-links`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const dropLinks = topic({
  topics: { drop: 'Drop links: receive files from people without an account' },
  commands: {
    'drop close': async () => (await import('./commands.ts')).close,
    'drop create': async () => (await import('./commands.ts')).create,
    'drop delete': async () => (await import('./commands.ts')).remove,
    'drop list': async () => (await import('./commands.ts')).list,
    'drop send': async () => (await import('./send.ts')).send,
    'drop show': async () => (await import('./commands.ts')).show,
  },
});
