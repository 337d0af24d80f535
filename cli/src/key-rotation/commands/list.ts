import { listKeyRotations } from '@recordproof/shared/api/key-rotation.ts';
import { command } from '../../platform/command.ts';
import { sliceFlags, sliceNote, toSliceQuery } from '../../platform/slices.ts';
import { runsTable } from '../tables.ts';

export default command({
  summary: 'List the runs, newest first',
  examples: [
    { command: 'admin key-rotation list', description: 'The newest 50' },
    { command: 'admin key-rotation list --after 120', description: 'Those before run 120' },
  ],
  flags: sliceFlags,
  run: async ({ flags, context }) => (await context.session()).call(listKeyRotations, { query: toSliceQuery(flags) }),
  text: runsTable,
  note: slice => sliceNote(slice, 'runs'),
});
