// Command line options of verify and certificate: declarations with help texts, and parsers.
import { choice, flag, under, value, values } from '@recordproof/shared/command-line/command.ts';
import { type ParsedArguments, UsageError } from '@recordproof/shared/node/read-arguments.ts';
import {
  type FolderOptions,
  seeFolder,
  toFolderOptions,
  toVerificationOptions,
  type VerificationInput,
  type VerificationOptions,
} from './options.ts';
import { readArguments } from './shell/arguments.ts';
import { oneLine } from './shell/terminal.ts';
import { readTrust, trustOptions } from './trust-options.ts';

export type ReportOptions = { format: 'text' | 'json'; isComplete: boolean };
type VerifyOptions = (VerificationOptions | FolderOptions) & ReportOptions;

export type CertificateOptions = VerificationOptions & { format: 'html' | 'text'; out: string };

const fileOptions = {
  file: value('FILE', 'the original file, in place of the argument'),
  proof: value('ARCHIVE.zip', 'the proof archive or the evidence archive, in place of the argument'),
};

const keyOptions = {
  'trusted-key': value('KEY.json', "the issuer's key, obtained by a way that you trust"),
  'require-trusted-key': flag('no key that only the issuer names, when asked, is good enough'),
  'max-file-bytes': value('SIZE', 'refuse larger originals, as 10GB (default 1TB)'),
};

const onlineOptions = {
  ...under('Online, which VALID needs:', {
    server: value(
      'URL',
      'a RecordProof server: asks it for status, root, ledger entry and, without a trusted key, the key',
    ),
  }),
  ...under('or, when issuer and chain are asked at addresses of their own:', {
    online: flag('ask for the current status and the root on the chain'),
    'issuer-base-url': value('URL', 'base URL of the issuer'),
    'chain-url-template': value(
      'URL',
      'URL of the chain gateway; with {chainType}, {chainId}, {groupId}, {contractAddress} and {batchNo}',
    ),
    'ledger-url': value('URL', 'where the ledger answers, when the entry of the batch and its time are to be read'),
    'allow-host': values('HOST', 'a host that may be asked; repeat for more'),
    'allow-http': flag('tests only: plain HTTP'),
    'allow-private-addresses': flag('tests only: private addresses'),
  }),
};

const verificationOptions = { ...fileOptions, ...keyOptions, ...onlineOptions };

export const reportFormat = choice(['text', 'json'], 'report for people (default) or for programs');

const fileArguments = [
  ['FILE', 'the original file; - reads standard input'],
  [
    'ARCHIVE.zip',
    'its proof archive or its evidence archive; when it is not named, FILE.proof.zip or FILE.evidence.zip',
  ],
] as const;

export const retirementDeclaration = {
  path: 'certificate',
  summary: 'Checks the certificate of a key retirement',
  usage: ['certificate CERTIFICATE.json [options]'],
  arguments: [['CERTIFICATE.json', 'the certificate of the run']],
  options: {
    'trusted-key': value('KEY.json', "the issuer's key, obtained by a way that you trust; VALID needs it"),
    items: value(
      'ITEMS.ndjson',
      'the items of the run: whether they are those that were signed, and give the same figures',
    ),
    format: reportFormat,
  },
} as const;

export const verifyDeclaration = {
  path: 'verify',
  summary: 'Checks a file against its signed proof archive',
  usage: [
    '[verify] FILE [ARCHIVE.zip] [options]',
    '[verify] --file FILE --proof ARCHIVE.zip [options]',
    '[verify] --folder DIR [--proof ARCHIVE.zip] [options]',
  ],
  arguments: fileArguments,
  takesFile: true,
  options: {
    ...fileOptions,
    folder: value(
      'DIR',
      'a folder that was sealed: says of each file whether it is the same, changed, missing or added; DIR may stand for FILE. The archive is DIR.folder.json.proof.zip when none is named; the list of the folder lies beside it, or is made again',
    ),
    ...keyOptions,
    format: reportFormat,
    all: flag('show the checks that passed and the files that are the same, too'),
    ...under(
      `Since when the file existed is added to the report when FILE.tlog-proof, FILE.tsr or FILE.ots is there, or one of these
is given. It changes no exit code. The command existence asks only that.`,
      trustOptions,
    ),
    ...onlineOptions,
  },
  notes: `Exit codes: 0 VALID, 2 INVALID, 3 INDETERMINATE, 4 ERROR, 64 wrong arguments.
Unless it is told whom to ask no connection is opened, and the best result is INDETERMINATE.
`,
} as const;

export const certificateDeclaration = {
  path: 'certificate',
  summary: 'Verifies like recordproof-verify, and writes what was found as a document to print and to file',
  usage: ['certificate --file FILE --proof ARCHIVE.zip --out DOCUMENT [options]'],
  arguments: fileArguments,
  takesFile: true,
  options: {
    out: value('DOCUMENT', 'must not exist yet'),
    format: choice(['html', 'text'], 'one HTML file without scripts (default), or plain text'),
    ...verificationOptions,
  },
  notes: `The document holds the result, what it means and what it does not mean, names, sizes and SHA-256 of the inputs, and
every check. Only VALID is called a certificate.
Exit codes: 0 VALID, 2 INVALID, 3 INDETERMINATE, 4 ERROR or not written, 64 wrong arguments.

Named without --file, --proof and --out, the certificate of a key retirement is checked instead, and nothing is written:
`,
  forms: [retirementDeclaration],
} as const;

export function parseVerifyOptions(args: readonly string[]): VerifyOptions {
  const parsed = readArguments(args, verifyDeclaration);
  const { folder } = parsed.options;
  const input = seeFolder({ ...toInput(parsed), folder, trust: readTrust(parsed.options) });
  return {
    ...(input.folder === undefined
      ? toVerificationOptions(input)
      : toFolderOptions({ ...input, folder: input.folder })),
    format: parsed.options.format,
    isComplete: parsed.options.all,
  };
}

export function parseCertificateOptions(args: readonly string[]): CertificateOptions {
  const parsed = readArguments(args, certificateDeclaration);
  const { out, format } = parsed.options;
  if (out === undefined) throw new UsageError('--out is needed: the name of the document, which must not exist yet');
  return { ...toVerificationOptions(toInput(parsed)), format, out };
}

function rejectBoth(what: string, argument: string | undefined, option: string, value: string | undefined): void {
  if (argument !== undefined && value !== undefined)
    throw new UsageError(`${what} is given twice, "${oneLine(argument)}" and ${option} "${oneLine(value)}": give one`);
}

function toInput({ options, positionals }: ParsedArguments<typeof verificationOptions>): VerificationInput {
  const [file, proof] = positionals;
  rejectBoth('the file', file, '--file', options.file);
  rejectBoth('the archive', proof, '--proof', options.proof);
  return {
    file: file ?? options.file,
    proof: proof ?? options.proof,
    isBeside: file !== undefined,
    trustedKey: options['trusted-key'],
    requireTrustedKey: options['require-trusted-key'],
    maxFileBytes: options['max-file-bytes'],
    server: options.server,
    online: options.online,
    issuerBaseUrl: options['issuer-base-url'],
    chainUrlTemplate: options['chain-url-template'],
    ledgerUrl: options['ledger-url'],
    allowHost: options['allow-host'],
    allowHttp: options['allow-http'],
    allowPrivateAddresses: options['allow-private-addresses'],
  };
}
