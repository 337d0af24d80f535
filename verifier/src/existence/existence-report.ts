// The report existence-report.v1 (docs/spec/vouchers.md section 12): what is proven about these bytes, since when, and
// by whose statement. It lists every link and voucher, including those that prove nothing. One table defines the effect
// of each code on the answer; programs can rely on it.

/**
 * HOLDS: proven. MISSING: nothing is wrong, but it proves nothing or is not trusted. CONTRADICTED: contradicts the
 * rest. DAMAGED: unreadable.
 */
type Standing = 'HOLDS' | 'MISSING' | 'CONTRADICTED' | 'DAMAGED';

const standings = {
  OK: 'HOLDS',
  CHECK_FAILED: 'DAMAGED',
  ORIGINAL_UNREADABLE: 'DAMAGED',
  ORIGINAL_TOO_LARGE: 'DAMAGED',
  ARCHIVE_ABSENT: 'MISSING',
  /** A statement of the archive is false; the message names the check. */
  ARCHIVE_CONTRADICTED: 'CONTRADICTED',
  ARCHIVE_DAMAGED: 'DAMAGED',
  EVIDENCE_DAMAGED: 'DAMAGED',
  TLOG_PROOF_ABSENT: 'MISSING',
  TLOG_PROOF_DAMAGED: 'DAMAGED',
  ENTRY_ABSENT: 'MISSING',
  ENTRY_DAMAGED: 'DAMAGED',
  ENTRY_OF_OTHER_PROOF: 'CONTRADICTED',
  PATH_MISMATCH: 'CONTRADICTED',
  NOT_RUN: 'MISSING',
  /** The voucher itself is valid, but does not lead to this file. */
  NOT_LINKED: 'MISSING',
  POLICY_ABSENT: 'MISSING',
  POLICY_DAMAGED: 'DAMAGED',
  LOG_UNKNOWN: 'MISSING',
  LOG_UNSIGNED: 'MISSING',
  LOG_SIGNATURE_WRONG: 'CONTRADICTED',
  COSIGNATURE_ABSENT: 'MISSING',
  COSIGNATURE_WRONG: 'CONTRADICTED',
  COSIGNATURE_UNCHECKED: 'MISSING',
  QUORUM_NOT_REACHED: 'MISSING',
  TIME_ABSENT: 'MISSING',
  ROOTS_ABSENT: 'MISSING',
  ROOTS_DAMAGED: 'DAMAGED',
  STAMP_UNREADABLE: 'DAMAGED',
  STAMP_TOO_LARGE: 'DAMAGED',
  STAMP_TRUNCATED: 'DAMAGED',
  STAMP_TRAILING_BYTES: 'DAMAGED',
  STAMP_MALFORMED: 'DAMAGED',
  STAMP_ALGORITHM: 'MISSING',
  STAMP_REFUSED: 'MISSING',
  STAMP_IMPRINT: 'CONTRADICTED',
  STAMP_NONCE: 'CONTRADICTED',
  STAMP_POLICY: 'MISSING',
  STAMP_CERTIFICATE: 'MISSING',
  STAMP_SIGNATURE: 'CONTRADICTED',
  STAMP_EXPIRED: 'MISSING',
  STAMP_UNTRUSTED: 'MISSING',
  OTS_DAMAGED: 'DAMAGED',
  OTS_OF_OTHER_FILE: 'CONTRADICTED',
  ATTESTATION_PENDING: 'MISSING',
  ATTESTATION_UNKNOWN: 'MISSING',
  HEADERS_ABSENT: 'MISSING',
  HEADERS_DAMAGED: 'DAMAGED',
  HEADER_ABSENT: 'MISSING',
  BLOCK_MISMATCH: 'CONTRADICTED',
} as const satisfies Record<string, Standing>;

export type ExistenceCode = keyof typeof standings;

export const standingOf = (code: ExistenceCode): Standing => standings[code];

export const existenceSchema = 'existence-report.v1';

export type ExistenceOutcome = 'EXISTED' | 'CONTRADICTED' | 'NOT_SHOWN' | 'ERROR';

/** The steps from the file to the checkpoint, and the caller's trust material. */
type LinkId = 'FILE' | 'ARCHIVE' | 'ENTRY' | 'PATH' | 'LOG' | 'ROOTS' | 'HEADERS';

export type Link = { id: LinkId; code: ExistenceCode; standing: Standing; message: string };

/** WITNESS is a single one and decides nothing alone; QUORUM is the policy's requirement. */
export type VoucherKind = 'WITNESS' | 'QUORUM' | 'RFC3161' | 'BITCOIN' | 'CALENDAR' | 'OTHER';

export type Voucher = {
  kind: VoucherKind;
  /** The name of the witness, the authority, the block or the calendar. */
  name: string;
  code: ExistenceCode;
  standing: Standing;
  /** RFC 3339. The bytes existed no later than this, if the voucher is trustworthy. */
  time?: string | undefined;
  /** What has to be trusted. */
  trust: string;
  message: string;
};

/** A voucher that was not checked, because the caller did not supply what its kind needs. Its name is unverified. */
export type UncheckedVoucher = { kind: VoucherKind; name: string; needs: 'policy' | 'roots' | 'headers' };

export type RequirementResult = { requirement: string; isMet: boolean; time?: string };

export type ExistenceReport = {
  schemaVersion: typeof existenceSchema;
  outcome: ExistenceOutcome;
  /** The first decisive code; absent if existence is proven. */
  reason?: ExistenceCode | 'REQUIREMENT_NOT_MET' | 'NO_TRUSTED_VOUCHER';
  /** RFC 3339; only with EXISTED. */
  existedNoLaterThan?: string;
  verifierVersion: string;
  contentHash?: string | undefined;
  sizeBytes?: number | undefined;
  proofId?: string | undefined;
  checkpoint?: { origin: string; size: number; root: string } | undefined;
  /** The time is stated by the operator alone. */
  entry?: { kind: string; position: number; recordedAt: string } | undefined;
  links: Link[];
  vouchers: Voucher[];
  required: RequirementResult[];
  /** Absent if there are none. */
  unchecked?: UncheckedVoucher[] | undefined;
};

export const link = (id: LinkId, code: ExistenceCode, message: string): Link => ({
  ...{ id, code, message },
  standing: standingOf(code),
});

type VoucherFacts = Omit<Voucher, 'standing' | 'time'> & { readonly timeMs?: number | undefined };

export const voucher = ({ timeMs, ...facts }: VoucherFacts): Voucher => ({
  ...facts,
  standing: standingOf(facts.code),
  time: timeMs === undefined ? undefined : toTime(timeMs),
});

export const toTime = (timeMs: number): string => new Date(timeMs).toISOString();

/** The classes of the styles in which pages and certificates show the results of a verification. */
export const outcomeClasses = { EXISTED: 'VALID', CONTRADICTED: 'INVALID', NOT_SHOWN: 'INDETERMINATE', ERROR: 'ERROR' };
export const standingClasses = { HOLDS: 'PASS', CONTRADICTED: 'FAIL', MISSING: 'INDETERMINATE', DAMAGED: 'ERROR' };
