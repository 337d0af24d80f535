import { command } from '../../platform/command.ts';
import { endingOf, findRunId, runArgument } from '../find-run.ts';
import { watchFlags } from '../flags.ts';
import { watchRun } from '../watch-run.ts';

export default command({
  summary: 'Watch a run until it is over',
  description:
    'On a terminal a screen with progress, pace and what was found; p pauses the run, r resumes it, q leaves it alone. Elsewhere a line for every change, with --json one JSON document each. An outage of the server is waited out. Ends with exit code 1 where anything failed.',
  examples: [
    { command: 'admin backfill watch', description: 'The newest run' },
    { command: 'admin backfill watch 7 | tee backfill.log', description: 'As lines' },
  ],
  args: runArgument,
  flags: { every: watchFlags.every },
  writesAsItGoes: true,
  async run({ flags, args, context }) {
    const runId = await findRunId(await context.session(), args.run);
    return watchRun(context, { runId, everySeconds: flags.every, show: flags.json ? 'json' : 'people' });
  },
  ending: endingOf,
});
