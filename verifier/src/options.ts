// Owns what a verification may be told, whoever tells it: the command lines of two programs come together here. Refuses
// what is half given or contradicts itself.
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseSize } from '@recordproof/shared/settings/parse-size.ts';
import { parseRequirements, type Requirement } from './existence/requirements.ts';
import { type Given, readArguments, UsageError } from './shell/arguments.ts';

export type OnlineOptions = {
  issuerBaseUrl: string;
  chainUrlTemplate: string;
  /** Where the checkpoint and the tiles of the ledger are; without it the entry of the batch is not read. */
  ledgerUrl?: string;
  allowedHosts: readonly string[];
  allowHttp: boolean;
  allowPrivateAddresses: boolean;
};

/** What is verified, and against whom. */
export type VerificationOptions = {
  file: string;
  /** Of the proof archive, or of the evidence archive that holds it. */
  proof: string;
  /** The archive was not named: it is looked for beside the file. */
  isBeside?: boolean;
  trustedKey?: string;
  /** The same as a file of that content. */
  trustedKeyBytes?: Uint8Array;
  /** Only a key that the caller brings counts, not one that the issuer names when asked. */
  requireTrustedKey?: boolean;
  maxFileBytes: number;
  online?: OnlineOptions;
  /** Whose word counts for the time of the file. */
  trust?: TrustOptions;
};

/** Files that say whom the caller trusts, and what must be there. */
export type TrustOptions = {
  policy?: string;
  roots?: string;
  headers?: string;
  required: readonly Requirement[];
};

/** The same of a folder that was sealed. */
export type FolderOptions = Omit<VerificationOptions, 'file'> & {
  folder: string;
  /** Where the list of its files is, if it is there. */
  list: string;
};

export type ReportOptions = { format: 'text' | 'json'; isComplete: boolean };
type VerifyOptions = (VerificationOptions | FolderOptions) & ReportOptions;

export type CertificateOptions = VerificationOptions & { format: 'html' | 'text'; out: string };

/** A verification as it was asked for. What is absent was not said. */
export type AskedVerification = {
  file?: string | undefined;
  /** Instead of a file. */
  folder?: string | undefined;
  proof?: string | undefined;
  /** An archive that is not named may be looked for beside the file. */
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

/** A file of this size takes hours; larger ones must be asked for. */
const defaultMaxFileBytes = 2 ** 40;

const archiveEnd = '.proof.zip';
const evidenceEnd = '.evidence.zip';

/** What `recordproof prove` writes beside a file. */
export const archiveBeside = (file: string): string => file + archiveEnd;

/** What `recordproof prove --one-file` writes beside a file instead. */
export const evidenceBeside = (file: string): string => file + evidenceEnd;

/** Of the two the one that is there; the archive when neither is. */
export const proofBeside = (file: string): string =>
  !existsSync(archiveBeside(file)) && existsSync(evidenceBeside(file)) ? evidenceBeside(file) : archiveBeside(file);

/** What `recordproof prove --as-one` writes beside a folder, before its archive. */
export const listBeside = (folder: string): string => `${resolve(folder)}.folder.json`;

/** The original of an archive that lies beside it. */
function originalBeside(archive: string): string | undefined {
  const end = [archiveEnd, evidenceEnd].find(end => archive.endsWith(end));
  return end === undefined ? undefined : archive.slice(0, -end.length);
}

const verificationOptions = {
  file: 'value',
  proof: 'value',
  'trusted-key': 'value',
  'require-trusted-key': 'switch',
  'max-file-bytes': 'value',
  server: 'value',
  online: 'switch',
  'issuer-base-url': 'value',
  'chain-url-template': 'value',
  'ledger-url': 'value',
  'allow-host': 'values',
  'allow-http': 'switch',
  'allow-private-addresses': 'switch',
} as const;

/** Whose word counts for the time. */
export const trustOptions = {
  policy: 'value',
  'tsa-roots': 'value',
  'bitcoin-headers': 'value',
  require: 'value',
} as const;

export const verifyOptions = {
  ...{ ...verificationOptions, ...trustOptions },
  ...({ folder: 'value', format: 'value', all: 'switch' } as const),
} as const;
export const certificateOptions = { ...verificationOptions, format: 'value', out: 'value' } as const;

export function parseVerifyOptions(args: readonly string[]): VerifyOptions {
  const given = readArguments(args, verifyOptions, 2);
  const { folder } = given.options;
  const asked = seeFolder({ ...toAsked(given), folder, trust: readTrust(given.options) });
  return {
    ...(asked.folder === undefined
      ? toVerificationOptions(asked)
      : toFolderOptions({ ...asked, folder: asked.folder })),
    format: readFormat(given.options.format, ['text', 'json']),
    isComplete: given.options.all,
  };
}

export function parseCertificateOptions(args: readonly string[]): CertificateOptions {
  const given = readArguments(args, certificateOptions, 2);
  const { out, format } = given.options;
  if (out === undefined) throw new UsageError('--out is needed: the name of the document, which must not exist yet');
  return { ...toVerificationOptions(toAsked(given)), format: readFormat(format, ['html', 'text']), out };
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

/** Undefined when nothing of it is given. */
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

/** A folder may be named where a file may. */
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

/** From the verification of a list that may not be there. */
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

/** The first is the default. */
export function readFormat<const F extends string>(given: string | undefined, formats: readonly [F, F]): F {
  const format = formats.find(known => known === (given ?? formats[0]));
  if (format === undefined) throw new UsageError(`--format is ${formats.join(' or ')}`);
  return format;
}

/** Of `--max-file-bytes`. */
export function readBytes(text: string | undefined): number {
  if (text === undefined) return defaultMaxFileBytes;
  const bytes = parseSize(text);
  if (bytes === undefined) throw new UsageError('--max-file-bytes is a size such as 10GB, or a number of bytes from 1');
  return bytes;
}

/** Options that say whom to ask, in the order in which help names them. */
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

/** A RecordProof server answers for issuer and chain at once, at addresses that are known. */
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
