// Line output that follows a run until it ends: without a terminal, or for programs.
import { listenForClosedOutput, listenForInterrupts } from '../interrupts.ts';
import { printable, writeMessage } from '../output.ts';
import { follow, lostText, openWakeUp } from './follow.ts';
import { printChanges } from './follow-lines.ts';
import { type Samples, withSample } from './pace.ts';

/** `nothing`: only the final state is printed. */
export type OutputMode = 'people' | 'json' | 'nothing';

type FollowedRun<Run> = {
  read(signal: AbortSignal): Promise<Run>;
  readonly everyMs: number;
  readonly show: OutputMode;
  /** Printed when the user quits. */
  readonly goesOn: string;
  doneOf(run: Run): number;
  toLine(run: Run, samples: Samples): string;
  isOver(run: Run): boolean;
};

export async function followRun<Run>(followed: FollowedRun<Run>): Promise<Run> {
  const { read, everyMs, goesOn, isOver } = followed;
  using interrupts = listenForInterrupts(goesOn);
  const closed = listenForClosedOutput();
  const wakeUp = openWakeUp();
  closed.addEventListener('abort', wakeUp.trigger);
  const tell = openPrinter(followed);
  for await (const poll of follow({ read, everyMs, signal: interrupts.signal, wakeUp })) {
    if (poll.kind === 'lost') {
      writeMessage(lostText(poll));
      continue;
    }
    tell(poll.value);
    if (isOver(poll.value) || closed.aborted) return poll.value;
  }
  throw new Error('the polling loop ended unexpectedly');
}

function openPrinter<Run>({ show, doneOf, toLine }: FollowedRun<Run>): (run: Run) => void {
  let samples: Samples = [];
  const toText = (run: Run): string => `${new Date().toISOString()}  ${printable(toLine(run, samples))}`;
  const tell = printChanges(show === 'json', toText);
  return run => {
    if (show === 'nothing') return;
    samples = withSample(samples, { at: performance.now(), done: doneOf(run) });
    tell(run);
  };
}
