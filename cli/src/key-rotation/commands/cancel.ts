import { cancelKeyRotation } from '@recordproof/shared/api/key-rotation.ts';
import { command } from '../../platform/command.ts';
import { confirm } from '../../platform/confirm.ts';
import { yesFlag } from '../flags.ts';
import { findRunId, runArgument } from '../run-argument.ts';
import { runText } from '../tables.ts';

export default command({
  summary: 'End a run for good',
  description: 'What was moved stays moved; the rest stays under the old key.',
  examples: [
    { command: 'admin key-rotation cancel', description: 'The newest run; asks before it does' },
    { command: 'admin key-rotation cancel 7 --yes', description: 'For scripts: does not ask' },
  ],
  args: runArgument,
  flags: { yes: yesFlag },
  async run({ flags, args, context }) {
    const client = await context.session();
    const runId = await findRunId(client, args.run);
    if (!flags.yes) await confirm(context, `End run ${runId}? It cannot go on afterwards.`, 'nothing was cancelled');
    return client.call(cancelKeyRotation, { params: { runId } });
  },
  text: runText,
  note: ({ runId, status }) => `run ${runId} is ${status} now`,
});
