// What became of each file of a run that moves several, and how such a run ends.
import type { Ending } from '../exit-codes.ts';
import { type Failure, toFailure, toFailureJson } from '../failure.ts';
import { Fixable } from '../fixable.ts';
import { printable, say, tint } from '../output.ts';

export type Failed = { readonly name: string; readonly status: 'failed'; readonly error: unknown };

export type Reports<Done> = {
  readonly files: readonly (Done | Failed)[];
  readonly failed: number;
  /** How the run as a whole ends, by the names of exit-codes.ts. */
  readonly ending: Ending;
};

/** A failing disk or a missing permission is no bug of ours. */
const isSystemError = (error: unknown): error is Error => {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  return error instanceof Error && typeof code === 'string' && typeof syscall === 'string';
};

export function toFileFailure(error: unknown, commandLine: string): Failure {
  if (isSystemError(error)) return toFailure(new Fixable('refused', error.message, { cause: error }), commandLine);
  return toFailure(error, commandLine);
}

const isInterrupt = (error: unknown): boolean => error instanceof Fixable && error.ending === 'interrupted';

/** All failures alike tell how the run ends; otherwise it ends as "some of it was refused". */
export const endingOf = (endings: readonly Ending[]): Ending => {
  const [first = 'ok', ...others] = endings.filter(ending => ending !== 'ok');
  return others.every(ending => ending === first) ? first : 'refused';
};

/** One after the other; a failure is said at once and does not stop the others, Ctrl-C does. */
export async function reportEach<Item, Done>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  commandLine: string,
  work: (item: Item) => Promise<Done>,
  { isOnly = items.length === 1 }: { readonly isOnly?: boolean } = {},
): Promise<Reports<Done>> {
  const files: (Done | Failed)[] = [];
  const endings: Ending[] = [];
  for (const item of items) {
    try {
      files.push(await work(item));
    } catch (error) {
      // One thing that was asked for fails as the command itself.
      if (isInterrupt(error) || (isOnly && !isSystemError(error))) throw error;
      const failure = toFileFailure(error, commandLine);
      const name = nameOf(item);
      say(`${tint('red', 'error:')} ${printable(name)}: ${printable(failure.message)}`);
      endings.push(failure.ending);
      const { error: json } = toFailureJson(failure) as { error: unknown };
      files.push({ name, status: 'failed', error: json });
    }
  }
  return { files, failed: endings.length, ending: endingOf(endings) };
}
