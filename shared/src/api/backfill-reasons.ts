// Every reason that a backfill gives for what it thinks of a record: the class it belongs to, and what it means for people.
// The names are promises; docs/guide/backfill.md lists them.

export const backfillClassifications = [
  'ALREADY_MANIFEST',
  'BACKFILLABLE',
  'REUPLOAD_REQUIRED',
  'UNRECOVERABLE',
  'FAILED',
  'IGNORED',
] as const;
export type BackfillClassification = (typeof backfillClassifications)[number];

type Meaning = { readonly classification: BackfillClassification; readonly text: string };

const meanings = {
  ACTIVE_MANIFEST: { classification: 'ALREADY_MANIFEST', text: 'it has an active manifest' },
  CONTENT_PROVEN: { classification: 'BACKFILLABLE', text: 'every byte was read and is what the record says' },

  MANIFEST_ROW_LOST: {
    classification: 'REUPLOAD_REQUIRED',
    text: 'it once had a manifest whose row is gone; restore it from a backup of the database',
  },
  LAYOUT_MISSING: { classification: 'REUPLOAD_REQUIRED', text: 'nothing says which objects it consists of' },
  ENCRYPTION_UNKNOWN: {
    classification: 'REUPLOAD_REQUIRED',
    text: 'it was encrypted by another system, whose key is not here',
  },
  CHUNK_DUPLICATE: { classification: 'REUPLOAD_REQUIRED', text: 'two chunks claim the same place' },
  CHUNK_GAP: { classification: 'REUPLOAD_REQUIRED', text: 'a chunk between the others is not listed' },
  SIZE_MISMATCH: { classification: 'REUPLOAD_REQUIRED', text: 'its chunks together are not as long as the file' },
  CHUNK_SIZE_UNEVEN: {
    classification: 'REUPLOAD_REQUIRED',
    text: 'its chunks are not all of the same size but the last, which a manifest cannot say',
  },
  OBJECT_NOTED_OTHERWISE: {
    classification: 'REUPLOAD_REQUIRED',
    text: 'an object lies where something else is noted, or is about to be deleted',
  },
  OBJECT_MISSING: { classification: 'REUPLOAD_REQUIRED', text: 'one of its objects is not in the store' },
  OBJECT_UNREADABLE: { classification: 'REUPLOAD_REQUIRED', text: 'the store calls one of its objects damaged' },
  OBJECT_SIZE_MISMATCH: { classification: 'REUPLOAD_REQUIRED', text: 'an object is longer or shorter than listed' },
  CHUNK_HASH_MISMATCH: { classification: 'REUPLOAD_REQUIRED', text: 'an object has other bytes than listed' },
  CONTENT_HASH_MISMATCH: {
    classification: 'REUPLOAD_REQUIRED',
    text: 'its objects in their order are not the file that was recorded',
  },

  OBJECTS_GONE: { classification: 'UNRECOVERABLE', text: 'none of its objects is in the store' },
  CHAIN_CONFLICT: {
    classification: 'UNRECOVERABLE',
    text: 'the chain holds another manifest under its record id for ever',
  },

  FILE_DELETED: { classification: 'IGNORED', text: 'it was deleted' },
  FILE_NOT_STORED: { classification: 'IGNORED', text: 'its upload never came to an end' },

  STORE_UNAVAILABLE: { classification: 'FAILED', text: 'the object store could not be asked' },
  CHAIN_UNAVAILABLE: { classification: 'FAILED', text: 'the chain could not be asked' },
  WORKER_LOST: { classification: 'FAILED', text: 'the servers that worked on it ended before they were done' },
  WORKER_ERROR: { classification: 'FAILED', text: 'something unforeseen happened; the log of the server tells what' },
  EVIDENCE_DIGEST_CHANGED: {
    classification: 'FAILED',
    text: 'it is not as it was when the snapshot was taken; scan again',
  },
} as const satisfies Record<string, Meaning>;

export type BackfillReason = keyof typeof meanings;
export const backfillReasons = Object.keys(meanings) as [BackfillReason, ...BackfillReason[]];
export const meaningOf = (reason: BackfillReason): Meaning => meanings[reason];

/** Those of the failures that may go away by themselves. */
export const isWorthRetrying = (reason: BackfillReason): boolean =>
  meanings[reason].classification === 'FAILED' && reason !== 'EVIDENCE_DIGEST_CHANGED';
