import { listHighFrequency } from '@recordproof/shared/api/audit-review.ts';
import { command } from '../../platform/command.ts';
import { spanFlags, toSpan } from '../flags.ts';
import { fastTable } from '../tables.ts';

export default command({
  summary: 'List who did too much in five minutes, within the last day',
  examples: [{ command: 'admin audit high-frequency', description: 'The most first' }],
  flags: spanFlags,
  run: async ({ flags, context }) => (await context.session()).call(listHighFrequency, { query: toSpan(flags) }),
  text: fastTable,
  note: found => (found.length === 0 ? 'nobody was too fast' : ''),
});
