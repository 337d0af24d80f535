// Repeated polling of one value until Ctrl-C: a live screen on a terminal, else one line per change.
import { integer } from '@oclif/core/flags';
import type { CommandContext } from '../command-context.ts';
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

/** Where a screen can be drawn and keys can be read; lines everywhere else. */
const isScreen = (): boolean =>
  process.stdout.isTTY === true && process.stdin.isTTY === true && process.env.TERM !== 'dumb';

/**
 * Whether a screen can be shown; from then on no other code reads keys. Called before a module that draws is loaded:
 * otherwise React runs its development checks at every step, and keeps their results in memory.
 */
export function claimScreen({ prompter }: Pick<CommandContext, 'prompter'>): boolean {
  if (!isScreen()) return false;
  prompter.release();
  process.env.NODE_ENV ??= 'production';
  return true;
}

export const everyFlag = (seconds: number) =>
  integer({ helpValue: '<seconds>', min: 1, max: 3600, default: seconds, summary: 'Seconds between two polls.' });

type Watched<Value> = {
  read(signal: AbortSignal): Promise<Value>;
  toText(value: Value): string;
  /** Loads what draws: only where there is a screen. */
  onScreen(everyMs: number): Promise<void>;
};

/** A screen, or the value whenever it has changed. */
export async function watchChanges<Value>(
  context: CommandContext,
  { every, json = false }: { readonly every: number; readonly json: boolean | undefined },
  { read, toText, onScreen }: Watched<Value>,
): Promise<void> {
  const everyMs = every * 1000;
  if (!json && claimScreen(context)) return onScreen(everyMs);
  return followLines({ read, everyMs, tell: printChanges(json, toText) });
}
