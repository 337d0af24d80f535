import { boolean } from '@oclif/core/flags';
import type { Client } from '@recordproof/shared/api/client.ts';
import { startKeyRotation } from '@recordproof/shared/api/key-rotation.ts';
import { command } from '../../platform/command.ts';
import type { CommandContext } from '../../platform/command-context.ts';
import { confirm } from '../../platform/confirm.ts';
import { everyFlag, yesFlag } from '../flags.ts';
import { readPolicy, requestFlag } from '../policy-flags.ts';
import { endingOf } from '../run-argument.ts';
import { keyText, runText } from '../tables.ts';
import { warnWhereNothingWorks, watchRun } from '../watch-run.ts';

async function confirmStart(context: CommandContext, client: Client): Promise<void> {
  const target = keyText(await readPolicy(client));
  await confirm(context, `Move all keys under ${target}?`, 'nothing was started');
}

export default command({
  summary: 'Begin to move every key of the tenant under the key of the policy',
  description:
    'A run of mode APPLY, over what there is now. Files stay as they are and can be used meanwhile. It goes on when this program ends.',
  examples: [
    { command: 'admin key-rotation start --watch', description: 'Asks, begins, and shows how far it is' },
    {
      command: 'admin key-rotation start --yes --request 2026-01',
      description: 'For scripts: the same request, the same run',
    },
  ],
  flags: {
    yes: yesFlag,
    request: requestFlag,
    watch: boolean({ summary: 'Stay and show how far it is, until it is over.' }),
    every: everyFlag,
  },
  async run({ flags, context }) {
    const client = await context.session();
    if (!flags.yes) await confirmStart(context, client);
    const body = { mode: 'APPLY', requestId: flags.request ?? `start-${crypto.randomUUID()}` } as const;
    const run = await client.call(startKeyRotation, { body });
    await warnWhereNothingWorks(client);
    if (!flags.watch) return run;
    const show = flags.json ? 'nothing' : 'people';
    return watchRun(context, { runId: run.runId, everySeconds: flags.every, show });
  },
  ending: endingOf,
  text: (run, { watch }) => (watch ? '' : runText(run)),
});
