import { listUnknownHolds } from '@recordproof/shared/api/sweep.ts';
import { command } from '../../platform/command.ts';
import { sliceFlags, sliceNote, toSliceQuery } from '../../platform/slices.ts';
import { newestCensusId } from '../newest-census.ts';
import { unknownHoldsTable } from '../tables.ts';

export default command({
  summary: 'List the files of which the newest census could not tell what they keep, and what to do about each',
  description: 'As long as there is one, nothing can be marked and nothing is deleted.',
  examples: [{ command: 'admin sweep unknown-holds', description: 'Which files these are, and why' }],
  flags: sliceFlags,
  async run({ flags, context }) {
    const client = await context.session();
    const params = { censusId: await newestCensusId(client) };
    return client.call(listUnknownHolds, { params, query: toSliceQuery(flags) });
  },
  text: unknownHoldsTable,
  note: slice => sliceNote(slice, 'unknown holds'),
});
