// The commands that pause a run and let it go on.
import type { pauseBackfill, resumeBackfill } from '@recordproof/shared/api/backfill.ts';
import { command } from '../platform/command.ts';
import type { CommandClass } from '../platform/topic.ts';
import { findRunId, runArgument } from './find-run.ts';
import { runText } from './tables.ts';

type Change = {
  readonly endpoint: typeof pauseBackfill | typeof resumeBackfill;
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
