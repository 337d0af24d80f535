// Commands of the topic `admin-files`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const adminFiles = topic({
  topics: {
    'admin files': 'The files of all users: find, show, delete, restore',
  },
  commands: {
    'admin files delete': async () => (await import('./commands.ts')).remove,
    'admin files list': async () => (await import('./commands.ts')).list,
    'admin files restore': async () => (await import('./commands.ts')).restore,
    'admin files show': async () => (await import('./commands.ts')).show,
  },
});
