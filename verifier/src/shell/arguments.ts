// Owns reading a command line exactly. Refuses options that are unknown, doubled, empty or lack their value, and values
// that look like options: a verification that was not asked for exactly is not run.
import { parseArgs } from 'node:util';

/** The message says what to change. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** `value` and `switch` may be given once, `values` more often. */
type OptionKind = 'value' | 'values' | 'switch';
export type KnownOptions = Readonly<Record<string, OptionKind>>;
export type Given<K extends KnownOptions> = {
  readonly options: {
    readonly [N in keyof K]: K[N] extends 'switch' ? boolean : K[N] extends 'value' ? string | undefined : string[];
  };
  readonly positionals: readonly string[];
};

const helpOptions = ['--help', '-h'];

/** Only alone: as part of a longer line it may be the value of an option, and help ends with the code of VALID. */
export const isHelpAlone = (args: readonly string[]): boolean =>
  args.length === 1 && helpOptions.includes(args[0] ?? '');

export function readArguments<const K extends KnownOptions>(
  args: readonly string[],
  known: K,
  maxPositionals = 0,
): Given<K> {
  const { values, positionals } = parse(args, known);
  if (positionals.length > maxPositionals)
    throw new UsageError('there is an argument that is no option, or one too many');
  for (const positional of positionals) refuseOptionLike('an argument', positional);
  const options = Object.entries(known).map(([name, kind]) => [name, take(name, kind, values[name] ?? [])]);
  return { options: Object.fromEntries(options), positionals };
}

function parse(args: readonly string[], known: KnownOptions) {
  const options = Object.fromEntries(
    Object.entries(known).map(([name, kind]) => [
      name,
      { type: kind === 'switch' ? ('boolean' as const) : ('string' as const), multiple: true as const },
    ]),
  );
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  } catch (problem) {
    if (args.some(arg => helpOptions.includes(arg))) throw new UsageError('--help is given alone');
    const code = problem instanceof Error && 'code' in problem ? problem.code : undefined;
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') throw new UsageError('there is an option that is not known');
    throw new UsageError('an option lacks its value, or has one although it takes none');
  }
}

function take(name: string, kind: OptionKind, values: readonly (string | boolean)[]) {
  if (kind !== 'values' && values.length > 1) throw new UsageError(`--${name} may be given only once`);
  if (kind === 'switch') return values.length === 1;
  const texts = values.map(String);
  for (const text of texts) {
    if (text === '') throw new UsageError(`--${name} needs a value`);
    refuseOptionLike(`--${name}`, text);
  }
  return kind === 'values' ? texts : texts[0];
}

/** `-` alone is standard input where that is allowed. */
export function refuseOptionLike(what: string, text: string): void {
  if (text.length > 1 && text.startsWith('-'))
    throw new UsageError(`${what} has a value that looks like an option; a file of such a name is written ./-name`);
}
