// What a shell may complete: for every beginning of a command the words, flags and values that can follow.

export type Choice = { readonly word: string; readonly summary: string };
export type Flag = Choice & {
  readonly takesValue: boolean;
  /** What `PROGRAM completion values …` is asked for where its value is not free. */
  readonly asks?: string;
};
export type Position = {
  /** The words so far, '' at the beginning. */
  readonly path: string;
  readonly next: readonly Choice[];
  readonly flags: readonly Flag[];
  /** What the program is asked for where no list is fixed. */
  readonly values?: string | undefined;
  /** A file may stand where a word may. */
  readonly takesFile?: boolean;
};

export type Completion = {
  readonly program: string;
  readonly positions: readonly Position[];
  /** Flags that are passed on to `PROGRAM completion values …`, with their values: they say where to look. */
  readonly passedOn?: readonly string[];
};

/** What shells name functions by. */
export const functionOf = ({ program }: Completion): string => `_${program.replaceAll('-', '_')}`;

/** Flags after which a value stands, and what is asked for it. */
export const listValued = ({ positions }: Completion): ReadonlyMap<string, string | undefined> =>
  new Map(positions.flatMap(({ flags }) => flags.filter(flag => flag.takesValue)).map(flag => [flag.word, flag.asks]));
