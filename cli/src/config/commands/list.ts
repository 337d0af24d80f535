import { command } from '../../platform/command.ts';
import { alignRows } from '../../platform/table.ts';

export default command({
  summary: 'Print every setting in force, and where it comes from',
  examples: [{ command: 'config list', description: 'What applies right now?' }],
  run: async ({ context }) => context.settings(),
  text: settings =>
    alignRows(Object.entries(settings).map(([name, { value, source }]) => [name, String(value), `(${source})`])),
});
