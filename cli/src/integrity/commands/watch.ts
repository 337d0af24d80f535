import { integer } from '@oclif/core/flags';
import { command } from '../../platform/command.ts';
import { watchAlerts } from '../watch-alerts.ts';

export default command({
  summary: 'Watch the alerts that are not resolved',
  description:
    'On a terminal a screen: j and k choose an alert, a acknowledges it, q leaves. Elsewhere the list whenever it has changed, with --json one JSON document each. An outage of the server is waited out.',
  examples: [
    { command: 'admin integrity watch', description: 'What needs somebody now' },
    { command: 'admin integrity watch --json >> alerts.ndjson', description: 'For another program' },
  ],
  flags: {
    every: integer({ helpValue: '<seconds>', min: 1, max: 3600, default: 5, summary: 'Time between two looks.' }),
  },
  writesAsItGoes: true,
  run: async ({ flags, context }) => watchAlerts(context, { everySeconds: flags.every, asJson: flags.json === true }),
});
