// Follows a run until it is over: on a screen of its own, or as lines where there is none.
import type { BackfillRun } from '@recordproof/shared/api/backfill.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { follow, lostText, openBell } from '../platform/dashboard/follow.ts';
import { type Samples, withSample } from '../platform/dashboard/pace.ts';
import { isScreen, prepareScreens } from '../platform/dashboard/terminal.ts';
import { listenForClosedOutput, listenForInterrupts } from '../platform/interrupts.ts';
import { printable, say, writeData, writeJsonLine } from '../platform/output.ts';
import { isOver, readRun } from './find-run.ts';
import { doneOf, runLine } from './run-texts.ts';

type Watch = {
  readonly runId: string;
  readonly everySeconds: number;
  /** `nothing`: only what became of it is wanted. */
  readonly show: 'people' | 'json' | 'nothing';
};

export async function watchRun(context: CommandContext, { runId, everySeconds, show }: Watch): Promise<BackfillRun> {
  const client = await context.session();
  const everyMs = everySeconds * 1000;
  if (show === 'people' && isScreen()) {
    context.prompter.release();
    prepareScreens();
    const { watchOnScreen } = await import('./watch-screen.ts');
    return watchOnScreen({ client, waits: context.waits, runId, everyMs });
  }
  using interrupts = listenForInterrupts('the run goes on; watch it again with: recordproof admin backfill watch');
  const closed = listenForClosedOutput();
  const bell = openBell();
  closed.addEventListener('abort', bell.ring);
  const tell = openTeller(show);
  for await (const look of follow({ read: readRun(client, runId), everyMs, signal: interrupts.signal, bell })) {
    if (look.kind === 'lost') {
      say(lostText(look));
      continue;
    }
    tell(look.value);
    if (isOver(look.value) || closed.aborted) return look.value;
  }
  throw new Error('looks have no end');
}

/** What did not change is not told again. */
function openTeller(show: Watch['show']): (run: BackfillRun) => void {
  let samples: Samples = [];
  let told = '';
  return run => {
    if (show === 'nothing') return;
    samples = withSample(samples, { at: performance.now(), done: doneOf(run) });
    const news = JSON.stringify(run);
    if (news === told) return;
    told = news;
    if (show === 'json') writeJsonLine(run);
    else writeData(`${new Date().toISOString()}  ${printable(runLine(run, samples))}`);
  };
}
