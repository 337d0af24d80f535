// Declarations of all commands, for help and completion, without the code of commands.
import type { CommandDeclaration } from '@recordproof/shared/command-line/command.ts';
import { toHelp, toRows } from '@recordproof/shared/command-line/help.ts';
import { declareCompletion } from '@recordproof/shared/completion/declaration.ts';
import { toCompletion } from '@recordproof/shared/completion/from-commands.ts';
import { auditDeclaration } from './audit/audit-options.ts';
import { existenceDeclaration } from './existence/existence-options.ts';
import { gatewayDeclaration } from './gateway/gateway-options.ts';
import { receiptDeclaration } from './receipt/receipt-options.ts';
import { programName } from './shell/run-command.ts';
import { certificateDeclaration, verifyDeclaration } from './verify-options.ts';
import { pageDeclaration, serveDeclaration } from './web/serve-options.ts';
import { witnessDeclaration } from './witness/witness-options.ts';

const commands: readonly CommandDeclaration[] = [
  verifyDeclaration,
  certificateDeclaration,
  existenceDeclaration,
  receiptDeclaration,
  auditDeclaration,
  serveDeclaration,
  pageDeclaration,
  gatewayDeclaration,
  witnessDeclaration,
  declareCompletion(programName),
];

export const readCompletion = () => toCompletion(programName, [...commands, { ...verifyDeclaration, path: '' }]);

export function toProgramHelp(columns: number | undefined): string {
  const [, ...others] = commands;
  const rows = toRows(others.map(({ path, summary }) => [path, summary]));
  const more = [`Other commands, each of which tells more with --help:\n${rows}`];
  return toHelp(programName, verifyDeclaration, { columns, more });
}
