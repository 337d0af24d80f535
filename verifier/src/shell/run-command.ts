// One command from its arguments to its exit code: help, wrong use and what nobody expected end the same way everywhere.
import { foldHelp } from '@recordproof/shared/fold-help.ts';
import { isHelpAlone, UsageError } from './arguments.ts';
import { exitCodes, usageExitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

export type Command = {
  /** As it is typed, after the name of the program. */
  readonly name: string;
  readonly help: string;
  /** Resolves to the exit code; may throw UsageError. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
  /** What a failure is called. Without it nothing is told: its text could hold a path or a stranger's words. */
  describeFailure?(problem: unknown): string;
};

export async function runCommand(command: Command, args: readonly string[], terminal: Terminal): Promise<number> {
  if (isHelpAlone(args)) {
    terminal.stdout.write(foldHelp(command.help, terminal.stdout.columns));
    return 0;
  }
  try {
    return await command.run(args, terminal);
  } catch (problem) {
    if (problem instanceof UsageError) {
      terminal.stderr.write(`${problem.message}\nTry recordproof-verify ${command.name} --help\n`);
      return usageExitCode;
    }
    terminal.stderr.write(`${command.describeFailure?.(problem) ?? 'The verification could not be finished.'}\n`);
    return exitCodes.ERROR;
  }
}
