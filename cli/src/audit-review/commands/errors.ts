import { listAuditErrors } from '@recordproof/shared/api/audit-review.ts';
import { command } from '../../platform/command.ts';
import { spanFlags, toSpan } from '../flags.ts';
import { errorsTable } from '../tables.ts';

export default command({
  summary: 'List what was refused within the last week, the most frequent first',
  examples: [{ command: 'admin audit errors --from 2026-01-01', description: 'Since then' }],
  flags: spanFlags,
  run: async ({ flags, context }) => (await context.session()).call(listAuditErrors, { query: toSpan(flags) }),
  text: errorsTable,
  note: found => (found.length === 0 ? 'nothing was refused' : ''),
});
