// The command `recordproof-verify receipt`: verifies the receipt of a received file. The exit code is the verdict.
import { value } from '@recordproof/shared/command-line/command.ts';
import { UsageError } from '@recordproof/shared/node/read-arguments.ts';
import { count } from '@recordproof/shared/words/words.ts';
import { nodePlatform } from '../node/node-platform.ts';
import { describeAbsent, openOriginal, readBounded } from '../node/read-inputs.ts';
import { readArguments } from '../shell/arguments.ts';
import { exitCodes } from '../shell/exit-codes.ts';
import type { Command } from '../shell/run-command.ts';
import { oneLine } from '../shell/terminal.ts';
import { marks } from '../verify/document-checks.ts';
import { maxTrustedKeyBytes } from '../verify/trusted-key.ts';
import { reportFormat } from '../verify-options.ts';
import { checkReceipt, type ReceiptReport } from './check-receipt.ts';

const receiptDeclaration = {
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

const maxReceiptBytes = 256 * 1024;
const maxKeyBytes = 64 * 1024;

export const receiptCommand: Command = {
  declaration: receiptDeclaration,
  async run(args, { stdin, stdout, stderr }) {
    const { options, positionals } = readArguments(args, receiptDeclaration);
    const [path] = positionals;
    if (path === undefined) throw new UsageError('a receipt is needed: recordproof-verify receipt RECEIPT --file FILE');
    const { file, format, 'trusted-key': key, 'ledger-key': ledgerKey } = options;
    describeAbsent([path, file, key, ledgerKey], stderr);
    const original = file === undefined ? undefined : openOriginal(file, stdin);
    const ledger = ledgerKey === undefined ? undefined : await readBounded(ledgerKey, maxKeyBytes);
    const report = await checkReceipt(
      {
        receipt: await readBounded(path, maxReceiptBytes),
        original: original?.stream,
        trustedKey: key === undefined ? undefined : await readBounded(key, maxTrustedKeyBytes),
        ledgerKey: ledger && (ledger instanceof Uint8Array ? Buffer.from(ledger).toString() : ''),
      },
      original?.platform ?? nodePlatform,
    );
    stdout.write(format === 'json' ? `${JSON.stringify(report, null, 2)}\n` : toText(report));
    return exitCodes[report.outcome];
  },
};

const meanings: Readonly<Record<ReceiptReport['outcome'], string>> = {
  VALID: 'the holder of the trusted key received this file, as said above',
  INVALID: 'do not trust anything that it states',
  INDETERMINATE: 'nothing contradicts it; what is open is named above',
  ERROR: 'it could not be checked',
};

/** A valid receipt with the wrong file is still a receipt. */
function explain({ outcome, checks }: ReceiptReport): string {
  const isSigned = checks.some(({ id, status }) => id === 'receipt.signature' && status === 'PASS');
  const isOtherFile = checks.every(({ id, status }) => (status === 'FAIL') === (id === 'file.content'));
  return isSigned && isOtherFile ? 'it is the receipt of another file' : meanings[outcome];
}

function toText(report: ReceiptReport): string {
  const { outcome, checks, statement, senderFields } = report;
  return [
    'RecordProof receipt',
    '',
    ...(statement === undefined ? [] : [...factLines(statement, senderFields ?? {}), '']),
    ...checks.map(({ id, status, message }) => `${id.padEnd(20)}${marks[status].padEnd(8)}${oneLine(message)}`),
    '',
    `Result: ${outcome}`,
    `        ${explain(report)}`,
    '',
  ].join('\n');
}

function factLines(
  { receivedAt, link, file, signature }: NonNullable<ReceiptReport['statement']>,
  senderFields: NonNullable<ReceiptReport['senderFields']>,
): string[] {
  const facts: [string, string][] = [
    ['file', file.path === undefined ? file.name : `${file.path}/${file.name}`],
    ['size', count(file.size, 'byte', 'bytes')],
    ['SHA-256', file.contentHash.slice('sha256:'.length)],
    ['received', receivedAt],
    ['drop link', `${link.id}, ${link.title}`],
    ['record', file.recordId],
    ['key', `${signature.keyId}, version ${signature.keyVersion}`],
    ...Object.entries(senderFields),
  ];
  return facts.map(([name, value]) => `${oneLine(name).padEnd(12)}${oneLine(value)}`);
}
