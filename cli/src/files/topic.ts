import { topic } from '../platform/topic.ts';

export const files = topic({
  topics: {
    files: 'Your files: list, search, versions, delete',
  },
  commands: {
    download: async () => (await import('./download.ts')).download,
    'files info': async () => (await import('./commands.ts')).info,
    'files list': async () => (await import('./commands.ts')).list,
    'files quota': async () => (await import('./commands.ts')).quota,
    'files rm': async () => (await import('./commands.ts')).rm,
    'files search': async () => (await import('./commands.ts')).search,
    'files stats': async () => (await import('./commands.ts')).stats,
    'files versions': async () => (await import('./commands.ts')).versions,
  },
});
