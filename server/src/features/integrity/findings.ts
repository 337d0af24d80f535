// Types of findings on a stored file, their severity, and advice for operators.
import type { AlertSeverity, AlertType, FoundType } from '@recordproof/shared/api/integrity.ts';

export type Finding = {
  readonly alertType: FoundType;
  /** Always of bounded size. */
  readonly evidence: Readonly<Record<string, string | number | null>>;
  readonly actualHash?: string;
  readonly chainHash?: string;
};

export const severityOf = (type: FoundType): AlertSeverity =>
  type === 'MANIFEST_MISSING' ? 'WARNING' : type === 'CHAIN_NOT_FOUND' ? 'ERROR' : 'CRITICAL';

/** Repaired by intact objects. */
export const objectTypes: readonly AlertType[] = [
  'OBJECT_NOT_FOUND',
  'METADATA_MISMATCH',
  'CONTENT_HASH_MISMATCH',
  'HASH_MISMATCH',
  'FILE_NOT_FOUND',
];

const objectHint =
  'Repair it: from another record of the same content, or from a backup (recordproof admin integrity repair ALERT [--from FOLDER]). Then check the disk or the bucket that holds the objects.';
const manifestHint =
  'The manifest, the key and the proof of a file are rows of the database: restore them from a backup of the database, then check the file again. Do not write a new manifest, the old hash is on the chain.';
const chainHint =
  'The chain does not say what the file’s record says. Check the ledger (recordproof-server ledger verify, or the contract’s node), and compare the database with a backup.';

const hints: Readonly<Record<AlertType, string>> = {
  MANIFEST_MISSING:
    'Nothing tells what the file consists of. Restore the row of its manifest from a backup of the database, or take older records in with a backfill; else ask the owner to upload the file again.',
  MANIFEST_INVALID: manifestHint,
  OBJECT_NOT_FOUND: objectHint,
  METADATA_MISMATCH: objectHint,
  CONTENT_HASH_MISMATCH: objectHint,
  HASH_MISMATCH: objectHint,
  FILE_NOT_FOUND: objectHint,
  CHAIN_MISMATCH: chainHint,
  CHAIN_NOT_FOUND: chainHint,
};

export const hintFor = (type: AlertType): string => hints[type];
