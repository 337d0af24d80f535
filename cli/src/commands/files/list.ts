import { listFiles } from '@recordproof/shared/api/files.ts';
import { command } from '../../command.ts';
import { filesTable, pageFlags, pageNote } from '../../file-table.ts';
import { toPageQuery } from '../../pages.ts';

export default command({
  summary: 'List your files, newest versions only',
  examples: [
    { command: 'files list', description: 'The newest twenty' },
    { command: 'files list --sort fileSize,desc --size 100', description: 'The largest hundred' },
  ],
  flags: pageFlags,
  run: async ({ flags, program }) => (await program.session()).call(listFiles, { query: toPageQuery(flags) }),
  text: filesTable,
  note: pageNote,
});
