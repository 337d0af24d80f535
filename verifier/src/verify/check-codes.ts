// Codes of all checks and their effect on the outcome: the table of docs/spec/verification.md, in the order of the
// report. Ids and codes are stable; the meaning of a code never changes.

export type CodeEffect = 'ERROR' | 'INVALID' | 'INDETERMINATE';

/** Why there is no usable external answer. */
export const lookupFailures = [
  'SCHEME_REFUSED',
  'HOST_NOT_ALLOWED',
  'ADDRESS_REFUSED',
  'NAME_NOT_RESOLVED',
  'CONNECTION_FAILED',
  'TIMED_OUT',
  'REDIRECT_REFUSED',
  'ANSWER_NOT_OK',
  'MEDIA_TYPE_REFUSED',
  'ANSWER_TOO_LARGE',
  'ANSWER_MALFORMED',
  'UNAVAILABLE',
] as const;
export type LookupFailure = (typeof lookupFailures)[number];

type LookupCode<Subject extends string> = `${Subject}_${'UNKNOWN' | LookupFailure}`;

/** The other side does not know it, or gave no usable answer: neutral for the proof. */
const lookupCodes = <const Subject extends string>(subject: Subject) =>
  Object.fromEntries(
    ['UNKNOWN', ...lookupFailures].map(reason => [`${subject}_${reason}`, 'INDETERMINATE']),
  ) as Readonly<Record<LookupCode<Subject>, 'INDETERMINATE'>>;

/** The code of a failed look-up. */
export const toLookupCode = <const Subject extends string>(
  subject: Subject,
  answer: { kind: 'unknown' } | { kind: 'unavailable'; reason: LookupFailure },
): LookupCode<Subject> => `${subject}_${answer.kind === 'unknown' ? 'UNKNOWN' : answer.reason}`;

const jsonCodes = {
  JSON_NOT_UTF8: 'ERROR',
  JSON_SYNTAX: 'ERROR',
  JSON_TRAILING_TOKEN: 'ERROR',
  JSON_DUPLICATE_FIELD: 'ERROR',
  JSON_TOO_DEEP: 'ERROR',
  JSON_STRING_TOO_LONG: 'ERROR',
  JSON_LONE_SURROGATE: 'ERROR',
  JSON_NUMBER_TOO_LONG: 'ERROR',
  JSON_NUMBER_OUT_OF_RANGE: 'ERROR',
  JSON_TOO_MANY_VALUES: 'ERROR',
  JSON_SHAPE: 'ERROR',
  JSON_NOT_CANONICAL: 'ERROR',
} as const;

