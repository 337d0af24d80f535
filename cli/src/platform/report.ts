// Results per file of a command that processes several, and its exit code.

import { CommandError } from './command-error.ts';
import type { Ending } from './exit-codes.ts';
import { toFailure, toFailureJson } from './failure.ts';
import { printable, tint, writeMessage } from './output.ts';

export type Failed = { readonly name: string; readonly status: 'failed'; readonly error: unknown };

export type Reports<Done> = {
  readonly files: readonly (Done | Failed)[];
  readonly failed: number;
  /** How the run as a whole ends, by the names of exit-codes.ts. */
  readonly ending: Ending;
};

const isInterrupt = (error: unknown): boolean => error instanceof CommandError && error.ending === 'interrupted';

/** Failures of one kind set the exit code of that kind; otherwise it is that of a partial failure. */
export const endingOf = (endings: readonly Ending[]): Ending => {
  const [first = 'ok', ...others] = endings.filter(ending => ending !== 'ok');
  return others.every(ending => ending === first) ? first : 'refused';
};

/** One after the other; a failure is reported at once and does not stop the others, Ctrl-C does. */
export async function reportEach<Item, Done>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  commandLine: string,
  work: (item: Item) => Promise<Done>,
  { isOnly = items.length === 1, show }: { readonly isOnly?: boolean; readonly show?: (done: Done) => void } = {},
): Promise<Reports<Done>> {
  const files: (Done | Failed)[] = [];
  const endings: Ending[] = [];
  for (const item of items) {
    try {
      const done = await work(item);
      files.push(done);
      show?.(done);
    } catch (error) {
      // A single item fails with the error of the command itself.
      if (isInterrupt(error) || isOnly) throw error;
      const failure = toFailure(error, commandLine);
      const name = nameOf(item);
      writeMessage(`${tint('red', 'error:')} ${printable(name)}: ${printable(failure.message)}`);
      endings.push(failure.ending);
      const { error: json } = toFailureJson(failure) as { error: unknown };
      files.push({ name, status: 'failed', error: json });
    }
  }
  return { files, failed: endings.length, ending: endingOf(endings) };
}

/** The same for changes that answer nothing: `done` is the status of each item. */
export const changeEach = <Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  commandLine: string,
  { done, change }: { readonly done: string; readonly change: (item: Item) => Promise<unknown> },
): Promise<Reports<{ readonly name: string; readonly status: string }>> =>
  reportEach(items, nameOf, commandLine, async item => {
    await change(item);
    return { name: nameOf(item), status: done };
  });

/** The note and the exit of such a command. */
export const outcomeOf = (done: string) => ({
  note: ({ files, failed }: Reports<unknown>): string =>
    `${files.length - failed} ${done}${failed > 0 ? `, ${failed} failed` : ''}`,
  ending: ({ ending }: Reports<unknown>): Ending => ending,
});
