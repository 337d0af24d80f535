// Follows how the service is: on a screen of its own, or as lines where there is none.
import type { SystemMonitor } from '@recordproof/shared/api/system.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { followLines } from '../platform/dashboard/follow-lines.ts';
import { claimScreen } from '../platform/dashboard/terminal.ts';
import { printable, writeData, writeJsonLine } from '../platform/output.ts';
import { openLooks } from './looks.ts';
import { monitorLine } from './monitor-texts.ts';

type Watch = { readonly everySeconds: number; readonly looks: number | undefined; readonly asJson: boolean };

export async function watchService(context: CommandContext, { everySeconds, looks, asJson }: Watch): Promise<void> {
  const client = await context.session();
  using looking = openLooks(client, everySeconds);
  if (!asJson && looks === undefined && claimScreen(context)) {
    const { watchOnScreen } = await import('./monitor-screen.ts');
    return await watchOnScreen({ read: looking.read, waits: context.waits });
  }
  await followLines({ read: looking.read, everyMs: 0, looks, tell: openTeller(asJson) });
}

/** As JSON every look, for people what has changed. */
function openTeller(asJson: boolean): (seen: SystemMonitor) => void {
  let told = '';
  return seen => {
    if (asJson) return writeJsonLine(seen);
    const news = monitorLine(seen);
    if (news === told) return;
    told = news;
    writeData(`${seen.time}  ${printable(news)}`);
  };
}
