import { command } from '../../platform/command.ts';
import { beginRun } from '../begin-run.ts';
import { endingOf, findScan, scanArgument } from '../find-run.ts';
import { watchFlags } from '../flags.ts';
import { runText } from '../tables.ts';

export default command({
  summary: 'Look again at what a scan says can be backfilled',
  description: 'Everything that apply would do, but for writing. What is not as the scan saw it fails.',
  examples: [
    { command: 'admin backfill dry-run --watch', description: 'Of the newest scan' },
    { command: 'admin backfill dry-run 7', description: 'Of scan 7' },
  ],
  args: scanArgument,
  flags: watchFlags,
  async run({ flags, args, context }) {
    const { runId: snapshotRunId } = await findScan(await context.session(), args.scan);
    return beginRun(context, { mode: 'DRY_RUN', snapshotRunId }, flags);
  },
  ending: endingOf,
  text: runText,
});
