import { listCandidates } from '@recordproof/shared/api/sweep.ts';
import { command } from '../../platform/command.ts';
import { sliceFlags, sliceNote, toSliceQuery } from '../../platform/slices.ts';
import { newestCensusId } from '../newest-census.ts';
import { candidatesTable } from '../tables.ts';

export default command({
  summary: 'List what the newest census found nothing to refer to',
  examples: [
    { command: 'admin sweep candidates', description: 'The first fifty' },
    { command: 'admin sweep candidates --wide', description: 'With their hashes' },
  ],
  flags: sliceFlags,
  async run({ flags, context }) {
    const client = await context.session();
    const params = { censusId: await newestCensusId(client) };
    return client.call(listCandidates, { params, query: toSliceQuery(flags) });
  },
  text: candidatesTable,
  note: slice => sliceNote(slice, 'unreferenced objects'),
});
