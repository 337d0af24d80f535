// Endless polling printed as lines: without a terminal, or for programs.
import { listenForClosedOutput, listenForInterrupts } from '../interrupts.ts';
import { writeData, writeJsonLine, writeMessage } from '../output.ts';
import { follow, lostText } from './follow.ts';

type FollowedLines<Value> = {
  read(signal: AbortSignal): Promise<Value>;
  readonly everyMs: number;
  /** The maximum number of polls. */
  readonly count?: number | undefined;
  tell(value: Value): void;
};

/** Until it is interrupted, or the output pipe is closed. */
export async function followLines<Value>({ tell, count, ...reading }: FollowedLines<Value>): Promise<void> {
  using interrupts = listenForInterrupts();
  const closed = listenForClosedOutput();
  const signal = AbortSignal.any([interrupts.signal, closed]);
  let left = count ?? Number.POSITIVE_INFINITY;
  try {
    for await (const poll of follow({ ...reading, signal })) {
      if (poll.kind === 'lost') writeMessage(lostText(poll));
      else tell(poll.value);
      left -= 1;
      if (left <= 0) return;
    }
  } catch (error) {
    if (!closed.aborted) throw error;
  }
}

/** For values of which only changes are printed: a line of text, or one of JSON. */
export function printChanges<Value>(asJson: boolean, toText: (value: Value) => string): (value: Value) => void {
  let lastLine = '';
  return value => {
    const news = JSON.stringify(value);
    if (news === lastLine) return;
    lastLine = news;
    if (asJson) writeJsonLine(value);
    else writeData(toText(value));
  };
}
