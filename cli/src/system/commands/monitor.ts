import { integer } from '@oclif/core/flags';
import { command } from '../../platform/command.ts';
import { watchService } from '../monitor.ts';

export default command({
  summary: 'Watch health, traffic, queues, storage, chain and alerts',
  description:
    'On a terminal a screen that q leaves. Elsewhere a line whenever something has changed, with --json one JSON document for each look. All looks come over one stream; a server that gives none is asked for each. An outage of the server is waited out. Queues, calls and the store are shown where the installation has one tenant; calls, memory and load are those of the one server that answers.',
  examples: [
    { command: 'admin monitor', description: 'Looks every two seconds' },
    { command: 'admin monitor --every 60 --json >> monitor.ndjson', description: 'For another program' },
  ],
  flags: {
    every: integer({ helpValue: '<seconds>', min: 1, max: 3600, default: 2, summary: 'Time between two looks.' }),
    looks: integer({ helpValue: '<n>', min: 1, summary: 'End after so many looks; lines instead of a screen.' }),
  },
  writesAsItGoes: true,
  run: async ({ flags, context }) =>
    watchService(context, { everySeconds: flags.every, looks: flags.looks, asJson: flags.json === true }),
});
