import { string as argument } from '@oclif/core/args';
import { retryBackfillItem } from '@recordproof/shared/api/backfill.ts';
import { recordId } from '@recordproof/shared/api/common.ts';
import { command } from '../../platform/command.ts';
import { parseField } from '../../platform/fields.ts';
import { itemsTable } from '../tables.ts';

export default command({
  summary: 'Look again at an item that failed',
  description: 'Only where another try may help: the store or the chain was away. The run goes on with it.',
  examples: [{ command: 'admin backfill retry 7 120', description: 'Item 120 of run 7' }],
  args: {
    run: argument({ description: 'Number of the run.', required: true }),
    item: argument({ description: 'Number of the item.', required: true }),
  },
  async run({ args, context }) {
    const params = { runId: parseField('Run', recordId, args.run), itemId: parseField('Item', recordId, args.item) };
    return (await context.session()).call(retryBackfillItem, { params });
  },
  text: item => itemsTable({ records: [item], nextCursor: null }),
});
