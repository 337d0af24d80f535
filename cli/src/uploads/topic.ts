import { topic } from '../platform/topic.ts';

export const uploads = topic({
  topics: {
    uploads: 'Uploads that are not finished',
  },
  commands: {
    'uploads cancel': () => import('./commands/cancel.ts'),
    'uploads list': () => import('./commands/list.ts'),
    'uploads pause': () => import('./commands/pause.ts'),
    'uploads resume': () => import('./commands/resume.ts'),
    upload: () => import('./commands/upload.ts'),
  },
});
