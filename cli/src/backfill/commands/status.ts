import { getBackfill } from '@recordproof/shared/api/backfill.ts';
import { command } from '../../platform/command.ts';
import { findRunId, runArgument } from '../find-run.ts';
import { runText } from '../tables.ts';

export default command({
  summary: 'Show a run, and what it found',
  examples: [
    { command: 'admin backfill status', description: 'The newest run' },
    { command: 'admin backfill status 7 --json', description: 'For scripts' },
  ],
  args: runArgument,
  async run({ args, context }) {
    const client = await context.session();
    return client.call(getBackfill, { params: { runId: await findRunId(client, args.run) } });
  },
  text: runText,
});
