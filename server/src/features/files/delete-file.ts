// Deletes a file for its owner or for an administrator: at once for everybody who looks, for good after the retention time.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { fileStatus } from '@recordproof/shared/api/files.ts';
import type { Call, Party } from '../../platform/call.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { revokeGiftsOf } from '../envelopes/index.ts';
import { releaseObjects } from '../stored-objects/index.ts';
import { type FileRow, findFile, findFileByHash, listExpiring, updateFile } from './queries.ts';
import { giveBack } from './quota.ts';
import { lockVersionChain, promoteAncestor } from './version-chain.ts';

/** Whose files may be deleted: without an owner, those of everybody in the tenant. */
type DeletionScope = { readonly tenantId: Key; readonly ownerId?: Key | undefined };

type Deletion = {
  readonly scope: DeletionScope;
  readonly fileHash: string;
  readonly reason?: string | undefined;
};

export async function deleteFile(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call<Party>,
  { scope, fileHash, reason }: Deletion,
): Promise<FileRow> {
  const { tenantId, ownerId } = scope;
  const seen = await findFileByHash(database.db, tenantId, fileHash);
  if (seen === null || (ownerId !== undefined && seen.owner_id !== ownerId)) throw new ApiError('FILE_NOT_EXIST');
  return database.db.transaction().execute(async tx => {
    await lockVersionChain(tx, database.kind, seen.version_group_id ?? seen.id);
    const file = await findFile(tx, tenantId, seen.id);
    if (file?.status !== fileStatus.SUCCESS) throw new ApiError('FILE_NOT_EXIST');
    const deleted = await markDeleted(tx, database.kind, file, clock.now());
    const isForced = file.owner_id !== call.actor.userId;
    await recordAudit(
      tx,
      call,
      clock.now(),
      isForced ? 'files.force-delete' : 'files.delete',
      `file ${file.file_name} deleted${isForced ? ' by an administrator' : ''}`,
      {
        fileId: file.id,
        fileHash,
        version: file.version,
        ...(isForced && { ownerId: file.owner_id }),
        ...(reason !== undefined && { reason }),
      },
    );
    return deleted;
  });
}

/** In a transaction that holds the lock of the chain, on a live file. Nobody it was given to can open it any more. */
export async function markDeleted(tx: Tx, engine: Engine, file: FileRow, now: number): Promise<FileRow> {
  const wasLatest = file.is_latest === 1;
  const deleted = await updateFile(tx, file, { status: fileStatus.DELETE, is_latest: 0, deleted_at: now });
  if (deleted === null) throw new Error(`file ${file.id} has changed under the lock of its chain`);
  const hasHeir = wasLatest && (await promoteAncestor(tx, file));
  const latestFiles = wasLatest && !hasHeir ? 1 : 0;
  const owner = { tenantId: file.tenant_id, ownerId: file.owner_id };
  await giveBack(tx, { ...owner, files: 1, bytes: file.file_size, latestFiles });
  await revokeGiftsOf(tx, engine, { tenantId: file.tenant_id, fileId: file.id }, now);
  return deleted;
}

export const expiryJobKind = 'files.expire';
const batch = 100;
const dayMs = 24 * 3600 * 1000;

/** Gives up the stored bytes of files that were deleted long enough ago. Their records stay as evidence. */
export const expireDeletedFiles = ({
  database,
  clock,
  config,
}: Pick<Server, 'database' | 'clock' | 'config'>): JobHandler => ({
  kind: expiryJobKind,
  leaseSeconds: 120,
  maxAttempts: 20,
  backoffSeconds: exponentialBackoff(10, 600),
  run: async job => {
    for (;;) {
      const files = await listExpiring(database.db, clock.now() - config.files.retentionDays * dayMs, batch);
      for (const file of files) {
        job.signal.throwIfAborted();
        await database.db.transaction().execute(async tx => {
          if ((await updateFile(tx, file, { objects_released_at: clock.now() })) === null) return;
          await releaseObjects(tx, database.kind, { tenantId: file.tenant_id, holder: holderOf(file) }, clock.now());
        });
      }
      if (files.length < batch) return;
      await job.keepLease();
    }
  },
});

/** How a file record holds its stored objects. */
export const holderOf = (file: Pick<FileRow, 'id'>): string => `file:${file.id}`;

/** Null where the holder is something else than a file. */
export function fileIdOf(holder: string): Key | null {
  const [, id] = /^file:(\d+)$/.exec(holder) ?? [];
  return id === undefined ? null : Number(id);
}
