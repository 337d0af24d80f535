// What the owner of an upload is told: how far it has come, and how it ended.
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { notify } from '../events/index.ts';
import type { UploadRow } from './queries.ts';
import { toProgress } from './views.ts';

export async function tellFailed(tx: Tx, upload: UploadRow, reason: string, now: Time): Promise<void> {
  const payload = { clientId: upload.client_id, fileName: upload.file_name, reason };
  await notify(tx, { ...toOwner(upload), type: 'file-failed', payload }, now);
}

const toOwner = (upload: UploadRow) => ({
  tenantId: upload.tenant_id,
  to: { kind: 'users', userIds: [upload.owner_id] } as const,
});

const leastPauseMs = 500;

/**
 * Call after every new chunk, with the number of those that are there. Tells the owner's open streams seldom enough to
 * cost nothing, and nobody else: progress is worth nothing later, and whoever wants to be sure asks for it.
 */
export function tellProgress(
  { hub, underWay, clock }: Pick<Server, 'hub' | 'underWay' | 'clock'>,
  upload: UploadRow,
  received: number,
): void {
  const now = clock.now();
  const { toldAt } = underWay;
  const isLast = received >= upload.total_chunks;
  const last = toldAt.get(upload.staging);
  if (!isLast && last !== undefined && now - last < leastPauseMs) return;
  if (isLast) toldAt.forget(upload.staging);
  else toldAt.set(upload.staging, now);
  hub.tellNow({ tenantId: upload.tenant_id, userId: upload.owner_id }, 'upload-progress', {
    clientId: upload.client_id,
    status: upload.status,
    progress: toProgress({ ...upload, received_chunks: received }).progress,
    uploadedChunkCount: received,
    totalChunks: upload.total_chunks,
  });
}
