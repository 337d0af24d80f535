// Live view of open alerts: a full-screen dashboard, or line output without a terminal.
import type { CommandContext } from '../platform/command-context.ts';
import { followLines, printChanges } from '../platform/dashboard/follow-lines.ts';
import { claimScreen } from '../platform/dashboard/terminal.ts';
import { alertLines, countsText, type OpenAlerts, readOpenAlerts } from './open-alerts.ts';

type Watch = { readonly everySeconds: number; readonly asJson: boolean };

export async function watchAlerts(context: CommandContext, { everySeconds, asJson }: Watch): Promise<void> {
  const client = await context.session();
  const everyMs = everySeconds * 1000;
  if (!asJson && claimScreen(context)) {
    const { watchOnScreen } = await import('./watch-screen.ts');
    return watchOnScreen({ client, waits: context.waits, everyMs });
  }
  const toText = (open: OpenAlerts): string => [countsText(open), ...alertLines(open.alerts)].join('\n');
  return followLines({ read: readOpenAlerts(client), everyMs, tell: printChanges(asJson, toText) });
}
