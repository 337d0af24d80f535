import type { Tx } from '../../platform/db/tables.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { UploadRow } from './queries.ts';

export const cleanJobKind = 'uploads.clean';

const hourMs = 3600_000;

/**
 * Whoever was writing a chunk when the upload ended may have died before it could take it away, and signed addresses
 * outlive their upload: a second look comes when the last has expired.
 */
export async function enqueueCleaning(tx: Tx, upload: UploadRow, now: number, urlHours: number): Promise<void> {
  const payload = { uploadId: upload.id };
  const runAt = now + (urlHours + 1) * hourMs;
  await enqueue(tx, { kind: cleanJobKind, payload, uniqueKey: `late:${upload.id}`, runAt }, now);
  await enqueue(tx, { kind: cleanJobKind, payload, uniqueKey: `upload:${upload.id}` }, now);
}
