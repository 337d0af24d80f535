import { startKeyRotation } from '@recordproof/shared/api/key-rotation.ts';
import { command } from '../../platform/command.ts';
import { requestFlag } from '../policy-flags.ts';
import { endingOf } from '../run-argument.ts';
import { runText } from '../tables.ts';
import { warnWhereNothingWorks, watchRun } from '../watch-run.ts';

export default command({
  summary: 'Count what a run would move, and change nothing',
  description: 'A run of mode DRY_RUN: no key service is asked and no envelope changed. Waits until it is over.',
  examples: [{ command: 'admin key-rotation plan', description: 'What would start do?' }],
  flags: { request: requestFlag },
  async run({ flags, context }) {
    const client = await context.session();
    const body = { mode: 'DRY_RUN', requestId: flags.request ?? `plan-${crypto.randomUUID()}` } as const;
    const { runId } = await client.call(startKeyRotation, { body });
    await warnWhereNothingWorks(client);
    return watchRun(context, { runId, everySeconds: 1, show: 'nothing' });
  },
  ending: endingOf,
  text: runText,
});
