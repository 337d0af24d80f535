// The commands that change a run without asking.
import type { pauseKeyRotation, resumeKeyRotation, retryKeyRotation } from '@recordproof/shared/api/key-rotation.ts';
import { command } from '../platform/command.ts';
import type { CommandClass } from '../platform/topic.ts';
import { findRunId, runArgument } from './run-argument.ts';
import { runText } from './tables.ts';

type Change = {
  readonly endpoint: typeof pauseKeyRotation | typeof resumeKeyRotation | typeof retryKeyRotation;
  readonly summary: string;
  readonly description?: string;
  readonly examples: readonly { readonly command: string; readonly description: string }[];
};

export const changeCommand = ({ endpoint, ...told }: Change): CommandClass =>
  command({
    ...told,
    args: runArgument,
    async run({ args, context }) {
      const client = await context.session();
      return client.call(endpoint, { params: { runId: await findRunId(client, args.run) } });
    },
    text: runText,
    note: ({ runId, status }) => `run ${runId} is ${status} now`,
  });
