import { command } from '../../command.ts';
import { toTable } from '../../output.ts';

export default command({
  summary: 'Print every setting in force, and where it comes from',
  examples: [{ command: 'config list', description: 'What applies right now?' }],
  run: async ({ program }) => program.settings(),
  text: settings =>
    toTable(Object.entries(settings).map(([name, { value, source }]) => [name, String(value), `(${source})`])),
});
