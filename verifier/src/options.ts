// Owns the command line of the verifier. Refuses unknown, doubled, empty and half-given options: a verification that
// was not asked for exactly is not run.
import { parseArgs } from 'node:util';

export type OnlineOptions = {
  issuerBaseUrl: string;
  chainUrlTemplate: string;
  allowedHosts: readonly string[];
  allowHttp: boolean;
  allowPrivateAddresses: boolean;
};

/** What is verified, and against whom. */
export type VerificationOptions = {
  file: string;
  proof: string;
  trustedKey?: string;
  maxFileBytes: number;
  online?: OnlineOptions;
};

export type VerifyOptions = VerificationOptions & { format: 'text' | 'json' };

export type CertificateOptions = VerificationOptions & { format: 'html' | 'text'; out: string };

/** The message says what to change. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** A file of this size takes hours; larger ones must be asked for. */
const defaultMaxFileBytes = 2 ** 40;

const valued = { type: 'string', multiple: true } as const;
const switched = { type: 'boolean', multiple: true } as const;

const known = {
  file: valued,
  proof: valued,
  'trusted-key': valued,
  format: valued,
  'max-file-bytes': valued,
  online: switched,
  'issuer-base-url': valued,
  'chain-url-template': valued,
  'allow-host': valued,
  'allow-http': switched,
  'allow-private-addresses': switched,
  out: valued,
} as const;

type Values = { [K in keyof typeof known]?: string[] | boolean[] };

export function parseVerifyOptions(args: readonly string[]): VerifyOptions {
  const values = parseKnown(args);
  if (values.out !== undefined) throw new UsageError('--out has a meaning only for recordproof-verify certificate');
  return { ...readVerification(values), format: readFormat(single(values, 'format'), ['text', 'json']) };
}

export function parseCertificateOptions(args: readonly string[]): CertificateOptions {
  const values = parseKnown(args);
  const out = single(values, 'out');
  if (out === undefined) throw new UsageError('--out is needed: the name of the document, which must not exist yet');
  return { ...readVerification(values), format: readFormat(single(values, 'format'), ['html', 'text']), out };
}

function readVerification(values: Values): VerificationOptions {
  const file = single(values, 'file');
  const proof = single(values, 'proof');
  if (file === undefined || proof === undefined) throw new UsageError('--file and --proof are both needed');
  if (proof === '-') throw new UsageError('--proof must be a file; only --file may be - for standard input');
  const trustedKey = single(values, 'trusted-key');
  const online = readOnline(values);
  return {
    file,
    proof,
    maxFileBytes: readBytes(single(values, 'max-file-bytes')),
    ...(trustedKey === undefined ? {} : { trustedKey }),
    ...(online === undefined ? {} : { online }),
  };
}

function parseKnown(args: readonly string[]): Values {
  try {
    return parseArgs({ args: [...args], options: known, strict: true, allowPositionals: false }).values;
  } catch (problem) {
    const code = problem instanceof Error && 'code' in problem ? problem.code : undefined;
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') throw new UsageError('there is an option that is not known');
    if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') throw new UsageError('there is an argument that is no option');
    throw new UsageError(
      'an option lacks its value or has one too many; write --option=value if it starts with a dash',
    );
  }
}

function single(values: Values, name: keyof typeof known): string | undefined {
  const [value, ...more] = values[name] ?? [];
  if (more.length > 0) throw new UsageError(`--${name} may be given only once`);
  if (value === '') throw new UsageError(`--${name} needs a value`);
  return typeof value === 'string' ? value : undefined;
}

function isOn(values: Values, name: keyof typeof known): boolean {
  const given = values[name] ?? [];
  if (given.length > 1) throw new UsageError(`--${name} may be given only once`);
  return given.length === 1;
}

/** The first is the default. */
function readFormat<const F extends string>(given: string | undefined, formats: readonly [F, F]): F {
  const format = formats.find(known => known === (given ?? formats[0]));
  if (format === undefined) throw new UsageError(`--format is ${formats.join(' or ')}`);
  return format;
}

function readBytes(text: string | undefined): number {
  if (text === undefined) return defaultMaxFileBytes;
  const bytes = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(bytes)) throw new UsageError('--max-file-bytes is a whole number of bytes from 1');
  return bytes;
}

const onlineNames = [
  'issuer-base-url',
  'chain-url-template',
  'allow-host',
  'allow-http',
  'allow-private-addresses',
] as const;

function readOnline(values: Values): OnlineOptions | undefined {
  const issuerBaseUrl = single(values, 'issuer-base-url');
  const chainUrlTemplate = single(values, 'chain-url-template');
  const allowedHosts = (values['allow-host'] ?? []).map(String);
  if (!isOn(values, 'online')) {
    const stray = onlineNames.find(name => (values[name] ?? []).length > 0);
    if (stray !== undefined) throw new UsageError(`--${stray} has a meaning only together with --online`);
    return undefined;
  }
  if (issuerBaseUrl === undefined || chainUrlTemplate === undefined || allowedHosts.length === 0)
    throw new UsageError('--online needs --issuer-base-url, --chain-url-template and at least one --allow-host');
  return {
    issuerBaseUrl,
    chainUrlTemplate,
    allowedHosts,
    allowHttp: isOn(values, 'allow-http'),
    allowPrivateAddresses: isOn(values, 'allow-private-addresses'),
  };
}

export const usage = `Checks a file against its signed proof archive.

  recordproof-verify [verify] --file FILE --proof ARCHIVE.zip [options]

  --file FILE                 the original file; - reads standard input
  --proof ARCHIVE.zip         the proof archive
  --trusted-key KEY.json      the issuer's key, obtained by a way that you trust
  --format text|json          report for people (default) or for programs
  --max-file-bytes N          refuse larger originals (default 1 TiB)

  recordproof-verify certificate   writes what was found as a document to print and to file
  recordproof-verify serve         the web page and service
  recordproof-verify page          writes the page as one file that works offline
  recordproof-verify gateway       asks a chain for batch roots, so that nobody has to ask the issuer
  Each of these tells more with --help.

Online, which VALID needs:
  --online                    ask for the current status and the root on the chain
  --issuer-base-url URL       where the issuer answers
  --chain-url-template URL    where the chain answers; with {chainType}, {chainId}, {groupId},
                              {contractAddress} and {batchNo}
  --allow-host HOST           a host that may be asked; repeat for more
  --allow-http                tests only: plain HTTP
  --allow-private-addresses   tests only: private and loopback addresses

Exit codes: 0 VALID, 2 INVALID, 3 INDETERMINATE, 4 ERROR, 64 wrong arguments.
Without --online no connection is opened, and the best result is INDETERMINATE.
`;
