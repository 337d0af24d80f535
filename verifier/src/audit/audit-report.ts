// The report audit-report.v1: what an audit read, what it compared, and its findings. One table defines the effect of
// each code on the outcome; programs can rely on it.

export const auditSchema = 'audit-report.v1';

/**
 * CONTRADICTED: contradicts what the ledger signed, promised or showed before. OPEN: could not be checked, or needs an
 * explanation by the operator.
 */
type AuditStanding = 'CONTRADICTED' | 'OPEN';

const standings = {
  KEY_NOT_PINNED: 'OPEN',
  LOG_SIGNATURE_WRONG: 'CONTRADICTED',
  LOG_UNSIGNED: 'OPEN',
  KEPT_UNUSABLE: 'OPEN',
  LOG_WENT_BACK: 'CONTRADICTED',
  LOG_REWRITTEN: 'CONTRADICTED',
  TILES_WITHHELD: 'OPEN',
  TILES_MISMATCH: 'CONTRADICTED',
  ENTRY_MALFORMED: 'CONTRADICTED',
  ENTRY_UNKNOWN_KIND: 'OPEN',
  TIME_WENT_BACK: 'CONTRADICTED',
  TIME_IN_FUTURE: 'CONTRADICTED',
  TIME_AFTER_VOUCHER: 'CONTRADICTED',
  TIME_BEFORE_WITNESS: 'OPEN',
  RECORD_TWICE: 'CONTRADICTED',
  BATCH_TWICE: 'CONTRADICTED',
  PROOF_TWICE: 'CONTRADICTED',
  STATUS_TAKEN_BACK: 'CONTRADICTED',
  KEY_CHANGED: 'CONTRADICTED',
  KEY_RETIRED: 'CONTRADICTED',
  AUDIT_LOG_WENT_BACK: 'CONTRADICTED',
  PROOF_NOT_RECORDED: 'OPEN',
  ANSWER_MISMATCH: 'CONTRADICTED',
  ANSWER_NEWER: 'OPEN',
  ANSWER_WITHHELD: 'OPEN',
  COSIGNATURE_WRONG: 'CONTRADICTED',
  QUORUM_NOT_REACHED: 'OPEN',
  STAMP_WRONG: 'CONTRADICTED',
  STAMP_UNUSABLE: 'OPEN',
} as const satisfies Record<string, AuditStanding>;

export type AuditCode = keyof typeof standings;

/** Values in the sentence on a finding. */
export type AuditFacts = Readonly<Record<string, string | number>>;

export type AuditFinding = {
  readonly code: AuditCode;
  readonly standing: AuditStanding;
  readonly facts: AuditFacts;
  /** The entries that prove it. */
  readonly positions: readonly number[];
  readonly message: string;
};

export type AuditOutcome = 'SOUND' | 'CONTRADICTED' | 'INCOMPLETE';

export type AuditReport = {
  schemaVersion: typeof auditSchema;
  outcome: AuditOutcome;
  verifierVersion: string;
  auditedAt: string;
  source: string;
  ledger?: { name: string; key: string; keyFrom: KeyOrigin; size: number; root: string };
  /** Sizes of the kept checkpoints that this one extends. */
  comparedSizes: number[];
  entriesRead: number;
  entriesByKind: Record<string, number>;
  firstRecordedAt?: string;
  lastRecordedAt?: string;
  quorum?: { name: string; isReached: boolean; time?: string | undefined };
  stamps: { authority: string; size: number; time: string }[];
  answersCompared: number;
  /** For each named proof, its last entry. */
  proofs: { proofId: string; status?: string; statusVersion?: number; position?: number }[];
  findings: AuditFinding[];
  /** Findings beyond the first hundred of a code are only counted. */
  furtherFindings: number;
  evidenceFile?: string;
  keptFile?: string;
};

export type KeyOrigin = 'OPTION' | 'POLICY' | 'KEPT' | 'SERVER';

const mostOfACode = 100;

/** Collects findings; the first hundred of each code. */
export class Findings {
  readonly list: Omit<AuditFinding, 'message'>[] = [];
  further = 0;
  readonly #counts = new Map<AuditCode, number>();

  add(code: AuditCode, facts: AuditFacts = {}, positions: readonly number[] = []): void {
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count > mostOfACode) this.further++;
    else this.list.push({ code, standing: standings[code], facts, positions });
  }

  addAll(others: Findings): void {
    this.list.push(...others.list);
    this.further += others.further;
  }

  get outcome(): AuditOutcome {
    if (this.list.some(({ standing }) => standing === 'CONTRADICTED')) return 'CONTRADICTED';
    return this.list.length === 0 ? 'SOUND' : 'INCOMPLETE';
  }
}
