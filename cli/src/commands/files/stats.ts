import { fileStats } from '@recordproof/shared/api/files.ts';
import { command } from '../../command.ts';
import { toTable } from '../../output.ts';
import { toSize } from '../../transfer/units.ts';

export default command({
  summary: 'How many files you have, how large they are',
  examples: [{ command: 'files stats', description: 'Files, bytes, shared, uploaded today' }],
  run: async ({ program }) => (await program.session()).call(fileStats),
  text: stats =>
    toTable([
      ['files', String(stats.totalFiles)],
      ['storage', toSize(stats.totalStorage)],
      ['shared', String(stats.sharedFiles)],
      ['uploaded today', String(stats.todayUploads)],
    ]),
});
