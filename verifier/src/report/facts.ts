// The facts of a report in the order in which people ask for them; what is not known is left out.
import type { ReportSummary, VerificationReport } from '../verify/report.ts';

const keySources: Readonly<Record<ReportSummary['keySource'], string>> = {
  TRUSTED_FILE: 'the trusted key file that you gave',
  ISSUER: 'the issuer, asked online',
  NONE: 'none: the signature has not been confirmed',
};

export function listFacts({
  summary,
  verifiedAt,
  verifierVersion,
}: VerificationReport): [name: string, value: string][] {
  const signer = summary.keyId === undefined ? undefined : `${summary.keyId}, version ${summary.keyVersion}`;
  const facts: [string, string | undefined][] = [
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
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]]));
}
