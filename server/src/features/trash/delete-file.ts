// File deletion by the owner or an administrator: hidden at once, purged after the retention period.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { fileStatus } from '@recordproof/shared/api/files.ts';
import type { Call, Party } from '../../platform/call.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { revokeGiftsOf } from '../envelopes/index.ts';
import { chainOf, type FileRow, findFile, findFileByHash, holderOf, updateFile } from '../files/index.ts';
import { addUsageUnchecked } from '../quotas/index.ts';
import { releaseObjects } from '../stored-objects/index.ts';
import { lockVersionChain, promotePrevious } from '../versions/index.ts';
import { listExpiring } from './queries.ts';
import { trashStates, usageOfPurging, usageOfTrashing } from './trash-usage.ts';

/** The deletable files: without an owner, all of the tenant. */
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
  const found = await findFileByHash(database.db, tenantId, fileHash);
  if (found === null || (ownerId !== undefined && found.owner_id !== ownerId)) throw new ApiError('FILE_NOT_EXIST');
  return database.db.transaction().execute(async tx => {
    await lockVersionChain(tx, database.kind, chainOf(found));
    const file = await findFile(tx, tenantId, found.id);
    if (file?.status !== fileStatus.SUCCESS) throw new ApiError('FILE_NOT_EXIST');
    const isForced = file.owner_id !== call.actor.userId;
    const deleted = await markDeleted(tx, database.kind, file, { now: clock.now(), toTrash: !isForced });
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

type Deleting = { readonly now: Time; readonly toTrash: boolean };

/** For a live file, in a transaction that locks the version chain. Revokes all access given to others. */
async function markDeleted(tx: Tx, engine: Engine, file: FileRow, { now, toTrash }: Deleting): Promise<FileRow> {
  const wasLatest = file.is_latest === 1;
  const change = { status: fileStatus.DELETE, is_latest: 0, deleted_at: now, trash: toTrash ? trashStates.LISTED : 0 };
  const deleted = await updateFile(tx, file, change);
  if (deleted === null) throw new ApiError('FILE_NOT_EXIST'); // its whole version chain was deleted meanwhile
  const hasHeir = wasLatest && (await promotePrevious(tx, file));
  const latestFiles = wasLatest && !hasHeir ? -1 : 0;
  const owner = { tenantId: file.tenant_id, ownerId: file.owner_id };
  await addUsageUnchecked(tx, [
    { ...owner, files: -1, bytes: -file.file_size, latestFiles, ...(toTrash && usageOfTrashing(file)) },
  ]);
  await revokeGiftsOf(tx, engine, { tenantId: file.tenant_id, fileIds: [file.id] }, now);
  return deleted;
}

export const expiryJobKind = 'files.expire';
const batch = 100;
const dayMs = 24 * 3600 * 1000;

/** Purges the stored bytes of files after their retention period. Their records stay as evidence. */
export const expireDeletedFiles = ({
  database,
  clock,
  config,
  hooks,
}: Pick<Server, 'database' | 'clock' | 'config' | 'hooks'>): JobHandler => ({
  kind: expiryJobKind,
  leaseSeconds: 120,
  maxAttempts: 20,
  backoffSeconds: exponentialBackoff(10, 600),
  run: async job => {
    for (;;) {
      const files = await listExpiring(database.db, clock.now() - config.files.retentionDays * dayMs, batch);
      for (const file of files) {
        job.signal.throwIfAborted();
        await database.db.transaction().execute(tx => purgeFile(tx, { database, hooks }, file, clock.now()));
      }
      if (files.length < batch) return;
      await job.keepLease();
    }
  },
});

/** Purges the stored bytes of a deleted file; returns false if they were purged already, or the file was restored. */
export async function purgeFile(
  tx: Tx,
  { database, hooks }: Pick<Server, 'database' | 'hooks'>,
  file: FileRow,
  now: Time,
): Promise<boolean> {
  const purged = await updateFile(tx, file, { objects_released_at: now });
  if (purged === null) return false;
  if (purged.trash !== 0) await addUsageUnchecked(tx, [usageOfPurging(purged)]);
  await releaseObjects(tx, database.kind, { tenantId: file.tenant_id, holder: holderOf(file) }, now);
  for (const follow of hooks.of('filePurged')) await follow(tx, purged);
  return true;
}