export const checkCodes = {
  'archive.structure': {
    ARCHIVE_UNREADABLE: 'ERROR',
    ARCHIVE_TOO_LARGE: 'ERROR',
    ARCHIVE_TRUNCATED: 'ERROR',
    ARCHIVE_ENTRY_HEADER: 'ERROR',
    ARCHIVE_ENTRY_TOO_LARGE: 'ERROR',
    ARCHIVE_ENTRY_NAME: 'ERROR',
    ARCHIVE_DIRECTORY: 'ERROR',
    ARCHIVE_END_RECORD: 'ERROR',
    ARCHIVE_TRAILING_BYTES: 'ERROR',
    ARCHIVE_ENTRY_CHECKSUM: 'ERROR',
  },
  'json.manifest.json': jsonCodes,
  'json.chunk-manifest.json': jsonCodes,
  'json.merkle-proof.json': jsonCodes,
  'json.blockchain-receipt.json': jsonCodes,
  'json.verification-policy.json': jsonCodes,
  'manifest.contract': { MANIFEST_CONTRACT: 'INVALID' },
  'manifest.entry-digests': {
    ENTRY_NOT_LISTED: 'INVALID',
    ENTRY_SIZE_MISMATCH: 'INVALID',
    ENTRY_DIGEST_MISMATCH: 'INVALID',
  },
  'policy.contract': { POLICY_CHANGED: 'INVALID' },
  'policy.readme': { README_CHANGED: 'INVALID' },
  'chunks.contract': { CHUNKS_CONTRACT: 'INVALID', MANIFEST_HASH_MISMATCH: 'INVALID' },
  'content.original': {
    ORIGINAL_TOO_LARGE: 'ERROR',
    ORIGINAL_UNREADABLE: 'ERROR',
    CONTENT_HASH_MISMATCH: 'INVALID',
  },
  'content.size': { CONTENT_SIZE_MISMATCH: 'INVALID' },
  'content.file-hash': { FILE_HASH_ENTRY_MISMATCH: 'INVALID', FILE_HASH_MISMATCH: 'INVALID' },
  'content.chunk-hashes': { CHUNK_COUNT_MISMATCH: 'INVALID', CHUNK_HASH_MISMATCH: 'INVALID' },
  'merkle.path': {
    MERKLE_CONTRACT: 'INVALID',
    EVIDENCE_HASH_MISMATCH: 'INVALID',
    LEAF_HASH_MISMATCH: 'INVALID',
    MERKLE_ROOT_MISMATCH: 'INVALID',
  },
  'chain.receipt': { RECEIPT_MISMATCH: 'INVALID' },
  'signature.key': {
    TRUSTED_KEY_UNREADABLE: 'ERROR',
    TRUSTED_KEY_INVALID: 'ERROR',
    TRUSTED_KEY_MISSING: 'INDETERMINATE',
    TRUSTED_KEY_OTHER: 'INDETERMINATE',
    ...lookupCodes('KEY'),
    KEY_IDENTITY_MISMATCH: 'INVALID',
    KEY_FINGERPRINT_MISMATCH: 'INVALID',
    KEY_NOT_IN_USE: 'INVALID',
    KEY_PERIOD_UNKNOWN: 'INDETERMINATE',
  },
  'signature.jws': {
    JWS_MALFORMED: 'ERROR',
    JWS_PAYLOAD_MISMATCH: 'INVALID',
    JWS_CONTRACT: 'INVALID',
    SIGNATURE_NOT_CHECKED: 'INDETERMINATE',
    SIGNATURE_INVALID: 'INVALID',
  },
  'status.current': {
    OFFLINE: 'INDETERMINATE',
    ...lookupCodes('STATUS'),
    STATUS_IDENTITY_MISMATCH: 'INVALID',
    STATUS_REVOKED: 'INVALID',
    STATUS_SUPERSEDED: 'INVALID',
    STATUS_INVALID: 'INVALID',
    STATUS_INCOMPLETE: 'INDETERMINATE',
    ...lookupCodes('LEDGER'),
    STATUS_NOT_ON_LEDGER: 'INDETERMINATE',
    KEY_ENTRY_MISMATCH: 'INVALID',
    KEY_NOT_IN_USE: 'INVALID',
    ISSUE_ENTRY_MISMATCH: 'INVALID',
    STATUS_ENTRY_MISMATCH: 'INVALID',
  },
  'chain.live-root': {
    OFFLINE: 'INDETERMINATE',
    ...lookupCodes('CHAIN'),
    CHAIN_ROOT_MISMATCH: 'INVALID',
    ...lookupCodes('LEDGER'),
    CHAIN_ENTRY_MISMATCH: 'INVALID',
    CHAIN_TIME_MISMATCH: 'INVALID',
    CHAIN_TIME_DISORDER: 'INDETERMINATE',
  },
} as const satisfies Record<string, Readonly<Record<string, CodeEffect>>>;

/** Common to all checks: not run because of another check, or failed because of a bug. */
export const commonCodes = { NOT_RUN: 'INDETERMINATE', CHECK_FAILED: 'ERROR' } as const satisfies Record<
  string,
  CodeEffect
>;

export type CheckId = keyof typeof checkCodes;
export type JsonCheckId = Extract<CheckId, `json.${string}`>;
export const checkIds = Object.keys(checkCodes) as CheckId[];

export type CommonCode = keyof typeof commonCodes;
export type CodeOf<Id extends CheckId> = Id extends CheckId ? keyof (typeof checkCodes)[Id] & string : never;
export type CheckCode = 'OK' | CommonCode | CodeOf<CheckId>;

export type CheckStatus = 'PASS' | 'FAIL' | 'INDETERMINATE' | 'ERROR';

const statusOfVerdict: Readonly<Record<CodeEffect, CheckStatus>> = {
  ERROR: 'ERROR',
  INVALID: 'FAIL',
  INDETERMINATE: 'INDETERMINATE',
};

/** The types reject a code that is not in the table of its check. */
export function statusOf(id: CheckId, code: CheckCode): CheckStatus {
  if (code === 'OK') return 'PASS';
  const verdicts: Readonly<Partial<Record<CheckCode, CodeEffect>>> = { ...commonCodes, ...checkCodes[id] };
  return statusOfVerdict[verdicts[code] ?? 'ERROR'];
}
