import { listKeyRotationItems } from '@recordproof/shared/api/key-rotation.ts';
import { command } from '../../platform/command.ts';
import { sliceFlags, sliceNote, toSliceQuery } from '../../platform/slices.ts';
import { findRunId, runArgument } from '../run-argument.ts';
import { itemsTable } from '../tables.ts';

export default command({
  summary: 'List what a run found, and what became of each',
  examples: [
    { command: 'admin key-rotation items', description: 'Of the newest run' },
    { command: 'admin key-rotation items 7 --after 50', description: 'What comes behind item 50' },
  ],
  args: runArgument,
  flags: sliceFlags,
  async run({ flags, args, context }) {
    const client = await context.session();
    const runId = await findRunId(client, args.run);
    return client.call(listKeyRotationItems, { params: { runId }, query: toSliceQuery(flags) });
  },
  text: itemsTable,
  note: slice => sliceNote(slice, 'items'),
});
