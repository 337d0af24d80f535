// Owns the report for people: verdict first, what it means and does not mean, then what was compared, then each check.
// Plain text of at most 100 columns; holds nothing that is not in the JSON report.
import type { CheckResult, CheckStatus, ReportSummary, VerificationReport } from '../verify/report.ts';
import { outcomeTexts } from './outcome-texts.ts';

const columns = 100;

const marks: Readonly<Record<CheckStatus, string>> = {
  PASS: 'passed',
  FAIL: 'FAILED',
  INDETERMINATE: 'open',
  ERROR: 'ERROR',
};

const keySources: Readonly<Record<ReportSummary['keySource'], string>> = {
  TRUSTED_FILE: 'the trusted key file that you gave',
  ISSUER: 'the issuer, asked online',
  NONE: 'none: the signature has not been confirmed',
};

export function toTextReport(report: VerificationReport): string {
  const { headline, meaning, limits } = outcomeTexts[report.outcome];
  const lines = [
    'RecordProof verification report',
    '',
    `Result: ${report.outcome}`,
    `        ${headline}`,
    '',
    ...wrap(`What this means. ${meaning}`, ''),
    ...wrap(`What it does not mean. ${limits}`, ''),
    '',
    ...factLines(report),
    '',
    'Checks',
    ...report.checks.flatMap(checkLines),
    '',
  ];
  return `${lines.join('\n')}`;
}

function factLines({ summary, verifiedAt, verifierVersion }: VerificationReport): string[] {
  const signer = summary.keyId === undefined ? undefined : `${summary.keyId}, version ${summary.keyVersion}`;
  const facts: [string, string | number | undefined][] = [
    ['Proof', summary.proofId],
    ['Issued', summary.issuedAt],
    ['Status now', summary.currentStatus ?? (summary.proofId === undefined ? undefined : 'not known')],
    ['File', summary.fileId === undefined ? undefined : `record ${summary.fileId}, version ${summary.fileVersion}`],
    ['Recorded SHA-256', summary.contentHash],
    ['Your file', summary.computedContentHash],
    ['Batch', summary.batchNo],
    ['Recorded root', summary.merkleRoot],
    ['Computed root', summary.computedMerkleRoot],
    ['Chain', summary.chainType === undefined ? undefined : `${summary.chainType} ${summary.chainId}`],
    ['Contract', summary.contractAddress],
    ['Transaction', summary.batchTransactionHash],
    ['Signing key', signer],
    ['Key fingerprint', summary.keyFingerprint],
    ['Key taken from', keySources[summary.keySource]],
    ['Checked', `${verifiedAt} by recordproof-verify ${verifierVersion}`],
  ];
  return facts.filter(([, value]) => value !== undefined).map(([name, value]) => `${name.padEnd(18)}${value}`);
}

function checkLines(check: CheckResult): string[] {
  if (check.code === 'NOT_RUN')
    return [`  not run ${check.id} (waits for ${check.evidence.waitsFor ?? 'an earlier check'})`];
  const lines = wrap(`${marks[check.status].padEnd(8)}${check.id}: ${check.message}`, '          ').map(
    line => `  ${line}`,
  );
  if (check.status === 'PASS') return lines;
  const evidence = Object.entries({ code: check.code, ...check.evidence });
  return [...lines, ...evidence.map(([name, value]) => `            ${name}: ${value}`)];
}

/** Breaks at spaces; a word longer than a line stays whole, because it is a digest that somebody will copy. */
function wrap(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columns - 2) {
      lines.push(line);
      line = indent + word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
