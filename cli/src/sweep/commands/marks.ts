import { option } from '@oclif/core/flags';
import { listMarks, markStates } from '@recordproof/shared/api/sweep.ts';
import { command } from '../../platform/command.ts';
import { sliceFlags, sliceNote, toSliceQuery } from '../../platform/slices.ts';
import { marksTable } from '../tables.ts';

export default command({
  summary: 'List what is marked and what became of it, the newest first',
  examples: [
    { command: 'admin sweep marks', description: 'The newest fifty' },
    { command: 'admin sweep marks --state RETAINED', description: 'What was left alone after all' },
  ],
  flags: { ...sliceFlags, state: option({ options: markStates, summary: 'Only those in this state.' })() },
  async run({ flags, context }) {
    const state = flags.state === undefined ? {} : { state: flags.state };
    return (await context.session()).call(listMarks, { query: { ...toSliceQuery(flags), ...state } });
  },
  text: marksTable,
  note: slice => sliceNote(slice, 'marks'),
});
