import { fileStats } from '@recordproof/shared/api/files.ts';
import { command } from '../../platform/command.ts';
import { alignRows } from '../../platform/table.ts';
import { toSize } from '../../platform/units.ts';

export default command({
  summary: 'How many files you have, how large they are',
  examples: [{ command: 'files stats', description: 'Files, bytes, shared, uploaded today' }],
  run: async ({ context }) => (await context.session()).call(fileStats),
  text: stats =>
    alignRows([
      ['files', String(stats.totalFiles)],
      ['storage', toSize(stats.totalStorage)],
      ['shared', String(stats.sharedFiles)],
      ['uploaded today', String(stats.todayUploads)],
    ]),
});
