import { listFiles } from '@recordproof/shared/api/files.ts';
import { command } from '../../platform/command.ts';
import { filePages, filesTable } from '../file-table.ts';

export default command({
  summary: 'List your files, newest versions only',
  examples: [
    { command: 'files list', description: 'The newest twenty' },
    { command: 'files list --sort fileSize,desc --size 100', description: 'The largest hundred' },
  ],
  flags: filePages.flags,
  run: async ({ flags, context }) => (await context.session()).call(listFiles, { query: filePages.toQuery(flags) }),
  text: filesTable,
  note: filePages.note,
});
