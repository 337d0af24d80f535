// The program recordproof-verify: dispatch to its commands. It connects only to hosts named by the user, and loads the
// code of other commands than `verify` only when needed.
import { toVersionLine } from '@recordproof/shared/version-line.ts';
import { isHelpAlone } from './shell/arguments.ts';
import { usageExitCode } from './shell/exit-codes.ts';
import { runCommand } from './shell/run-command.ts';
import type { Terminal } from './shell/terminal.ts';
import { verifyCommand } from './verify-command.ts';
import { verifierVersion } from './version.ts';

const loadCommands = async () => await import('./commands.ts');

/** A verification of a file with an extension or a folder does not load the list. */
const findOther = async (word: string) =>
  word === 'verify' || !/^[a-z][a-z-]*$/.test(word) ? undefined : (await loadCommands()).findOther(word);

/** The default command is `verify`: a file may have any name but that of a command. */
export async function main(args: readonly string[], terminal: Terminal): Promise<number> {
  const [first = '', ...rest] = args;
  if (args.length === 1 && (first === 'help' || isHelpAlone(args))) {
    const { toProgramHelp } = await loadCommands();
    terminal.stdout.write(toProgramHelp(terminal.stdout.columns));
    return 0;
  }
  if (args.length === 1 && first === '--version') {
    terminal.stdout.write(`${toVersionLine(verifierVersion)}\n`);
    return 0;
  }
  const other = await findOther(first);
  if (other !== undefined) return await runCommand(other, rest, terminal);
  if (first === 'help') {
    terminal.stderr.write('help is given alone.\nTry recordproof-verify --help\n');
    return usageExitCode;
  }
  return await runCommand(verifyCommand, first === 'verify' ? rest : args, terminal);
}
