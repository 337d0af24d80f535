import type { Tx } from '../../platform/db/tables.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { UploadRow } from './queries.ts';

export const cleanJobKind = 'uploads.clean';

const hourMs = 3600_000;

/**
 * Recorded staged objects are deleted at once. A server that was writing a chunk when the upload ended may have crashed
 * before recording or deleting it, and presigned URLs outlive their upload: when the last has expired, the upload's
 * prefix in the store is listed as well. For an `idle` upload without writers it is also listed at once.
 */
export async function enqueueCleaning(
  tx: Tx,
  upload: UploadRow,
  now: number,
  urlHours: number,
  { isIdle = false }: { readonly isIdle?: boolean } = {},
): Promise<void> {
  const kind = cleanJobKind;
  const uploadId = upload.id;
  const runAt = now + (urlHours + 1) * hourMs;
  await enqueue(tx, { kind, payload: { uploadId, unnoted: true }, uniqueKey: `late:${uploadId}`, runAt }, now);
  const payload = isIdle ? { uploadId, unnoted: true } : { uploadId };
  await enqueue(tx, { kind, payload, uniqueKey: `upload:${uploadId}` }, now);
}
