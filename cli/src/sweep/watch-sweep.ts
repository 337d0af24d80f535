// Live view of census and marks: a full-screen dashboard, or line output without a terminal.
import { getSweepStatus, type SweepStatus } from '@recordproof/shared/api/sweep.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { followLines, printChanges } from '../platform/dashboard/follow-lines.ts';
import { claimScreen } from '../platform/dashboard/terminal.ts';
import { statusLine } from './tables.ts';

type Watch = { readonly everySeconds: number; readonly asJson: boolean };

export async function watchSweep(context: CommandContext, { everySeconds, asJson }: Watch): Promise<void> {
  const client = await context.session();
  const everyMs = everySeconds * 1000;
  if (!asJson && claimScreen(context)) {
    const { watchOnScreen } = await import('./watch-screen.ts');
    return watchOnScreen({ client, waits: context.waits, everyMs });
  }
  const read = (signal: AbortSignal) => client.call(getSweepStatus, { signal });
  const toText = (status: SweepStatus): string => `${new Date().toISOString()}  ${statusLine(status)}`;
  return followLines({ read, everyMs, tell: printChanges(asJson, toText) });
}
