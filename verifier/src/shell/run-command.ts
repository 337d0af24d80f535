// Runner of one command, with uniform handling of help, usage errors and unexpected errors.
import type { CommandDeclaration } from '@recordproof/shared/command-line/command.ts';
import { toHelp } from '@recordproof/shared/command-line/help.ts';
import { UsageError } from '@recordproof/shared/node/read-arguments.ts';
import { isHelpAlone } from './arguments.ts';
import { exitCodes, usageExitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

export const programName = 'recordproof-verify';

export type Command = {
  readonly declaration: CommandDeclaration;
  /** Resolves to the exit code; may throw UsageError. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
  /** A safe description of an error. Without it nothing is printed: the text could contain a path or untrusted data. */
  describeFailure?(problem: unknown): string;
};

export async function runCommand(command: Command, args: readonly string[], terminal: Terminal): Promise<number> {
  if (isHelpAlone(args)) {
    terminal.stdout.write(toHelp(programName, command.declaration, terminal.stdout));
    return 0;
  }
  try {
    return await command.run(args, terminal);
  } catch (problem) {
    if (problem instanceof UsageError) {
      terminal.stderr.write(`${problem.message}\nTry ${programName} ${command.declaration.path} --help\n`);
      return usageExitCode;
    }
    terminal.stderr.write(`${command.describeFailure?.(problem) ?? 'The verification could not be finished.'}\n`);
    return exitCodes.ERROR;
  }
}
