// Options of a verification, shared by the command lines of two programs. Rejects incomplete and contradictory ones.
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { choice, flag, under, value, values } from '@recordproof/shared/command-line/command.ts';
import { type Given, UsageError } from '@recordproof/shared/node/read-arguments.ts';
import { parseSize } from '@recordproof/shared/settings/parse-size.ts';
import { parseRequirements, type Requirement } from './existence/requirements.ts';
import { readArguments } from './shell/arguments.ts';

export type OnlineOptions = {
  issuerBaseUrl: string;
  chainUrlTemplate: string;
  /** The URL of the ledger's checkpoint and tiles; without it the entry of the batch is not read. */
  ledgerUrl?: string;
  allowedHosts: readonly string[];
  allowHttp: boolean;
  allowPrivateAddresses: boolean;
};

/** The files to verify, and the trusted parties. */
export type VerificationOptions = {
  file: string;
  /** The path of the proof archive, or of the evidence archive that contains it. */
  proof: string;
  /** The archive was not named: it is searched beside the file. */
  isBeside?: boolean;
  trustedKey?: string;
  /** The content of a key file, as an alternative. */
  trustedKeyBytes?: Uint8Array;
  /** Accept only a key supplied by the caller, not one named by the issuer. */
  requireTrustedKey?: boolean;
  maxFileBytes: number;
  online?: OnlineOptions;
  /** Trusted parties for the time of the file. */
  trust?: TrustOptions;
};

/** Files with the caller's trust material, and the required vouchers. */
export type TrustOptions = {
  policy?: string;
  roots?: string;
  headers?: string;
  required: readonly Requirement[];
};

/** The same for a sealed folder. */
export type FolderOptions = Omit<VerificationOptions, 'file'> & {
  folder: string;
  /** The path of its list, if it exists. */
  list: string;
};

export type ReportOptions = { format: 'text' | 'json'; isComplete: boolean };
type VerifyOptions = (VerificationOptions | FolderOptions) & ReportOptions;

export type CertificateOptions = VerificationOptions & { format: 'html' | 'text'; out: string };

/** The options as given; absent ones were not given. */
export type AskedVerification = {
  file?: string | undefined;
  /** Instead of a file. */
  folder?: string | undefined;
  proof?: string | undefined;
  /** Whether an unnamed archive may be searched beside the file. */
  isBeside?: boolean;
  trustedKey?: string | undefined;
  requireTrustedKey?: boolean;
  trust?: TrustOptions | undefined;
  maxFileBytes?: string | undefined;
  server?: string | undefined;
  online?: boolean;
  issuerBaseUrl?: string | undefined;
  chainUrlTemplate?: string | undefined;
  ledgerUrl?: string | undefined;
  allowHost?: readonly string[];
  allowHttp?: boolean;
  allowPrivateAddresses?: boolean;
};

/** A file of this size takes hours; larger ones need an explicit option. */
const defaultMaxFileBytes = 2 ** 40;

const archiveEnd = '.proof.zip';
const evidenceEnd = '.evidence.zip';

/** The output of `recordproof prove` beside a file. */
export const archiveBeside = (file: string): string => file + archiveEnd;

/** The output of `recordproof prove --one-file` beside a file. */
export const evidenceBeside = (file: string): string => file + evidenceEnd;

/** Whichever of the two exists; the archive if neither does. */
export const proofBeside = (file: string): string =>
  !existsSync(archiveBeside(file)) && existsSync(evidenceBeside(file)) ? evidenceBeside(file) : archiveBeside(file);

/** The output of `recordproof prove --as-one` beside a folder, besides its archive. */
export const listBeside = (folder: string): string => `${resolve(folder)}.folder.json`;

