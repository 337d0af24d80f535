import { option } from '@oclif/core/flags';
import { backfillItemStatuses, listBackfillItems } from '@recordproof/shared/api/backfill.ts';
import { backfillClassifications, backfillReasons } from '@recordproof/shared/api/backfill-reasons.ts';
import { command } from '../../platform/command.ts';
import { findRunId, runArgument } from '../find-run.ts';
import { sliceFlags, toSliceQuery } from '../flags.ts';
import { itemsTable, sliceNote } from '../tables.ts';

export default command({
  summary: 'List what a run found, record by record',
  examples: [
    { command: 'admin backfill items', description: 'Of the newest run' },
    { command: 'admin backfill items 7 --class REUPLOAD_REQUIRED', description: 'Whose owners have to be asked' },
    { command: 'admin backfill items 7 --reason OBJECT_MISSING --after 50', description: 'What comes behind item 50' },
  ],
  args: runArgument,
  flags: {
    ...sliceFlags,
    status: option({ options: backfillItemStatuses, summary: 'Only those in this state.' })(),
    class: option({ options: backfillClassifications, summary: 'Only those of this class.' })(),
    reason: option({ options: backfillReasons, helpValue: '<reason>', summary: 'Only those with this reason.' })(),
  },
  async run({ flags, args, context }) {
    const client = await context.session();
    const { status, class: classification, reason } = flags;
    const query = {
      ...toSliceQuery(flags),
      ...(status !== undefined && { status }),
      ...(classification !== undefined && { classification }),
      ...(reason !== undefined && { reason }),
    };
    return client.call(listBackfillItems, { params: { runId: await findRunId(client, args.run) }, query });
  },
  text: itemsTable,
  note: slice => sliceNote(slice, 'items'),
});
