// The report on a key retirement certificate for terminals; contains nothing that is not in the JSON report.
import type { RetirementCertificate } from '@recordproof/shared/evidence/retirement-certificate.ts';
import type { KeyName } from '@recordproof/shared/evidence/rotation-item.ts';
import { marks } from '../verify/document-checks.ts';
import type { RetirementReport } from './check-retirement.ts';

const meanings: Readonly<Record<RetirementReport['outcome'], string>> = {
  VALID: 'all of the above is signed with the trusted key',
  INVALID: 'do not trust anything that it states',
  INDETERMINATE: 'nothing speaks against it, but who has said it is open: give the --trusted-key that it names',
  ERROR: 'it could not be checked',
};

export function toRetirementText({ outcome, checks, certificate }: RetirementReport): string {
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
