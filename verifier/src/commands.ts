// All commands but `verify`, and the help and completion of the program. A verification does not load them.
import { toHelp, toRows } from '@recordproof/shared/command-line/help.ts';
import { toCompletion } from '@recordproof/shared/completion/from-commands.ts';
import type { Completion } from '@recordproof/shared/completion/position.ts';
import { auditCommand } from './audit/audit-command.ts';
import { certificateCommand } from './certificate/certificate-command.ts';
import { toCompletionCommand } from './completion-command.ts';
import { existenceCommand } from './existence/existence-command.ts';
import { gatewayCommand } from './gateway/gateway-command.ts';
import { receiptCommand } from './receipt/receipt-command.ts';
import { type Command, programName } from './shell/run-command.ts';
import { verifyDeclaration } from './verify-options.ts';
import { pageCommand } from './web/page-command.ts';
import { serveCommand } from './web/serve-command.ts';
import { witnessCommand } from './witness/witness-command.ts';

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
  toCompletionCommand(readCompletion),
];

export const findOther = (name: string): Command | undefined =>
  others.find(({ declaration }) => declaration.path === name);

const otherDeclarations = others.map(({ declaration }) => declaration);

export function readCompletion(): Completion {
  return toCompletion(programName, [verifyDeclaration, ...otherDeclarations, { ...verifyDeclaration, path: '' }]);
}

export function toProgramHelp(columns: number | undefined): string {
  const rows = toRows(otherDeclarations.map(({ path, summary }) => [path, summary]));
  const more = [`Other commands (--help describes each):\n${rows}`];
  return toHelp(programName, verifyDeclaration, { columns, more });
}
