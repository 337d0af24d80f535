// Completion data: for every prefix of a command line, the words, flags and values that can follow.

export type Choice = { readonly word: string; readonly summary: string };
export type Flag = Choice & {
  readonly takesValue: boolean;
  /** The argument of `PROGRAM completion values …` that lists the values. */
  readonly asks?: string;
};
export type Position = {
  /** The words so far, '' for none. */
  readonly path: string;
  readonly next: readonly Choice[];
  readonly flags: readonly Flag[];
  /** The argument of `PROGRAM completion values …`, without a fixed list. */
  readonly values?: string | undefined;
  /** Whether a file may follow in place of a word. */
  readonly takesFile?: boolean;
};

export type Completion = {
  readonly program: string;
  readonly positions: readonly Position[];
  /** Flags passed on to `PROGRAM completion values …`, with their values: they select the source. */
  readonly passedOn?: readonly string[];
};

/** The name of shell functions. */
export const functionOf = ({ program }: Completion): string => `_${program.replaceAll('-', '_')}`;

/** Flags that take a value, with the argument that lists it. */
export const listValued = ({ positions }: Completion): ReadonlyMap<string, string | undefined> =>
  new Map(positions.flatMap(({ flags }) => flags.filter(flag => flag.takesValue)).map(flag => [flag.word, flag.asks]));
