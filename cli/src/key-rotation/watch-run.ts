// Follows a run until it is over: on a screen of its own, or as lines where there is none.
import type { Client } from '@recordproof/shared/api/client.ts';
import type { KeyRotationRun } from '@recordproof/shared/api/key-rotation.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { follow, type Look, lostText, openBell } from '../platform/dashboard/follow.ts';
import { type Samples, withSample } from '../platform/dashboard/pace.ts';
import { isScreen, prepareScreens } from '../platform/dashboard/terminal.ts';
import { listenForClosedOutput, listenForInterrupts } from '../platform/interrupts.ts';
import { printable, say, writeData, writeJsonLine } from '../platform/output.ts';
import { readPolicy } from './policy-flags.ts';
import { isOver, readRun } from './run-argument.ts';
import { doneOf, runLine } from './run-texts.ts';

type Watch = {
  readonly runId: string;
  readonly everySeconds: number;
  /** `nothing`: only what became of it is wanted. */
  readonly show: 'people' | 'json' | 'nothing';
};

export async function watchRun(context: CommandContext, { runId, everySeconds, show }: Watch): Promise<KeyRotationRun> {
  const client = await context.session();
  const everyMs = everySeconds * 1000;
  if (show === 'people' && isScreen()) {
    context.prompter.release();
    prepareScreens();
    const { watchOnScreen } = await import('./watch-screen.ts');
    return watchOnScreen({ client, waits: context.waits, runId, everyMs });
  }
  using interrupts = listenForInterrupts('the run goes on; watch it again with: recordproof admin key-rotation watch');
  const closed = listenForClosedOutput();
  const bell = openBell();
  closed.addEventListener('abort', bell.ring);
  const looks = follow({ read: readRun(client, runId), everyMs, signal: interrupts.signal, bell });
  return followToEnd(looks, openTeller(show), closed);
}

async function followToEnd(
  looks: AsyncIterable<Look<KeyRotationRun>>,
  tell: (run: KeyRotationRun) => void,
  closed: AbortSignal,
): Promise<KeyRotationRun> {
  for await (const look of looks) {
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
function openTeller(show: Watch['show']): (run: KeyRotationRun) => void {
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

/** A run is planned anywhere, and worked on where that is switched on. */
export async function warnWhereNothingWorks(client: Client): Promise<void> {
  const { workerEnabled } = await readPolicy(client);
  if (!workerEnabled)
    say('this server does not work on runs (key.rotation.enabled is false there): another one has to');
}
