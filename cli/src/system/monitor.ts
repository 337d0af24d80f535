// Follows how the service is: on a screen of its own, or as lines where there is none.
import type { SystemMonitor } from '@recordproof/shared/api/system.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { follow, lostText } from '../platform/dashboard/follow.ts';
import { isScreen, prepareScreens } from '../platform/dashboard/terminal.ts';
import { listenForClosedOutput, listenForInterrupts } from '../platform/interrupts.ts';
import { printable, say, writeData, writeJsonLine } from '../platform/output.ts';
import { openLooks } from './looks.ts';
import { monitorLine } from './monitor-texts.ts';

type Watch = { readonly everySeconds: number; readonly looks: number | undefined; readonly asJson: boolean };

export async function watchService(context: CommandContext, { everySeconds, looks, asJson }: Watch): Promise<void> {
  const client = await context.session();
  using looking = openLooks(client, everySeconds);
  if (!asJson && looks === undefined && isScreen()) {
    context.prompter.release();
    prepareScreens();
    const { watchOnScreen } = await import('./monitor-screen.ts');
    return await watchOnScreen({ read: looking.read, waits: context.waits });
  }
  using interrupts = listenForInterrupts();
  const closed = listenForClosedOutput();
  const signal = AbortSignal.any([interrupts.signal, closed]);
  const tell = openTeller(asJson);
  let left = looks ?? Number.POSITIVE_INFINITY;
  try {
    for await (const look of follow({ read: looking.read, everyMs: 0, signal })) {
      if (look.kind === 'lost') say(lostText(look));
      else tell(look.value);
      left -= 1;
      if (left <= 0) return;
    }
  } catch (error) {
    if (!closed.aborted) throw error;
  }
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
