import { getSweepStatus } from '@recordproof/shared/api/sweep.ts';
import { command } from '../../platform/command.ts';
import { censusNote, statusText } from '../tables.ts';

export default command({
  summary: 'Show the switches, the newest census and the marks',
  examples: [{ command: 'admin sweep status', description: 'How it stands' }],
  run: async ({ context }) => (await context.session()).call(getSweepStatus),
  text: statusText,
  note: ({ census }) => (census === null ? '' : censusNote(census)),
});
