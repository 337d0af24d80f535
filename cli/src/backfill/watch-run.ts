// Follows a run until it is over: on a screen of its own, or as lines where there is none.
import type { BackfillRun } from '@recordproof/shared/api/backfill.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { followRun, type Telling } from '../platform/dashboard/follow-run.ts';
import { claimScreen } from '../platform/dashboard/terminal.ts';
import { isOver, readRun } from './find-run.ts';
import { doneOf, runLine } from './run-texts.ts';

type Watch = {
  readonly runId: string;
  readonly everySeconds: number;
  readonly show: Telling;
};

export async function watchRun(context: CommandContext, { runId, everySeconds, show }: Watch): Promise<BackfillRun> {
  const client = await context.session();
  const everyMs = everySeconds * 1000;
  if (show === 'people' && claimScreen(context)) {
    const { watchOnScreen } = await import('./watch-screen.ts');
    return watchOnScreen({ client, waits: context.waits, runId, everyMs });
  }
  return followRun({
    ...{ read: readRun(client, runId), everyMs, show, doneOf, isOver },
    toLine: runLine,
    goesOn: 'the run goes on; watch it again with: recordproof admin backfill watch',
  });
}
