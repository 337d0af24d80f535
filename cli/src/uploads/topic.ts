// Commands of the topic `uploads`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const uploads = topic({
  topics: {
    uploads: 'Unfinished uploads',
  },
  commands: {
    'uploads cancel': async () => (await import('./commands.ts')).cancel,
    'uploads list': async () => (await import('./commands.ts')).list,
    'uploads pause': async () => (await import('./commands.ts')).pause,
    'uploads resume': async () => (await import('./commands.ts')).resume,
    upload: async () => (await import('./upload.ts')).upload,
  },
});
