// Commands of the topic `files`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const files = topic({
  topics: {
    files: 'Your files and folders: list, search, move, versions, delete',
    'files trash': 'Deleted files: list, restore, delete for good',
  },
  commands: {
    download: async () => (await import('./download.ts')).download,
    'files history': async () => (await import('./folder-commands.ts')).history,
    'files info': async () => (await import('./commands.ts')).info,
    'files list': async () => (await import('./commands.ts')).list,
    'files mkdir': async () => (await import('./folder-commands.ts')).mkdir,
    'files move': async () => (await import('./folder-commands.ts')).move,
    'files quota': async () => (await import('./commands.ts')).quota,
    'files restore-version': async () => (await import('./commands.ts')).restoreVersion,
    'files rm': async () => (await import('./commands.ts')).rm,
    'files rmdir': async () => (await import('./folder-commands.ts')).rmdir,
    'files seal': async () => (await import('./folder-commands.ts')).seal,
    'files search': async () => (await import('./commands.ts')).search,
    'files stats': async () => (await import('./commands.ts')).stats,
    'files trash empty': async () => (await import('./trash-commands.ts')).trashEmpty,
    'files trash list': async () => (await import('./trash-commands.ts')).trashList,
    'files trash restore': async () => (await import('./trash-commands.ts')).trashRestore,
    'files tree': async () => (await import('./folder-commands.ts')).tree,
    'files versions': async () => (await import('./commands.ts')).versions,
  },
});