/** The original beside an archive. */
function originalBeside(archive: string): string | undefined {
  const end = [archiveEnd, evidenceEnd].find(end => archive.endsWith(end));
  return end === undefined ? undefined : archive.slice(0, -end.length);
}

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
    'issuer-base-url': value('URL', 'where the issuer answers'),
    'chain-url-template': value(
      'URL',
      'where the chain answers; with {chainType}, {chainId}, {groupId}, {contractAddress} and {batchNo}',
    ),
    'ledger-url': value('URL', 'where the ledger answers, when the entry of the batch and its time are to be read'),
    'allow-host': values('HOST', 'a host that may be asked; repeat for more'),
    'allow-http': flag('tests only: plain HTTP'),
    'allow-private-addresses': flag('tests only: private addresses'),
  }),
};

const verificationOptions = { ...fileOptions, ...keyOptions, ...onlineOptions };

/** Trusted parties for the time. */
export const trustOptions = {
  policy: value('FILE', 'the ledgers and witnesses that you trust, and how many must agree (C2SP tlog-policy)'),
  'tsa-roots': value('FILE.pem', 'roots of time-stamping authorities that you trust'),
  'bitcoin-headers': value(
    'FILE',
    'block headers that you trust: all from the first block on, 80 bytes each, or lines of text with a height and 160 hex digits',
  ),
  require: value('LIST', 'what must be there, as witness:2,rfc3161 or bitcoin'),
};

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
  const given = readArguments(args, verifyDeclaration);
  const { folder } = given.options;
  const asked = seeFolder({ ...toAsked(given), folder, trust: readTrust(given.options) });
  return {
    ...(asked.folder === undefined
      ? toVerificationOptions(asked)
      : toFolderOptions({ ...asked, folder: asked.folder })),
    format: given.options.format,
    isComplete: given.options.all,
  };
}

export function parseCertificateOptions(args: readonly string[]): CertificateOptions {
  const given = readArguments(args, certificateDeclaration);
  const { out, format } = given.options;
  if (out === undefined) throw new UsageError('--out is needed: the name of the document, which must not exist yet');
  return { ...toVerificationOptions(toAsked(given)), format, out };
}

