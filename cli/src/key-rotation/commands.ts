// Commands of key rotation: those of every kind of runs, and its own.
import type { Client } from '@recordproof/shared/api/client.ts';
import {
  acknowledgeKeyRetirement,
  cancelKeyRotation,
  retryKeyRotation,
  startKeyRotation,
} from '@recordproof/shared/api/key-rotation.ts';
import { command } from '../platform/command.ts';
import { confirm, yesFlag } from '../platform/confirm.ts';
import { writeMessage } from '../platform/output.ts';
import { cancelCommand, changeCommand, endingOf, runCommands, watchFlags, watchRun } from '../platform/run-commands.ts';
import { changePolicy, policyFlags, readPolicy, requestFlag } from './policy-flags.ts';
import { rotations } from './rotations.ts';
import { keyText, policyText, runText } from './tables.ts';

export const common = runCommands(rotations);

export const retry = changeCommand(rotations, {
  endpoint: retryKeyRotation,
  summary: 'Retry the failed items that may succeed next time',
  description: 'Only for a run that is COMPLETED_WITH_FAILURES. What cannot be retried needs a new run.',
  examples: [{ command: 'admin key-rotation retry', description: 'After the key service is back' }],
});

export const cancel = cancelCommand(rotations, {
  endpoint: cancelKeyRotation,
  description: 'What was moved stays moved; the rest stays under the old key.',
});

export const plan = command({
  summary: 'Count what a run would move, and change nothing',
  description: 'A run of mode DRY_RUN: no key service is asked and no envelope changed. Waits until it is over.',
  examples: [{ command: 'admin key-rotation plan', description: 'What would start do?' }],
  flags: { request: requestFlag },
  async run({ flags, context }) {
    const client = await context.session();
    const body = { mode: 'DRY_RUN', requestId: flags.request ?? `plan-${crypto.randomUUID()}` } as const;
    const { runId } = await client.call(startKeyRotation, { body });
    await warnWithoutWorker(client);
    return watchRun(rotations, context, { runId, everySeconds: 1, show: 'nothing' });
  },
  ending: endingOf(rotations),
  text: runText,
});

export const start = command({
  summary: 'Begin to move every key of the tenant under the key of the policy',
  description:
    'A run of mode APPLY, over what there is now. Files stay as they are and can be used meanwhile. It continues when this program ends.',
  examples: [
    { command: 'admin key-rotation start --watch', description: 'Asks, begins, and shows how far it is' },
    {
      command: 'admin key-rotation start --yes --request 2026-01',
      description: 'For scripts: the same request, the same run',
    },
  ],
  flags: { yes: yesFlag, request: requestFlag, ...watchFlags },
  async run({ flags, context }) {
    const client = await context.session();
    if (!flags.yes)
      await confirm(context, `Move all keys under ${keyText(await readPolicy(client))}?`, 'nothing was started');
    const body = { mode: 'APPLY', requestId: flags.request ?? `start-${crypto.randomUUID()}` } as const;
    const run = await client.call(startKeyRotation, { body });
    await warnWithoutWorker(client);
    if (!flags.watch) return run;
    const show = flags.json ? 'nothing' : 'people';
    return watchRun(rotations, context, { runId: run.runId, everySeconds: flags.every, show });
  },
  ending: endingOf(rotations),
  text: (run, { watch }) => (watch ? '' : runText(run)),
});

/** A run is planned on any server, and processed by those where workers are enabled. */
async function warnWithoutWorker(client: Client): Promise<void> {
  const { workerEnabled } = await readPolicy(client);
  if (!workerEnabled)
    writeMessage(
      'this server does not work on runs: one with KEY_ROTATION_ENABLED=true has to, and until then nothing happens',
    );
}

export const policy = command({
  summary: 'Show the policy, or change it',
  description:
    'Without flags it is shown. With flags it is saved as a new version, and what no flag names stays as it is. The key must be the one that wraps new files already. It also says whether the old key may be retired.',
  examples: [
    { command: 'admin key-rotation policy', description: 'What is in force, and may the old key go?' },
    { command: 'admin key-rotation policy --provider local --key-version 2', description: 'Move all under version 2' },
    { command: 'admin key-rotation policy --per-minute 6000', description: 'Only another pace' },
  ],
  flags: policyFlags,
  async run({ flags, context }) {
    const client = await context.session();
    return (await changePolicy(client, flags)) ?? (await readPolicy(client));
  },
  text: policyText,
});

export const acknowledge = command({
  summary: 'Note that the old key was retired where it is kept',
  description: 'Only once the policy says that it may be. No key is touched: retire it yourself first.',
  examples: [
    { command: 'admin key-rotation acknowledge', description: 'Asks before it does' },
    { command: 'admin key-rotation acknowledge --yes', description: 'For scripts: does not ask' },
  ],
  flags: { yes: yesFlag },
  async run({ flags, context }) {
    const client = await context.session();
    if (!flags.yes)
      await confirm(context, 'Was the old key retired where it is kept? This will be noted.', 'nothing was noted');
    return client.call(acknowledgeKeyRetirement);
  },
  text: policyText,
});
