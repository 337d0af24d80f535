// Options of a verification, shared by the command lines of two programs. Rejects incomplete and contradictory ones.
import { statSync } from 'node:fs';
import { UsageError } from '@recordproof/shared/node/read-arguments.ts';
import { parseSize } from '@recordproof/shared/settings/parse-size.ts';
import { archiveBeside, listBeside, originalBeside, proofBeside } from './proof-paths.ts';
import { oneLine, toShownUrl } from './shell/terminal.ts';
import type { TrustOptions } from './trust-options.ts';

export type OnlineOptions = {
  issuerBaseUrl: string;
  chainUrlTemplate: string;
  /** The URL of the ledger's checkpoint and tiles; without it the entry of the batch is not read. */
  ledgerUrl?: string | undefined;
  allowedHosts: readonly string[];
  allowHttp: boolean;
  allowPrivateAddresses: boolean;
};

/** The files to verify, and the trusted parties. */
export type VerificationOptions = {
  file: string;
  /** The path of the proof archive, or of the evidence archive that contains it. */
  proof: string;
  /** The archive was not named: it is searched next to the file. */
  isBeside?: boolean | undefined;
  trustedKey?: string | undefined;
  /** The content of a key file, as an alternative. */
  trustedKeyBytes?: Uint8Array;
  /** Accept only a key supplied by the caller, not one named by the issuer. */
  requireTrustedKey?: boolean | undefined;
  maxFileBytes: number;
  online?: OnlineOptions | undefined;
  /** Trusted parties for the time of the file. */
  trust?: TrustOptions | undefined;
};

/** The same for a sealed folder. */
export type FolderOptions = Omit<VerificationOptions, 'file'> & {
  folder: string;
  /** The path of its list, if it exists. */
  list: string;
};

/** The options as given; absent ones were not given. */
export type VerificationInput = {
  file?: string | undefined;
  /** Instead of a file. */
  folder?: string | undefined;
  proof?: string | undefined;
  /** Whether an unnamed archive may be searched next to the file. */
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

/** Treats a file argument that is a folder as the folder option. */
export function seeFolder(input: VerificationInput): VerificationInput {
  const { file, folder } = input;
  if (file === undefined || folder !== undefined || input.isBeside !== true) return input;
  return isFolder(file) ? { ...input, file: undefined, folder: file } : input;
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Throws UsageError with what to change. */
export function toFolderOptions({ folder, ...input }: VerificationInput & { folder: string }): FolderOptions {
  if (input.file !== undefined) throw new UsageError('give either a file or --folder, not both');
  return forFolder(toVerificationOptions({ ...input, file: listBeside(folder), isBeside: true }), folder);
}

/** From the options of a verification of the list, which may not exist. */
export const forFolder = ({ file, ...options }: VerificationOptions, folder: string): FolderOptions => ({
  ...options,
  folder,
  list: originalBeside(options.proof) ?? file,
});

/** Throws UsageError with what to change. */
export function toVerificationOptions(input: VerificationInput): VerificationOptions {
  const { file, trustedKey, requireTrustedKey, trust } = input;
  const isBeside = input.proof === undefined && input.isBeside === true;
  const proof = isBeside && file !== undefined ? proofBeside(file) : input.proof;
  if (file === undefined || proof === undefined)
    throw new UsageError('--file and --proof are both needed, or a file with its archive beside it');
  if (proof === '-' || proof === archiveBeside('-'))
    throw new UsageError('the archive must be a file; only the original may be - for standard input');
  const online = input.server === undefined ? readOnline(input) : readServer(input.server, input);
  return {
    file,
    proof,
    isBeside,
    maxFileBytes: readBytes(input.maxFileBytes),
    trustedKey,
    requireTrustedKey,
    trust,
    online,
  };
}

/** The value of `--max-file-bytes`. */
export function readBytes(text: string | undefined): number {
  if (text === undefined) return defaultMaxFileBytes;
  const bytes = parseSize(text);
  if (bytes === undefined)
    throw new UsageError(`--max-file-bytes must be a size such as 10GB, or a number of bytes, not "${oneLine(text)}"`);
  return bytes;
}

/** Online options, in the order of the help. */
const listStray = (input: VerificationInput): [name: string, isGiven: boolean][] => [
  ['--issuer-base-url', input.issuerBaseUrl !== undefined],
  ['--chain-url-template', input.chainUrlTemplate !== undefined],
  ['--ledger-url', input.ledgerUrl !== undefined],
  ['--allow-host', (input.allowHost ?? []).length > 0],
  ['--allow-http', input.allowHttp === true],
  ['--allow-private-addresses', input.allowPrivateAddresses === true],
];

function readOnline(input: VerificationInput): OnlineOptions | undefined {
  if (input.online !== true) {
    const stray = listStray(input).find(([, isGiven]) => isGiven);
    if (stray !== undefined) throw new UsageError(`${stray[0]} requires --online`);
    return undefined;
  }
  const { issuerBaseUrl, chainUrlTemplate, ledgerUrl, allowHost = [] } = input;
  if (issuerBaseUrl === undefined || chainUrlTemplate === undefined || allowHost.length === 0)
    throw new UsageError(
      '--online needs --issuer-base-url, --chain-url-template and at least one --allow-host, or --server',
    );
  return {
    issuerBaseUrl,
    chainUrlTemplate,
    ledgerUrl,
    allowedHosts: allowHost,
    allowHttp: input.allowHttp ?? false,
    allowPrivateAddresses: input.allowPrivateAddresses ?? false,
  };
}

/** A RecordProof server is both issuer and chain, at known paths. */
function readServer(server: string, input: VerificationInput): OnlineOptions {
  const stray = listStray(input)
    .slice(0, 4)
    .find(([, isGiven]) => isGiven);
  if (stray !== undefined) throw new UsageError(`${stray[0]} cannot be combined with --server, which sets it`);
  const base = URL.parse(server);
  if (base === null || !/^https?:$/.test(base.protocol) || /[?#{}]/.test(server))
    throw new UsageError(`--server must be an address such as https://files.example.org, not "${toShownUrl(server)}"`);
  const root = server.replace(/\/+$/, '');
  return {
    issuerBaseUrl: root,
    chainUrlTemplate: `${root}/api/v1/public/chain-roots/{chainType}/{chainId}/{groupId}/{contractAddress}/{batchNo}`,
    ledgerUrl: `${root}/ledger`,
    allowedHosts: [base.host],
    allowHttp: input.allowHttp ?? false,
    allowPrivateAddresses: input.allowPrivateAddresses ?? false,
  };
}
