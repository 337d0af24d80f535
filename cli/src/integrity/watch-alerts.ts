// Follows the open alerts: on a screen of its own, or as lines where there is none.
import type { CommandContext } from '../platform/command-context.ts';
import { follow, lostText } from '../platform/dashboard/follow.ts';
import { isScreen, prepareScreens } from '../platform/dashboard/terminal.ts';
import { listenForClosedOutput, listenForInterrupts } from '../platform/interrupts.ts';
import { say, writeData, writeJsonLine } from '../platform/output.ts';
import { alertLines, countsText, readOpenAlerts } from './open-alerts.ts';

type Watch = { readonly everySeconds: number; readonly asJson: boolean };

export async function watchAlerts(context: CommandContext, { everySeconds, asJson }: Watch): Promise<void> {
  const client = await context.session();
  const everyMs = everySeconds * 1000;
  if (!asJson && isScreen()) {
    context.prompter.release();
    prepareScreens();
    const { watchOnScreen } = await import('./watch-screen.ts');
    return watchOnScreen({ client, waits: context.waits, everyMs });
  }
  using interrupts = listenForInterrupts();
  const closed = listenForClosedOutput();
  const signal = AbortSignal.any([interrupts.signal, closed]);
  let told = '';
  try {
    for await (const look of follow({ read: readOpenAlerts(client), everyMs, signal })) {
      if (look.kind === 'lost') {
        say(lostText(look));
        continue;
      }
      const news = JSON.stringify(look.value);
      if (news === told) continue;
      told = news;
      if (asJson) writeJsonLine(look.value);
      else writeData([countsText(look.value), ...alertLines(look.value.alerts)].join('\n'));
    }
  } catch (error) {
    if (!closed.aborted) throw error;
  }
}
