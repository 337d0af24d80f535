// Owns the report service-verification-report.v1: the four outcomes, their precedence, and what a check may say.
// A report always lists every check, also those that could not run.

export const reportSchema = 'service-verification-report.v1';

export type Outcome = 'VALID' | 'INVALID' | 'INDETERMINATE' | 'ERROR';
export type CheckStatus = 'PASS' | 'FAIL' | 'INDETERMINATE' | 'ERROR';
export type CheckCategory =
  | 'ARCHIVE'
  | 'JSON'
  | 'MANIFEST'
  | 'POLICY'
  | 'CHUNKS'
  | 'CONTENT'
  | 'MERKLE'
  | 'CHAIN'
  | 'SIGNATURE'
  | 'STATUS';
export type KeySource = 'TRUSTED_FILE' | 'ISSUER' | 'NONE';

/** Digests, ids and numbers only: never content, key text or answers as they came. */
export type CheckEvidence = Readonly<Record<string, string | number | boolean>>;

export type Finding = { status: CheckStatus; code: string; message: string; evidence: CheckEvidence };
export type CheckResult = Finding & { id: string; category: CheckCategory };

export type ReportSummary = {
  proofId?: string;
  fileId?: string;
  fileVersion?: number;
  leafId?: string;
  batchNo?: string;
  issuedAt?: string;
  issuedStatus?: string;
  currentStatus?: string;
  keyId?: string;
  keyVersion?: number;
  keyFingerprint?: string;
  keySource: KeySource;
  contentHash?: string;
  computedContentHash?: string;
  merkleRoot?: string;
  computedMerkleRoot?: string;
  chainType?: string;
  chainId?: string;
  groupId?: string;
  contractAddress?: string;
  batchTransactionHash?: string;
  liveBlockNumber?: number;
};

export type VerificationReport = {
  schemaVersion: typeof reportSchema;
  outcome: Outcome;
  verifiedAt: string;
  verifierVersion: string;
  summary: ReportSummary;
  checks: CheckResult[];
};

export const pass = (message: string, evidence: CheckEvidence = {}): Finding => ({
  status: 'PASS',
  code: 'OK',
  message,
  evidence,
});

export const fail = (code: string, message: string, evidence: CheckEvidence = {}): Finding => ({
  status: 'FAIL',
  code,
  message,
  evidence,
});

export const undecided = (code: string, message: string, evidence: CheckEvidence = {}): Finding => ({
  status: 'INDETERMINATE',
  code,
  message,
  evidence,
});

export const error = (code: string, message: string, evidence: CheckEvidence = {}): Finding => ({
  status: 'ERROR',
  code,
  message,
  evidence,
});

/** For a check whose input another check could not provide. */
export const notRun = (waitsFor: string): Finding =>
  undecided('NOT_RUN', 'This could not be checked because an earlier check did not succeed.', { waitsFor });

/** ERROR before INVALID before INDETERMINATE before VALID; no checks at all is no proof of anything. */
export function outcomeOf(checks: readonly { status: CheckStatus }[]): Outcome {
  const has = (status: CheckStatus) => checks.some(check => check.status === status);
  if (has('ERROR') || checks.length === 0) return 'ERROR';
  if (has('FAIL')) return 'INVALID';
  if (has('INDETERMINATE')) return 'INDETERMINATE';
  return 'VALID';
}
