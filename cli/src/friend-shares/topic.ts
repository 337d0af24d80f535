// Commands of the topic `friend-shares`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const friendShares = topic({
  topics: {
    'friend-shares': 'Files shared between friends',
  },
  commands: {
    'friend-shares cancel': async () => (await import('./commands.ts')).cancel,
    'friend-shares get': async () => (await import('./get.ts')).get,
    'friend-shares list': async () => (await import('./commands.ts')).list,
    'friend-shares save': async () => (await import('./commands.ts')).save,
    'friend-shares send': async () => (await import('./commands.ts')).send,
    'friend-shares show': async () => (await import('./commands.ts')).show,
    'friend-shares unread': async () => (await import('./commands.ts')).unread,
  },
});
