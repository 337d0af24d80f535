import { string } from '@oclif/core/args';
import { getAuditLog } from '@recordproof/shared/api/audit-review.ts';
import { recordId } from '@recordproof/shared/api/common.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { command } from '../../platform/command.ts';
import { parseField } from '../../platform/fields.ts';
import { Fixable } from '../../platform/fixable.ts';
import { rowText } from '../tables.ts';

export default command({
  summary: 'Show one row of the audit log, with its hashes',
  examples: [{ command: 'admin audit show 42', description: 'The row with this id' }],
  args: { row: string({ required: true, description: 'Id of the row, as in the list.' }) },
  async run({ args, context }) {
    const id = parseField('Row', recordId, args.row);
    try {
      return await (await context.session()).call(getAuditLog, { params: { id } });
    } catch (error) {
      if (!(error instanceof ApiError) || error.kind !== 'RESULT_DATA_NONE') throw error;
      throw new Fixable('refused', `the log of the tenant has no row ${id}`, { try: 'recordproof admin audit list' });
    }
  },
  text: rowText,
});
