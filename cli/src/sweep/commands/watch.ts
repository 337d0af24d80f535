import { integer } from '@oclif/core/flags';
import { command } from '../../platform/command.ts';
import { watchSweep } from '../watch-sweep.ts';

export default command({
  summary: 'Watch census and marks',
  description:
    'On a terminal a screen: c takes a census, q leaves. Elsewhere a line for every change, with --json one JSON document each. An outage of the server is waited out.',
  examples: [
    { command: 'admin sweep watch', description: 'How far the census is, and what is deleted' },
    { command: 'admin sweep watch --json >> sweep.ndjson', description: 'For another program' },
  ],
  flags: {
    every: integer({ helpValue: '<seconds>', min: 1, max: 3600, default: 5, summary: 'Time between two looks.' }),
  },
  writesAsItGoes: true,
  run: async ({ flags, context }) => watchSweep(context, { everySeconds: flags.every, asJson: flags.json === true }),
});
