// The report service-verification-report.v1: the four outcomes, their precedence, and results of checks. It always
// lists every check, including those that could not run.

import type { CheckCode, CheckId, CheckStatus } from './check-codes.ts';

export const reportSchema = 'service-verification-report.v1';

export type Outcome = 'VALID' | 'INVALID' | 'INDETERMINATE' | 'ERROR';
export type KeySource = 'TRUSTED_FILE' | 'ISSUER' | 'NONE';

/** Digests, ids and numbers only: never content, key text or raw answers. */
type CheckEvidence = Readonly<Record<string, string | number | boolean>>;

/** The finding of a check; its status follows from the code alone. */
export type Finding<Code extends CheckCode = CheckCode> = {
  code: 'OK' | 'NOT_RUN' | Code;
  message: string;
  evidence: CheckEvidence;
};

export type CheckResult = Finding & { id: CheckId; category: string; status: CheckStatus };

export type ReportSummary = {
  proofId?: string | undefined;
  fileId?: string | undefined;
  fileVersion?: number | undefined;
  leafId?: string | undefined;
  batchNo?: string | undefined;
  issuedAt?: string | undefined;
  /**
   * When the ledger recorded the batch, by its operator's clock; only if its entry was read with an inclusion proof.
   */
  recordedAt?: string | undefined;
  issuedStatus?: string | undefined;
  /** When the newest entry of the ledger was recorded, under the checkpoint that shows the status. */
  statusAsOf?: string | undefined;
  currentStatus?: string | undefined;
  keyId?: string | undefined;
  keyVersion?: number | undefined;
  keyFingerprint?: string | undefined;
  keySource: KeySource;
  contentHash?: string | undefined;
  computedContentHash?: string | undefined;
  merkleRoot?: string | undefined;
  computedMerkleRoot?: string | undefined;
  chainType?: string | undefined;
  chainId?: string | undefined;
  groupId?: string | undefined;
  contractAddress?: string | undefined;
  batchTransactionHash?: string | undefined;
  liveBlockNumber?: number | undefined;
};

export type VerificationReport = {
  schemaVersion: typeof reportSchema;
  outcome: Outcome;
  /** The code of the first decisive check; absent if all passed. */
  reason?: CheckCode | undefined;
  verifiedAt: string;
  verifierVersion: string;
  summary: ReportSummary;
  checks: CheckResult[];
};

export const pass = (message: string, evidence: CheckEvidence = {}): Finding<never> => ({
  code: 'OK',
  message,
  evidence,
});

export const found = <const Code extends CheckCode>(
  code: Code,
  message: string,
  evidence: CheckEvidence = {},
): Finding<Code> => ({ code, message, evidence });

/** For a check whose input is missing because of another check. */
export const notRun = (waitsFor: CheckId | 'local checks'): Finding<never> => ({
  code: 'NOT_RUN',
  message: 'This could not be checked because an earlier check did not succeed.',
  evidence: { waitsFor },
});

/** Precedence: ERROR, INVALID, INDETERMINATE, VALID; without checks never VALID. */
export function decideOutcome(checks: readonly { status: CheckStatus }[]): Outcome {
  const has = (status: CheckStatus) => checks.some(check => check.status === status);
  if (has('ERROR') || checks.length === 0) return 'ERROR';
  if (has('FAIL')) return 'INVALID';
  if (has('INDETERMINATE')) return 'INDETERMINATE';
  return 'VALID';
}

const deciding: Readonly<Record<Exclude<Outcome, 'VALID'>, CheckStatus>> = {
  ERROR: 'ERROR',
  INVALID: 'FAIL',
  INDETERMINATE: 'INDETERMINATE',
};

/** The decisive checks; none for VALID. */
export function decidingChecks({ outcome, checks }: Pick<VerificationReport, 'outcome' | 'checks'>): CheckResult[] {
  if (outcome === 'VALID') return [];
  return checks.filter(check => check.status === deciding[outcome] && check.code !== 'NOT_RUN');
}
