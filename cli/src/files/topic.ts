import { topic } from '../platform/topic.ts';

export const files = topic({
  topics: {
    files: 'Your files: list, search, versions, delete',
  },
  commands: {
    download: () => import('./commands/download.ts'),
    'files info': () => import('./commands/info.ts'),
    'files list': () => import('./commands/list.ts'),
    'files quota': () => import('./commands/quota.ts'),
    'files rm': () => import('./commands/rm.ts'),
    'files search': () => import('./commands/search.ts'),
    'files stats': () => import('./commands/stats.ts'),
    'files versions': () => import('./commands/versions.ts'),
  },
});
