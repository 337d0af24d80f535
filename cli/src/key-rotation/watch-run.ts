// Follows a run until it is over: on a screen of its own, or as lines where there is none.
import type { Client } from '@recordproof/shared/api/client.ts';
import type { KeyRotationRun } from '@recordproof/shared/api/key-rotation.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { followRun, type Telling } from '../platform/dashboard/follow-run.ts';
import { claimScreen } from '../platform/dashboard/terminal.ts';
import { say } from '../platform/output.ts';
import { readPolicy } from './policy-flags.ts';
import { isOver, readRun } from './run-argument.ts';
import { doneOf, runLine } from './run-texts.ts';

type Watch = {
  readonly runId: string;
  readonly everySeconds: number;
  readonly show: Telling;
};

export async function watchRun(context: CommandContext, { runId, everySeconds, show }: Watch): Promise<KeyRotationRun> {
  const client = await context.session();
  const everyMs = everySeconds * 1000;
  if (show === 'people' && claimScreen(context)) {
    const { watchOnScreen } = await import('./watch-screen.ts');
    return watchOnScreen({ client, waits: context.waits, runId, everyMs });
  }
  return followRun({
    ...{ read: readRun(client, runId), everyMs, show, doneOf, isOver },
    toLine: runLine,
    goesOn: 'the run goes on; watch it again with: recordproof admin key-rotation watch',
  });
}

/** A run is planned anywhere, and worked on where that is switched on. */
export async function warnWhereNothingWorks(client: Client): Promise<void> {
  const { workerEnabled } = await readPolicy(client);
  if (!workerEnabled)
    say('this server does not work on runs: one with KEY_ROTATION_ENABLED=true has to, and until then nothing happens');
}
