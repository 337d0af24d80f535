import { command } from '../../platform/command.ts';
import { everyFlag } from '../flags.ts';
import { endingOf, findRunId, runArgument } from '../run-argument.ts';
import { watchRun } from '../watch-run.ts';

export default command({
  summary: 'Watch a run until it is over',
  description:
    'On a terminal a screen with progress, pace, time left and failures; p pauses the run, r resumes it, q leaves it alone. Elsewhere a line for every change, with --json one JSON document each. An outage of the server is waited out. Ends with exit code 1 when the run ends otherwise than COMPLETED.',
  examples: [
    { command: 'admin key-rotation watch', description: 'The newest run' },
    { command: 'admin key-rotation watch 7 | tee rotation.log', description: 'As lines' },
  ],
  args: runArgument,
  flags: { every: everyFlag },
  writesAsItGoes: true,
  async run({ flags, args, context }) {
    const runId = await findRunId(await context.session(), args.run);
    return watchRun(context, { runId, everySeconds: flags.every, show: flags.json ? 'json' : 'people' });
  },
  ending: endingOf,
});
