import { listSensitiveOperations } from '@recordproof/shared/api/audit-review.ts';
import { command } from '../../platform/command.ts';
import { filterFlags, toFilter } from '../flags.ts';
import { rowPages, rowsTable } from '../tables.ts';

export default command({
  summary: 'List what is sensitive: whole modules, and what deletes or takes away',
  description: 'Which modules those are says `admin audit config SENSITIVE_MODULES`.',
  examples: [{ command: 'admin audit sensitive', description: 'The newest twenty' }],
  flags: { ...rowPages.flags, ...filterFlags },
  run: async ({ flags, context }) =>
    (await context.session()).call(listSensitiveOperations, {
      body: { ...rowPages.toQuery(flags), ...toFilter(flags) },
    }),
  text: rowsTable,
  note: rowPages.note,
});
