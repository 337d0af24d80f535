// Commands of the topic `messages`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const messages = topic({
  topics: {
    messages: 'Messages between you and your friends',
  },
  commands: {
    'messages delete': async () => (await import('./commands.ts')).remove,
    'messages list': async () => (await import('./commands.ts')).list,
    'messages read': async () => (await import('./commands.ts')).read,
    'messages send': async () => (await import('./commands.ts')).send,
    'messages unread': async () => (await import('./commands.ts')).unread,
  },
});
