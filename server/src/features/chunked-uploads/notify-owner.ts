// Notifications to the owner of an upload: progress and outcome.
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { notify } from '../events/index.ts';
import type { UploadRow } from '../upload-sessions/index.ts';
import { toProgress } from './views.ts';

export async function notifyFailed(tx: Tx, upload: UploadRow, reason: string, now: Time): Promise<void> {
  const payload = { clientId: upload.client_id, fileName: upload.file_name, reason };
  const to = { kind: 'users', userIds: [upload.owner_id] } as const;
  await notify(tx, { tenantId: upload.tenant_id, to, type: 'file-failed', payload }, now);
}

const leastPauseMs = 500;

/**
 * Call after every new chunk, with the number of received ones. Throttled, and only to the owner's open streams:
 * progress is not stored, and can be queried.
 */
export function notifyProgress(
  { hub, underWay, clock }: Pick<Server, 'hub' | 'underWay' | 'clock'>,
  upload: UploadRow,
  received: number,
): void {
  const now = clock.now();
  const { reportedAt } = underWay;
  const isLast = received >= upload.total_chunks;
  const last = reportedAt.get(upload.staging);
  if (!isLast && last !== undefined && now - last < leastPauseMs) return;
  if (isLast) reportedAt.forget(upload.staging);
  else reportedAt.set(upload.staging, now);
  hub.notifyNow({ tenantId: upload.tenant_id, userId: upload.owner_id }, 'upload-progress', {
    clientId: upload.client_id,
    status: upload.status,
    progress: toProgress({ ...upload, received_chunks: received }).progress,
    uploadedChunkCount: received,
    totalChunks: upload.total_chunks,
  });
}
