// The content of a certificate, in any format: never more than the report, and the name "certificate" only for VALID
// with all protections on. File names are untrusted and are sanitized here.
import { digestOf } from '@recordproof/shared/evidence/digest.ts';
import { maxEvidenceBytes } from '@recordproof/shared/evidence/evidence-archive.ts';
import { nameOf } from '../node/read-inputs.ts';
import type { VerifiedFiles } from '../node/verify-files.ts';
import { isLoopbackHost } from '../online/address-guard.ts';
import type { OnlineOptions, VerificationOptions } from '../options.ts';
import type { Unreadable } from '../verify/case-file.ts';
import type { ReportSummary, VerificationReport } from '../verify/report.ts';
import { maxTrustedKeyBytes } from '../verify/trusted-key.ts';

export type Input = {
  role: string;
  name: string;
  /** Absent if it was not read to its end. */
  bytes?: number;
  sha256?: string;
};

export type Certificate = {
  title: string;
  /** The result in one sentence; only for VALID. */
  statement?: string | undefined;
  /** Limits of the result if it was queried on this machine or without protections. */
  note?: string | undefined;
  inputs: readonly Input[];
  /** The queried issuer. */
  asked: string;
  about: readonly string[];
  command: string;
  report: VerificationReport;
};

export function toCertificate(options: VerificationOptions, files: VerifiedFiles): Certificate {
  const { report } = files;
  const { online } = options;
  const isProtected = online === undefined || !(online.allowHttp || online.allowPrivateAddresses);
  return {
    title:
      report.outcome === 'VALID' && isProtected
        ? 'Certificate of verification'
        : 'Verification report, not a certificate',
    statement: toStatement(options, report),
    note: toNote(online),
    inputs: listInputs(options, files),
    asked: toAsked(online, report.summary),
    about: aboutLines(report),
    command: toCommand(options),
    report,
  };
}

const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Names the file, the day, the ledger and the issuer; only confirmed facts. */
function toStatement({ file, online }: VerificationOptions, { outcome, summary }: VerificationReport) {
  if (outcome !== 'VALID' || online === undefined || summary.issuedAt === undefined) return undefined;
  const name = file === '-' ? 'The file' : `The file “${nameOf(file)}”`;
  const { host: issuer } = new URL(online.issuerBaseUrl);
  const ledger =
    summary.chainType === 'LOCAL_LEDGER' ? 'the ledger' : `the chain ${summary.chainType} ${summary.chainId}`;
  const { host: at } = toTemplateUrl(online);
  const day = days.format(new Date(summary.issuedAt));
  return `${name} existed in exactly this form on ${day}, as far as ${ledger} at ${at} shows; its issuer, ${issuer}, stands by that today. ${toDateSource(summary)}`;
}

/** The source of the date. */
const toDateSource = ({ recordedAt }: ReportSummary): string =>
  recordedAt === undefined
    ? 'The date is the word of the issuer alone: no entry of a ledger was read.'
    : `The ledger recorded it at ${recordedAt}. That time is by the clock of the operator of the ledger, who signs it; no third party vouches for it here.`;

const toTemplateUrl = ({ chainUrlTemplate }: OnlineOptions): URL => new URL(chainUrlTemplate.replaceAll(/[{}]/g, ''));

function toNote(online: OnlineOptions | undefined): string | undefined {
  if (online === undefined) return undefined;
  if (online.allowHttp || online.allowPrivateAddresses)
    return 'Plain HTTP or private addresses were allowed for a test: a host in that network could have answered in the place of the issuer and the chain.';
  const urls = [new URL(online.issuerBaseUrl), toTemplateUrl(online)];
  if (!urls.some(({ hostname }) => isLoopbackHost(hostname))) return undefined;
  return 'Issuer and chain were asked on the machine that wrote this: the result is worth as much as your trust in its operator.';
}

function listInputs(options: VerificationOptions, { report, archive, trustedKey }: VerifiedFiles) {
  const { computedContentHash: sha256 } = report.summary;
  const bytes = report.checks.find(({ id }) => id === 'content.size')?.evidence.actual;
  const inputs: Input[] = [
    {
      role: 'Original file',
      name: options.file === '-' ? 'standard input' : nameOf(options.file),
      ...(sha256 === undefined || typeof bytes !== 'number' ? {} : { bytes, sha256 }),
    },
    { role: 'Proof archive', name: nameOf(options.proof), ...measured(archive, maxEvidenceBytes) },
  ];
  if (options.trustedKey === undefined) return inputs;
  const measure = measured(trustedKey, maxTrustedKeyBytes);
  return [...inputs, { role: 'Trusted key', name: nameOf(options.trustedKey), ...measure }];
}

/** An oversized file was not read to its end. */
const measured = (content: Uint8Array | Unreadable | undefined, maxBytes: number) =>
  content instanceof Uint8Array && content.length <= maxBytes
    ? { bytes: content.length, sha256: digestOf(content) }
    : {};

function toAsked(online: OnlineOptions | undefined, { keySource }: ReportSummary): string {
  if (online === undefined) return 'No server: no connection was opened.';
  const ledger = online.ledgerUrl === undefined ? '' : `, and the ledger at ${online.ledgerUrl}`;
  const text = `The issuer at ${online.issuerBaseUrl} and the chain at ${online.chainUrlTemplate}${ledger}, unless a check failed before.`;
  return keySource === 'ISSUER' ? `${text} The signing key, too, is the one that the issuer named there.` : text;
}

const aboutLines = ({ verifiedAt, verifierVersion }: VerificationReport): string[] => [
  `This is what recordproof-verify ${verifierVersion} found at ${verifiedAt} by the clock of the machine that it ran on. A proof can be revoked or superseded later.`,
  'The document is not signed. Anyone could have written one like it, so it is no evidence by itself: keep the files listed above, and check them again. In a folder that holds them, this command does it:',
];

type Flag = readonly [name: string, value: string | boolean | undefined];

/** Gives the same verdict when run in a folder with the files. */
function toCommand({ file, proof, trustedKey, requireTrustedKey, online }: VerificationOptions): string {
  const flags: readonly Flag[] = [
    ['file', file === '-' ? file : nameOf(file)],
    ['proof', nameOf(proof)],
    ['trusted-key', trustedKey && nameOf(trustedKey)],
    ['require-trusted-key', requireTrustedKey],
    ...(online === undefined ? [] : onlineFlags(online)),
  ];
  const words = flags.flatMap(([name, value]) => {
    if (typeof value === 'string') return `--${name}=${quoted(value)}`;
    return value === true ? `--${name}` : [];
  });
  return ['recordproof-verify', ...words].join(' ');
}

const onlineFlags = (online: OnlineOptions): Flag[] => [
  ['online', true],
  ['issuer-base-url', online.issuerBaseUrl],
  ['chain-url-template', online.chainUrlTemplate],
  ['ledger-url', online.ledgerUrl],
  ...online.allowedHosts.map((host): Flag => ['allow-host', host]),
  ['allow-http', online.allowHttp],
  ['allow-private-addresses', online.allowPrivateAddresses],
];

/** Quoted for a shell if necessary. */
const quoted = (word: string): string =>
  /^[A-Za-z0-9._/:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
