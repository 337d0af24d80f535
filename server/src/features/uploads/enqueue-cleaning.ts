import type { Tx } from '../../platform/db/tables.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { UploadRow } from './queries.ts';

export const cleanJobKind = 'uploads.clean';

const hourMs = 3600_000;

/**
 * What is noted as staged goes at once. Whoever was writing a chunk when the upload ended may have died before it could
 * note it or take it away, and signed addresses outlive their upload: when the last has expired, the store itself is
 * looked through. Nobody has been writing for an `idle` one: its place in the store is looked through at once as well.
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
