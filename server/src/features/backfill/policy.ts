// Statuses of runs and items, and the verdicts that need no access to a record's objects. Pure.

import type { BackfillItemStatus, BackfillMode, BackfillRunStatus } from '@recordproof/shared/api/backfill.ts';
import { type BackfillReason, classOf, isWorthRetrying } from '@recordproof/shared/api/backfill-reasons.ts';
import { fileStatus } from '@recordproof/shared/api/files.ts';
import { plannedSize } from '@recordproof/shared/evidence/chunk-manifest.ts';
import { plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import type { FileRow } from '../files/index.ts';
import type { ItemRow } from './item-queries.ts';
import type { ChunkRow, SourceRow } from './source-queries.ts';

export const workingStatus = (mode: BackfillMode): BackfillRunStatus => (mode === 'APPLY' ? 'APPLYING' : 'SCANNING');
export const finalStatus = (mode: BackfillMode): BackfillRunStatus =>
  mode === 'SCAN' ? 'SNAPSHOT_READY' : 'COMPLETED';

export const isRetryable = ({ status, reason, due_at }: ItemRow): boolean =>
  status === 'FAILED' && due_at === null && reason !== null && isWorthRetrying(reason);

const firstPauseSeconds = 5;
/** Doubles with each failed attempt. */
export const pauseAfter = (attempts: number): number => firstPauseSeconds * 1000 * 2 ** (attempts - 1);

/** The status of an examined item. Items that can be backfilled wait for an APPLY run. */
export function statusFor(reason: BackfillReason): BackfillItemStatus {
  const classification = classOf(reason);
  if (classification === 'BACKFILLABLE') return 'PENDING';
  return classification === 'ALREADY_MANIFEST' ? 'IGNORED' : classification;
}

export type Subject = {
  readonly file: FileRow;
  /** Of its active manifest. */
  readonly manifestHash: string | null;
  readonly source: SourceRow | null;
};

/** Returns null if its objects have to be examined. */
export function findRecordReason({ file, manifestHash, source }: Subject): BackfillReason | null {
  if (file.status === fileStatus.DELETE) return 'FILE_DELETED';
  if (file.status !== fileStatus.SUCCESS) return 'FILE_NOT_STORED';
  if (manifestHash !== null) return 'ACTIVE_MANIFEST';
  if (file.manifest_hash !== null) return 'MANIFEST_ROW_LOST';
  if (source === null) return 'LAYOUT_MISSING';
  return source.encryption === plainSuite ? null : 'ENCRYPTION_UNKNOWN';
}

/** Returns null if the chunks, by index, are contiguous, evenly sized and add up to the file's length. */
export function findLayoutReason(file: FileRow, source: SourceRow, chunks: readonly ChunkRow[]): BackfillReason | null {
  if (chunks.length === 0) return 'LAYOUT_MISSING';
  if (new Set(chunks.map(chunk => chunk.chunk_index)).size < chunks.length) return 'CHUNK_DUPLICATE';
  if (chunks.some(chunk => chunk.chunk_index >= chunks.length)) return 'CHUNK_GAP';
  if (chunks.reduce((sum, { size }) => sum + size, 0) !== file.file_size) return 'SIZE_MISMATCH';
  const plan = { chunkSize: source.chunk_size, totalSize: file.file_size };
  const isEven = chunks.every(({ chunk_index, size }) => size === plannedSize(plan, chunk_index));
  return isEven ? null : 'CHUNK_SIZE_UNEVEN';
}
