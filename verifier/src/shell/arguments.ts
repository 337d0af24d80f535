// Strict parsing of the verifier's command line: also rejects values that are empty or look like options.
import type { CommandDeclaration, Options } from '@recordproof/shared/command-line/command.ts';
import { type NoteKey, parseVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import { type ParsedArguments, readOptions, UsageError } from '@recordproof/shared/node/read-arguments.ts';
import { oneLine, systemCodeOf } from './terminal.ts';

const helpOptions = ['--help', '-h'];

/**
 * Only as the sole argument: in a longer line it may be the value of an option, and help ends with the exit code of
 * VALID.
 */
export const isHelpAlone = (args: readonly string[]): boolean =>
  args.length === 1 && helpOptions.includes(args[0] ?? '');

export const readArguments = <O extends Options>(
  args: readonly string[],
  command: CommandDeclaration & { readonly options: O },
): ParsedArguments<O> =>
  readOptions(args, command, {
    describe(problem) {
      if (args.some(arg => helpOptions.includes(arg))) return '--help is given alone';
      const code = systemCodeOf(problem);
      if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return 'there is an option that is not known';
      if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return 'there is an argument that is no option';
      return 'an option lacks its value, or has one although it takes none';
    },
    check(what, text) {
      if (text === '' && what.startsWith('--')) throw new UsageError(`${what} needs a value`);
      rejectOptionLike(what, text);
    },
  });

/** `-` alone is standard input where that is allowed. */
export function rejectOptionLike(what: string, text: string): void {
  if (text.length > 1 && text.startsWith('-'))
    throw new UsageError(
      `${what} has the value "${oneLine(text)}", which looks like an option: write a file name as ./-name`,
    );
}

export function readWholeNumber(name: string, text: string, max: number): number {
  const number = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= max)) throw new UsageError(`--${name} must be a whole number up to ${max}, not "${oneLine(text)}"`);
  return number;
}

export function readVerifierKey(name: string, text: string): NoteKey {
  try {
    return parseVerifierKey(text.trim());
  } catch {
    throw new UsageError(`--${name} must be written <name>+<key id>+<base64>`);
  }
}
