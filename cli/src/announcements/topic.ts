// Commands of the topic `announcements`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const announcements = topic({
  topics: {
    'admin announcements': 'Write and publish announcements',
    announcements: 'Announcements of the administrators',
  },
  commands: {
    'admin announcements create': async () => (await import('./admin-commands.ts')).create,
    'admin announcements delete': async () => (await import('./admin-commands.ts')).remove,
    'admin announcements list': async () => (await import('./admin-commands.ts')).list,
    'admin announcements publish': async () => (await import('./admin-commands.ts')).publish,
    'admin announcements show': async () => (await import('./admin-commands.ts')).show,
    'admin announcements update': async () => (await import('./admin-commands.ts')).update,
    'announcements list': async () => (await import('./commands.ts')).list,
    'announcements read': async () => (await import('./commands.ts')).read,
    'announcements show': async () => (await import('./commands.ts')).show,
  },
});
