// All commands but `verify`, and the help of the program. A verification does not load them.
import { auditCommand } from './audit/audit-command.ts';
import { certificateCommand } from './certificate/certificate-command.ts';
import type { OtherCommandName } from './command-names.ts';
import { completionCommand } from './completion-command.ts';
import { existenceCommand } from './existence/existence-command.ts';
import { gatewayCommand } from './gateway/gateway-command.ts';
import { receiptCommand } from './receipt/receipt-command.ts';
import type { Command } from './shell/run-command.ts';
import { pageCommand } from './web/page-command.ts';
import { serveCommand } from './web/serve-command.ts';
import { witnessCommand } from './witness/witness-command.ts';

export { toProgramHelp } from './commands.ts';

export const otherCommands: Readonly<Record<OtherCommandName, Command>> = {
  certificate: certificateCommand,
  existence: existenceCommand,
  receipt: receiptCommand,
  audit: auditCommand,
  serve: serveCommand,
  page: pageCommand,
  gateway: gatewayCommand,
  witness: witnessCommand,
  completion: completionCommand,
};
