import { getSystemStats } from '@recordproof/shared/api/system.ts';
import { command } from '../../platform/command.ts';
import { alignRows } from '../../platform/table.ts';
import { toSize } from '../../platform/units.ts';

export default command({
  summary: 'Show the figures of the tenant',
  examples: [{ command: 'admin stats', description: 'Users, files, storage, transactions, and what happened today' }],
  run: async ({ context }) => (await context.session()).call(getSystemStats),
  text: stats =>
    alignRows([
      ['users', String(stats.totalUsers)],
      ['files', String(stats.totalFiles)],
      ['storage', `${toSize(stats.totalStorage)} (${stats.totalStorage} bytes)`],
      ['transactions', String(stats.totalTransactions)],
      ['uploads today', String(stats.todayUploads)],
      ['downloads today', String(stats.todayDownloads)],
    ]),
});
