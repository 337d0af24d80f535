// Part of the command `recordproof-verify certificate`: verifies a key retirement certificate, if one is named instead
// of a file and its proof. The exit code is the verdict.
import {
  maxRetirementCertificateBytes,
  type RetirementCertificate,
} from '@recordproof/shared/evidence/retirement-certificate.ts';
import type { KeyName } from '@recordproof/shared/evidence/rotation-item.ts';
import { UsageError } from '@recordproof/shared/node/read-arguments.ts';
import { nodePlatform } from '../node/node-platform.ts';
import { describeAbsent, readBounded, readLazily } from '../node/read-inputs.ts';
import { readArguments } from '../shell/arguments.ts';
import { exitCodes } from '../shell/exit-codes.ts';
import { oneLine, type Terminal } from '../shell/terminal.ts';
import { marks } from '../verify/document-checks.ts';
import { maxTrustedKeyBytes } from '../verify/trusted-key.ts';
import { retirementDeclaration } from '../verify-options.ts';
import { checkRetirement, type RetirementReport } from './check-retirement.ts';

/** The prefix common to all versions. */
const kind = 'recordproof.key-retirement-certificate.';

/** Options of the other form of the command, for documents on a proof verification. */
const ofProofs = /^--(file|proof|out)(=|$)/;

export const isAboutRetirement = (args: readonly string[]): boolean =>
  args.some(arg => !arg.startsWith('-')) && !args.some(arg => ofProofs.test(arg));

export async function runRetirement(args: readonly string[], terminal: Terminal): Promise<number> {
  const { options, positionals } = readArguments(args, retirementDeclaration);
  const [path] = positionals;
  if (path === undefined)
    throw new UsageError('a certificate is needed: recordproof-verify certificate CERTIFICATE.json');
  describeAbsent([path, options.items, options['trusted-key']], terminal.stderr);
  const document = await readBounded(path, maxRetirementCertificateBytes);
  if (document instanceof Uint8Array && !Buffer.from(document).includes(kind))
    throw new UsageError(
      `${oneLine(path)} is not a certificate of key retirement; a document about a file and its proof needs --out`,
    );
  const key = options['trusted-key'];
  const report = await checkRetirement(
    {
      document,
      trustedKey: key === undefined ? undefined : await readBounded(key, maxTrustedKeyBytes),
      items: options.items === undefined ? undefined : readLazily(options.items),
    },
    nodePlatform,
  );
  terminal.stdout.write(options.format === 'json' ? `${JSON.stringify(report, null, 2)}\n` : toText(report));
  return exitCodes[report.outcome];
}

const meanings: Readonly<Record<RetirementReport['outcome'], string>> = {
  VALID: 'all of the above is signed with the trusted key',
  INVALID: 'do not trust anything that it states',
  INDETERMINATE: 'nothing speaks against it, but who has said it is open: give the --trusted-key that it names',
  ERROR: 'it could not be checked',
};

function toText({ outcome, checks, certificate }: RetirementReport): string {
  return [
    'RecordProof key retirement',
    '',
    ...(certificate === undefined ? [] : [...factLines(certificate), '']),
    ...checks.map(({ id, status, message }) => `${id.padEnd(23)}${marks[status].padEnd(8)}${message}`),
    '',
    `Result: ${outcome}`,
    `        ${meanings[outcome]}`,
    '',
  ].join('\n');
}

const nameOf = ({ provider, contract, keyVersion }: KeyName): string =>
  `${provider} (contract ${contract}), version ${keyVersion}`;

function factLines({
  run,
  tenantId,
  policy,
  counts,
  keys,
  oldKeyInUse,
  issuedAt,
  audit,
  items,
}: RetirementCertificate) {
  const skipped = counts.revoked + counts.sourceChanged;
  const facts: [string, string][] = [
    ['run', `${run.runId} of tenant ${tenantId}, policy ${policy.version}`],
    ['completed', run.completedAt],
    ['issued', issuedAt],
    ['target', nameOf(policy)],
    [
      'envelopes',
      `${counts.total}: ${counts.succeeded} moved, ${counts.alreadyTarget} there already, ${skipped} ended`,
    ],
    ...keys.map((key): [string, string] => ['key', `${nameOf(key)}: ${key.before} before, ${key.after} after`]),
    ['old keys', oldKeyInUse ? 'STILL IN USE when this was issued' : 'not in use any more when this was issued'],
    ['items', items.digest],
    ['audit log', `row ${audit.position}, ${audit.hash}`],
  ];
  return facts.map(([name, value]) => (12 + value.length <= 80 ? `${name.padEnd(12)}${value}` : `${name}\n  ${value}`));
}
