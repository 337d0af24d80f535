// What the owner of an upload is told: how far it has come, and how it ended.
import type { Clock } from '../../platform/clock.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { notify, type TellNow } from '../events/index.ts';
import type { FileRow } from '../files/index.ts';
import type { UploadRow } from './queries.ts';
import { toProgress } from './views.ts';

type Stored = { readonly file: FileRow; readonly version: number; readonly transactionHash: string };

export async function tellStored(tx: Tx, upload: UploadRow, stored: Stored, now: Time): Promise<void> {
  const { file, version, transactionHash } = stored;
  const payload = { fileId: toWireId(file.id), fileName: upload.file_name, fileHash: file.file_hash };
  await notify(
    tx,
    { ...toOwner(upload), type: 'file-recorded', payload: { ...payload, version, transactionHash } },
    now,
  );
}

export async function tellFailed(tx: Tx, upload: UploadRow, reason: string, now: Time): Promise<void> {
  const payload = { clientId: upload.client_id, fileName: upload.file_name, reason };
  await notify(tx, { ...toOwner(upload), type: 'file-failed', payload }, now);
}

const toOwner = (upload: UploadRow) => ({
  tenantId: upload.tenant_id,
  to: { kind: 'users', userIds: [upload.owner_id] } as const,
});

const leastPauseMs = 500;
const uploadsRemembered = 10_000;

/**
 * Called after every new chunk, with the number of those that are there. Tells the owner's open streams seldom enough to
 * cost nothing, and nobody else: progress is worth nothing later, and whoever wants to be sure asks for it.
 */
export type TellProgress = (upload: UploadRow, received: number) => void;

export function openTellProgress(tellNow: TellNow, clock: Clock): TellProgress {
  /** The last word of each upload, oldest first. */
  const toldAt = new Map<Key, Time>();
  return (upload, received) => {
    const now = clock.now();
    const isLast = received >= upload.total_chunks;
    const last = toldAt.get(upload.id);
    if (!isLast && last !== undefined && now - last < leastPauseMs) return;
    toldAt.delete(upload.id);
    if (!isLast) toldAt.set(upload.id, now);
    const oldest = toldAt.size > uploadsRemembered ? toldAt.keys().next().value : undefined;
    if (oldest !== undefined) toldAt.delete(oldest);
    tellNow({ tenantId: upload.tenant_id, userId: upload.owner_id }, 'upload-progress', {
      clientId: upload.client_id,
      status: upload.status,
      progress: toProgress({ ...upload, received_chunks: received }).progress,
      uploadedChunkCount: received,
      totalChunks: upload.total_chunks,
    });
  };
}
