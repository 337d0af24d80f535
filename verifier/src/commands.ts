// All commands but `verify`, and the help and completion of the program. A verification does not load them.
import { toHelp, toRows } from '@recordproof/shared/command-line/help.ts';
import { declareCompletion, toCompletion } from '@recordproof/shared/completion/from-commands.ts';
import type { Completion } from '@recordproof/shared/completion/position.ts';
import { completionFor, findShell } from '@recordproof/shared/completion/shells.ts';
import { UsageError } from '@recordproof/shared/node/read-arguments.ts';
import { auditCommand } from './audit/audit-command.ts';
import { certificateCommand } from './certificate/certificate-command.ts';
import { existenceCommand } from './existence/existence-command.ts';
import { gatewayCommand } from './gateway/gateway-command.ts';
import { receiptCommand } from './receipt/receipt-command.ts';
import { readArguments } from './shell/arguments.ts';
import { type Command, programName } from './shell/run-command.ts';
import { verifyDeclaration } from './verify-options.ts';
import { pageCommand } from './web/page-command.ts';
import { serveCommand } from './web/serve-command.ts';
import { witnessCommand } from './witness/witness-command.ts';

const completionDeclaration = declareCompletion(programName);

/** A shell's completion script on standard output. */
const completionCommand: Command = {
  declaration: completionDeclaration,
  async run(args, { stdout }) {
    const { positionals } = readArguments(args, completionDeclaration);
    const shell = findShell(positionals[0]);
    if (shell === undefined) throw new UsageError('say for which shell: completion bash, zsh or fish');
    stdout.write(completionFor[shell](readCompletion()));
    return 0;
  },
};

/** In the order of the help. */
const others: readonly Command[] = [
  certificateCommand,
  existenceCommand,
  receiptCommand,
  auditCommand,
  serveCommand,
  pageCommand,
  gatewayCommand,
  witnessCommand,
  completionCommand,
];

export const findOther = (name: string): Command | undefined =>
  others.find(({ declaration }) => declaration.path === name);

export const otherDeclarations = others.map(({ declaration }) => declaration);

export function readCompletion(): Completion {
  return toCompletion(programName, [verifyDeclaration, ...otherDeclarations, { ...verifyDeclaration, path: '' }]);
}

export function toProgramHelp(columns: number | undefined): string {
  const rows = toRows(otherDeclarations.map(({ path, summary }) => [path, summary]));
  const more = [`Other commands (--help describes each):\n${rows}`];
  return toHelp(programName, verifyDeclaration, { columns, more });
}