function toAsked({ options, positionals }: Given<typeof verificationOptions>): AskedVerification {
  const [file, proof] = positionals;
  if (file !== undefined && options.file !== undefined) throw new UsageError('the file is named twice');
  if (proof !== undefined && options.proof !== undefined) throw new UsageError('the archive is named twice');
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

type GivenTrust = Readonly<Partial<Record<keyof typeof trustOptions, string | undefined>>>;

/** Returns undefined if none of them is given. */
export function readTrust(given: GivenTrust): TrustOptions | undefined {
  const { policy, 'tsa-roots': roots, 'bitcoin-headers': headers, require } = given;
  if ([policy, roots, headers, require].every(text => text === undefined)) return undefined;
  return {
    ...(policy === undefined ? {} : { policy }),
    ...(roots === undefined ? {} : { roots }),
    ...(headers === undefined ? {} : { headers }),
    required: readRequired(require),
  };
}

function readRequired(text: string | undefined): readonly Requirement[] {
  const required = text === undefined ? [] : parseRequirements(text);
  if (required === undefined)
    throw new UsageError(
      '--require is a list of witness, witness:N, rfc3161 and bitcoin, each once, as witness:2,rfc3161',
    );
  return required;
}

/** Treats a file argument that is a folder as the folder option. */
export function seeFolder(asked: AskedVerification): AskedVerification {
  const { file, folder } = asked;
  if (file === undefined || folder !== undefined || asked.isBeside !== true) return asked;
  return isFolder(file) ? { ...asked, file: undefined, folder: file } : asked;
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Throws UsageError with what to change. */
export function toFolderOptions({ folder, ...asked }: AskedVerification & { folder: string }): FolderOptions {
  if (asked.file !== undefined) throw new UsageError('--folder and a file are two different originals');
  return forFolder(toVerificationOptions({ ...asked, file: listBeside(folder), isBeside: true }), folder);
}

/** From the options of a verification of the list, which may not exist. */
export const forFolder = ({ file, ...options }: VerificationOptions, folder: string): FolderOptions => ({
  ...options,
  folder,
  list: originalBeside(options.proof) ?? file,
});

/** Throws UsageError with what to change. */
export function toVerificationOptions(asked: AskedVerification): VerificationOptions {
  const { file, trustedKey } = asked;
  const isBeside = asked.proof === undefined && asked.isBeside === true;
  const proof = isBeside && file !== undefined ? proofBeside(file) : asked.proof;
  if (file === undefined || proof === undefined)
    throw new UsageError('--file and --proof are both needed, or a file with its archive beside it');
  if (proof === '-' || proof === archiveBeside('-'))
    throw new UsageError('the archive must be a file; only the original may be - for standard input');
  const online = asked.server === undefined ? readOnline(asked) : readServer(asked.server, asked);
  return {
    file,
    proof,
    maxFileBytes: readBytes(asked.maxFileBytes),
    ...(isBeside ? { isBeside } : {}),
    ...(trustedKey === undefined ? {} : { trustedKey }),
    ...(asked.requireTrustedKey === true ? { requireTrustedKey: true } : {}),
    ...(asked.trust === undefined ? {} : { trust: asked.trust }),
    ...(online === undefined ? {} : { online }),
  };
}

/** The value of `--max-file-bytes`. */
export function readBytes(text: string | undefined): number {
  if (text === undefined) return defaultMaxFileBytes;
  const bytes = parseSize(text);
  if (bytes === undefined) throw new UsageError('--max-file-bytes is a size such as 10GB, or a number of bytes from 1');
  return bytes;
}

/** Online options, in the order of the help. */
const listStray = (asked: AskedVerification): [name: string, isGiven: boolean][] => [
  ['--issuer-base-url', asked.issuerBaseUrl !== undefined],
  ['--chain-url-template', asked.chainUrlTemplate !== undefined],
  ['--ledger-url', asked.ledgerUrl !== undefined],
  ['--allow-host', (asked.allowHost ?? []).length > 0],
  ['--allow-http', asked.allowHttp === true],
  ['--allow-private-addresses', asked.allowPrivateAddresses === true],
];

function readOnline(asked: AskedVerification): OnlineOptions | undefined {
  if (asked.online !== true) {
    const stray = listStray(asked).find(([, isGiven]) => isGiven);
    if (stray !== undefined) throw new UsageError(`${stray[0]} has a meaning only together with --online`);
    return undefined;
  }
  const { issuerBaseUrl, chainUrlTemplate, ledgerUrl, allowHost = [] } = asked;
  if (issuerBaseUrl === undefined || chainUrlTemplate === undefined || allowHost.length === 0)
    throw new UsageError(
      '--online needs --issuer-base-url, --chain-url-template and at least one --allow-host, or --server',
    );
  return {
    issuerBaseUrl,
    chainUrlTemplate,
    ...(ledgerUrl === undefined ? {} : { ledgerUrl }),
    allowedHosts: allowHost,
    allowHttp: asked.allowHttp ?? false,
    allowPrivateAddresses: asked.allowPrivateAddresses ?? false,
  };
}

/** A RecordProof server is both issuer and chain, at known paths. */
function readServer(server: string, asked: AskedVerification): OnlineOptions {
  const stray = listStray(asked)
    .slice(0, 4)
    .find(([, isGiven]) => isGiven);
  if (stray !== undefined) throw new UsageError(`${stray[0]} says what --server says already`);
  const base = URL.parse(server);
  if (base === null || !/^https?:$/.test(base.protocol) || /[?#{}]/.test(server))
    throw new UsageError('--server must be the address of a RecordProof server, such as https://files.example.org');
  const root = server.replace(/\/+$/, '');
  return {
    issuerBaseUrl: root,
    chainUrlTemplate: `${root}/api/v1/public/chain-roots/{chainType}/{chainId}/{groupId}/{contractAddress}/{batchNo}`,
    ledgerUrl: `${root}/ledger`,
    allowedHosts: [base.host],
    allowHttp: asked.allowHttp ?? false,
    allowPrivateAddresses: asked.allowPrivateAddresses ?? false,
  };
}
