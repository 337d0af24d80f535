// Command declarations as data: the source of parser, help and completion. Programs keep them apart from the code of
// their commands, so that help and completion do not load it.

export type Option = {
  /** `value` and `switch` may be given once, `values` repeatedly. */
  readonly kind: 'value' | 'values' | 'switch';
  readonly help: string;
  /** The placeholder of the value in the help. */
  readonly placeholder?: string;
  /** The allowed values; the first is the default. */
  readonly choices?: readonly string[];
  /** Argument of `PROGRAM completion values` that lists its values. */
  readonly asks?: string;
  /** Paragraph above it in the help. */
  readonly heading?: string;
};

export type Options = Readonly<Record<string, Option>>;

/** What is typed, and its meaning. */
export type Row = readonly [typed: string, meaning: string];

export type CommandDeclaration = {
  /** As typed after the name of the program. */
  readonly path: string;
  /** A sentence without a full stop. */
  readonly summary: string;
  /** Usage lines without the program name; default: one of path, arguments and options. */
  readonly usage?: readonly string[];
  readonly arguments?: readonly Row[];
  /** Allowed words for its argument, in place of `arguments`. */
  readonly words?: readonly Row[];
  readonly takesFile?: boolean;
  readonly options: Options;
  readonly notes?: string;
  /** Other forms of the same command, with their own options. */
  readonly forms?: readonly CommandDeclaration[];
};

export const flag = (help: string) => ({ kind: 'switch', help }) as const;

export const value = (placeholder: string, help: string) => ({ kind: 'value', placeholder, help }) as const;

export const values = (placeholder: string, help: string) => ({ kind: 'values', placeholder, help }) as const;

export const choice = <const C extends string>(choices: readonly [C, ...C[]], help: string) =>
  ({ kind: 'value', placeholder: choices.join('|'), choices, help }) as const;

/** Options with a paragraph above the first of them. */
export function under<const O extends Options>(heading: string, options: O): O {
  const [first = ''] = Object.keys(options);
  return { ...options, [first]: { ...options[first], heading } };
}
