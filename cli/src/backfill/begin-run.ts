// Begins a run, and stays with it where that is asked for.
import { type BackfillMode, type BackfillRun, startBackfill } from '@recordproof/shared/api/backfill.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { say } from '../platform/output.ts';
import { watchRun } from './watch-run.ts';

type Wish = { readonly mode: BackfillMode; readonly snapshotRunId?: string };
type Staying = { readonly watch: boolean; readonly every: number; readonly json: boolean | undefined };

export async function beginRun(
  context: CommandContext,
  body: Wish,
  { watch, every, json }: Staying,
): Promise<BackfillRun> {
  const client = await context.session();
  const run = await client.call(startBackfill, { body });
  if (!run.workerEnabled) say('this server does not work on such runs (backfill.worker.enabled): another one has to');
  if (!watch) return run;
  return watchRun(context, { runId: run.runId, everySeconds: every, show: json ? 'nothing' : 'people' });
}
