import { getKeyRotation } from '@recordproof/shared/api/key-rotation.ts';
import { command } from '../../platform/command.ts';
import { findRunId, runArgument } from '../run-argument.ts';
import { runText } from '../tables.ts';

export default command({
  summary: 'Show a run and how far it is',
  examples: [
    { command: 'admin key-rotation status', description: 'The newest run' },
    { command: 'admin key-rotation status 7 --json', description: 'For scripts' },
  ],
  args: runArgument,
  async run({ args, context }) {
    const client = await context.session();
    return client.call(getKeyRotation, { params: { runId: await findRunId(client, args.run) } });
  },
  text: runText,
});
