// The program recordproof-verify: dispatch to its commands. It connects only to hosts named by the user, and loads the
// code of a command only when needed.
import { toVersionLine } from '@recordproof/shared/version-line.ts';
import { isHelpAlone } from './shell/arguments.ts';
import { usageExitCode } from './shell/exit-codes.ts';
import { type Command, runCommand } from './shell/run-command.ts';
import type { Terminal } from './shell/terminal.ts';
import { verifierVersion } from './version.ts';

const loadVerify = async (): Promise<Command> => (await import('./verify-command.ts')).verifyCommand;

const commands: Readonly<Record<string, () => Promise<Command>>> = {
  verify: loadVerify,
  certificate: async () => (await import('./certificate/certificate-command.ts')).certificateCommand,
  existence: async () => (await import('./existence/existence-command.ts')).existenceCommand,
  receipt: async () => (await import('./receipt/receipt-command.ts')).receiptCommand,
  audit: async () => (await import('./audit/audit-command.ts')).auditCommand,
  serve: async () => (await import('./web/serve-command.ts')).serveCommand,
  page: async () => (await import('./web/page-command.ts')).pageCommand,
  gateway: async () => (await import('./gateway/gateway-command.ts')).gatewayCommand,
  witness: async () => (await import('./witness/witness-command.ts')).witnessCommand,
  completion: async () => (await import('./completion-command.ts')).completionCommand,
};

/** The default command is `verify`: a file may have any name but that of a command. */
export async function main(args: readonly string[], terminal: Terminal): Promise<number> {
  const [first = '', ...rest] = args;
  if (args.length === 1 && (first === 'help' || isHelpAlone(args))) {
    const { toProgramHelp } = await import('./commands.ts');
    terminal.stdout.write(toProgramHelp(terminal.stdout.columns));
    return 0;
  }
  if (args.length === 1 && first === '--version') {
    terminal.stdout.write(`${toVersionLine(verifierVersion)}\n`);
    return 0;
  }
  const load = Object.hasOwn(commands, first) ? commands[first] : undefined;
  if (load !== undefined) return await runCommand(await load(), rest, terminal);
  if (first === 'help') {
    terminal.stderr.write('help is given alone.\nTry recordproof-verify --help\n');
    return usageExitCode;
  }
  return await runCommand(await loadVerify(), args, terminal);
}
