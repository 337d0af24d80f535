import { listBackfills } from '@recordproof/shared/api/backfill.ts';
import { command } from '../../platform/command.ts';
import { sliceFlags, toSliceQuery } from '../flags.ts';
import { runsTable, sliceNote } from '../tables.ts';

export default command({
  summary: 'List the runs, newest first',
  examples: [
    { command: 'admin backfill list', description: 'The newest 50' },
    { command: 'admin backfill list --after 120', description: 'Those before run 120' },
  ],
  flags: sliceFlags,
  run: async ({ flags, context }) => (await context.session()).call(listBackfills, { query: toSliceQuery(flags) }),
  text: runsTable,
  note: slice => sliceNote(slice, 'runs'),
});
