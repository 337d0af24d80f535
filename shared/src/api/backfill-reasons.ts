// The reasons of backfill verdicts, and the class of each. The names are stable; docs/guide/backfill.md explains each.

export const backfillClassifications = [
  'ALREADY_MANIFEST',
  'BACKFILLABLE',
  'REUPLOAD_REQUIRED',
  'UNRECOVERABLE',
  'FAILED',
  'IGNORED',
] as const;
export type BackfillClassification = (typeof backfillClassifications)[number];

const classes = {
  ACTIVE_MANIFEST: 'ALREADY_MANIFEST',
  CONTENT_PROVEN: 'BACKFILLABLE',
  MANIFEST_ROW_LOST: 'REUPLOAD_REQUIRED',
  LAYOUT_MISSING: 'REUPLOAD_REQUIRED',
  ENCRYPTION_UNKNOWN: 'REUPLOAD_REQUIRED',
  CHUNK_DUPLICATE: 'REUPLOAD_REQUIRED',
  CHUNK_GAP: 'REUPLOAD_REQUIRED',
  SIZE_MISMATCH: 'REUPLOAD_REQUIRED',
  CHUNK_SIZE_UNEVEN: 'REUPLOAD_REQUIRED',
  OBJECT_NOTED_OTHERWISE: 'REUPLOAD_REQUIRED',
  OBJECT_MISSING: 'REUPLOAD_REQUIRED',
  OBJECT_UNREADABLE: 'REUPLOAD_REQUIRED',
  OBJECT_SIZE_MISMATCH: 'REUPLOAD_REQUIRED',
  CHUNK_HASH_MISMATCH: 'REUPLOAD_REQUIRED',
  CONTENT_HASH_MISMATCH: 'REUPLOAD_REQUIRED',
  OBJECTS_GONE: 'UNRECOVERABLE',
  CHAIN_CONFLICT: 'UNRECOVERABLE',
  FILE_DELETED: 'IGNORED',
  FILE_NOT_STORED: 'IGNORED',
  STORE_UNAVAILABLE: 'FAILED',
  CHAIN_UNAVAILABLE: 'FAILED',
  WORKER_LOST: 'FAILED',
  WORKER_ERROR: 'FAILED',
  EVIDENCE_DIGEST_CHANGED: 'FAILED',
} as const satisfies Record<string, BackfillClassification>;

export type BackfillReason = keyof typeof classes;
export const backfillReasons = Object.keys(classes) as [BackfillReason, ...BackfillReason[]];
export const classOf = (reason: BackfillReason): BackfillClassification => classes[reason];

/** Failures that may be temporary. */
export const isWorthRetrying = (reason: BackfillReason): boolean =>
  classes[reason] === 'FAILED' && reason !== 'EVIDENCE_DIGEST_CHANGED';
