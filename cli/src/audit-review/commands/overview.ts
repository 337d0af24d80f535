import { getAuditOverview } from '@recordproof/shared/api/audit-review.ts';
import { command } from '../../platform/command.ts';
import { overviewText } from '../tables.ts';

export default command({
  summary: 'The audit log at a glance: in all, today, the last seven days',
  examples: [{ command: 'admin audit overview', description: 'Days are days in UTC' }],
  run: async ({ context }) => (await context.session()).call(getAuditOverview),
  text: overviewText,
});
