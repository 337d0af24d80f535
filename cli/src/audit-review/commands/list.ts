import { listAuditLogs } from '@recordproof/shared/api/audit-review.ts';
import { command } from '../../platform/command.ts';
import { filterFlags, toFilter } from '../flags.ts';
import { rowPages, rowsTable } from '../tables.ts';

export default command({
  summary: 'List the audit log, the newest rows first',
  examples: [
    { command: 'admin audit list', description: 'The newest twenty' },
    { command: 'admin audit list --username ada --from 2026-01-31', description: 'What ada did since then' },
    { command: 'admin audit list --module auth --status error', description: 'Refused logins' },
  ],
  flags: { ...rowPages.flags, ...filterFlags },
  run: async ({ flags, context }) =>
    (await context.session()).call(listAuditLogs, { query: { ...rowPages.toQuery(flags), ...toFilter(flags) } }),
  text: rowsTable,
  note: rowPages.note,
});
