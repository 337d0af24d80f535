import { string } from '@oclif/core/args';
import { getAuditLog } from '@recordproof/shared/api/audit-review.ts';
import { recordId } from '@recordproof/shared/api/common.ts';
import { command } from '../../platform/command.ts';
import { parseField } from '../../platform/fields.ts';
import { rowText } from '../tables.ts';

export default command({
  summary: 'Show one row of the audit log, with its hashes',
  examples: [{ command: 'admin audit show 42', description: 'The row with this id' }],
  args: { row: string({ required: true, description: 'Id of the row, as in the list.' }) },
  run: async ({ args, context }) =>
    (await context.session()).call(getAuditLog, { params: { id: parseField('Row', recordId, args.row) } }),
  text: rowText,
});
