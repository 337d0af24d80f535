// `admin monitor`: a dashboard, or lines without a terminal.
import type { SystemMonitor } from '@recordproof/shared/api/system.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { followLines } from '../platform/dashboard/follow-lines.ts';
import { claimScreen } from '../platform/dashboard/terminal.ts';
import { printable, writeData, writeJsonLine } from '../platform/output.ts';
import { openSampler } from './monitor-samples.ts';
import { monitorLine } from './monitor-texts.ts';

type Watch = { readonly everySeconds: number; readonly count: number | undefined; readonly asJson: boolean };

export async function watchService(context: CommandContext, { everySeconds, count, asJson }: Watch): Promise<void> {
  const client = await context.session();
  using sampler = openSampler(client, everySeconds);
  if (!asJson && count === undefined && claimScreen(context)) {
    const { watchOnScreen } = await import('./monitor-screen.ts');
    return await watchOnScreen({ read: sampler.read, waits: context.waits });
  }
  await followLines({ read: sampler.read, everyMs: 0, count, tell: openPrinter(asJson) });
}

/** As JSON every sample, as text only changes. */
function openPrinter(asJson: boolean): (monitor: SystemMonitor) => void {
  let lastLine = '';
  return monitor => {
    if (asJson) return writeJsonLine(monitor);
    const news = monitorLine(monitor);
    if (news === lastLine) return;
    lastLine = news;
    writeData(`${monitor.time}  ${printable(news)}`);
  };
}
