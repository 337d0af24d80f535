// A strict command line parser, driven by command declarations: unknown and repeated options and missing values are
// rejected.
import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { CommandDeclaration, Option, Options } from '../command-line/command.ts';

/** The message says what to change. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

type Value<O extends Option> = O['kind'] extends 'switch'
  ? boolean
  : O['kind'] extends 'values'
    ? readonly string[]
    : O extends { readonly choices: readonly (infer C)[] }
      ? C
      : string | undefined;

export type ParsedArguments<O extends Options> = {
  readonly options: { readonly [N in keyof O]: Value<O[N]> };
  readonly positionals: readonly string[];
};

type Rules = {
  /** The sentence for an error of Node's `parseArgs`. */
  readonly describe: (problem: unknown, names: readonly string[]) => string;
  /** Throws if a value is invalid. */
  readonly check?: (what: string, text: string) => void;
};

export function readOptions<O extends Options>(
  args: readonly string[],
  command: Pick<CommandDeclaration, 'arguments' | 'words'> & { readonly options: O },
  { describe, check = () => {} }: Rules,
): ParsedArguments<O> {
  const maxPositionals = command.arguments?.length ?? Math.sign(command.words?.length ?? 0);
  const { values, positionals } = parse(args, command.options, describe, maxPositionals > 0);
  if (positionals.length > maxPositionals) throw new UsageError('there is one argument too many');
  for (const positional of positionals) check('an argument', positional);
  const options = Object.entries(command.options).map(([name, option]) => {
    const optionValues = values[name] ?? [];
    if (option.kind !== 'values' && optionValues.length > 1) throw new UsageError(`--${name} is given twice`);
    for (const text of optionValues) if (typeof text === 'string') check(`--${name}`, text);
    return [name, toValue(name, option, optionValues)];
  });
  return { options: Object.fromEntries(options), positionals };
}

function parse(args: readonly string[], options: Options, describe: Rules['describe'], allowPositionals: boolean) {
  const config = Object.entries(options).map(([name, { kind }]) => [
    name,
    { type: kind === 'switch' ? 'boolean' : 'string', multiple: true },
  ]);
  const definitions: NonNullable<ParseArgsConfig['options']> = Object.fromEntries(config);
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: definitions, allowPositionals });
    return { values: values as Partial<Record<string, (string | boolean)[]>>, positionals };
  } catch (problem) {
    throw new UsageError(describe(problem, Object.keys(options)));
  }
}

function toValue(name: string, { kind, choices }: Option, optionValues: readonly (string | boolean)[]) {
  if (kind === 'switch') return optionValues.length > 0;
  if (kind === 'values') return optionValues;
  const text = optionValues[0] ?? choices?.[0];
  if (choices !== undefined && !choices.some(known => known === text))
    throw new UsageError(`--${name} is ${choices.join(' or ')}`);
  return text;
}
