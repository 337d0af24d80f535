// Command line options of the receipt check.
import { value } from '@recordproof/shared/command-line/command.ts';
import { reportFormat } from '../verify-options.ts';

export const receiptDeclaration = {
  path: 'receipt',
  summary: 'Checks the receipt of a file that was sent through a drop link. Opens no connection',
  usage: ['receipt RECEIPT --file FILE --trusted-key KEY [options]'],
  arguments: [['RECEIPT', 'the receipt that the sender was given']],
  takesFile: true,
  options: {
    file: value('FILE', 'the file that was sent, or - for standard input'),
    'trusted-key': value('FILE', "the issuer's key, from a source that you trust"),
    'ledger-key': value('FILE', 'the verifier key of the ledger: the entry of the receipt is then checked, too'),
    format: reportFormat,
  },
  notes: `Exit codes: 0 VALID, 2 INVALID, 3 INDETERMINATE, 4 ERROR, 64 wrong arguments.
VALID holds for good: the issuer received this file, even if it was deleted since.
`,
} as const;
