// Restoring a deleted file while its bytes are kept. Ended shares and friend shares of the file stay ended and have to
// be created again.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { fileStatus } from '@recordproof/shared/api/files.ts';
import type { Call } from '../../platform/call.ts';
import { isTaken } from '../../platform/db/database-errors.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import type { Owner } from '../../platform/http/caller.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { chainOf, ensureFolders, type FileRow, findFile, foldFileName, updateFile } from '../files/index.ts';
import { addUsage, addUsageUnchecked } from '../quotas/index.ts';
import { demoteLatest, findLatestVersion, lockVersionChain } from '../versions/index.ts';
import { listWithNewer } from './queries.ts';
import { trashStates, usageOfLeavingTrash } from './trash-usage.ts';

export type Restoring = Pick<Server, 'database' | 'clock' | 'config' | 'log' | 'hooks'>;

type Restoration = { readonly tenantId: Key; readonly fileId: Key; readonly reason: string | undefined };

/** The commit throws QUOTA_EXCEEDED in mode ENFORCE. */
export async function restoreFile(
  server: Restoring,
  call: Call,
  { tenantId, fileId, reason }: Restoration,
): Promise<FileRow> {
  const { database, clock } = server;
  const found = await findFile(database.db, tenantId, fileId);
  if (found === null) throw new ApiError('FILE_NOT_EXIST');
  return database.db.transaction().execute(async tx => {
    await lockVersionChain(tx, database.kind, chainOf(found));
    const file = await findFile(tx, tenantId, fileId);
    if (file?.status !== fileStatus.DELETE) throw new ApiError('CONFLICT', `file ${fileId} is not deleted`);
    await endSharing(server, tx, { tenantId, ownerId: file.owner_id }, [file]);
    const restored = await bringBack(server, tx, file);
    await recordAudit(tx, call, clock.now(), 'files.restore', `file ${file.file_name} restored by an administrator`, {
      fileId,
      fileHash: file.file_hash,
      ownerId: file.owner_id,
      reason: reason ?? null,
    });
    return restored;
  });
}

const isListed = ({ trash }: FileRow): boolean => trash === trashStates.LISTED;

/**
 * What was shared before the files were deleted stays ended. For all files at once, after the locks of their version
 * chains and before any other, so that the shares are searched once and locked in one order.
 */
export async function endSharing(
  { hooks }: Pick<Server, 'hooks'>,
  tx: Tx,
  owner: Owner,
  files: readonly FileRow[],
): Promise<void> {
  const all = [...files, ...(await listWithNewer(tx, owner, files.filter(isListed)))];
  for (const forget of hooks.of('filesRestored')) await forget(tx, all);
}

/** In a transaction that locks the version chain, after `endSharing`; includes older versions deleted with it. */
export async function bringBack(
  { database, config, log, clock }: Restoring,
  tx: Tx,
  file: FileRow,
  fileName: string = file.file_name,
): Promise<FileRow> {
  if (file.objects_released_at !== null)
    throw new ApiError('CONFLICT', 'the stored bytes of this file were purged after its retention time');
  const owner = { tenantId: file.tenant_id, ownerId: file.owner_id };
  const older = await listWithNewer(tx, owner, [file].filter(isListed));
  const latest = await findLatestVersion(tx, file);
  const isLatest = latest === null || latest.version < file.version;
  if (isLatest && latest !== null) await demoteLatest(tx, latest);
  const restored = await markRestored(tx, file, { isLatest, fileName });
  for (const version of older) await markRestored(tx, version, { isLatest: false, fileName: version.file_name });
  await ensureFolders(tx, database.kind, [{ ...owner, path: file.path ?? '' }], clock.now());
  const uses = [file, ...older].map(({ file_size: bytes, trash }) => ({
    ...{ ...owner, files: 1, bytes, latestFiles: 0 },
    ...(trash !== trashStates.NONE && usageOfLeavingTrash({ file_size: bytes })),
  }));
  await addUsageUnchecked(tx, [{ ...owner, files: 0, bytes: 0, latestFiles: latest === null ? 1 : 0 }]);
  // A file in the trash is already counted by the quota.
  if (file.trash !== trashStates.NONE) await addUsageUnchecked(tx, uses);
  else await addUsage(tx, config.quota, uses, log);
  return restored;
}

async function markRestored(
  tx: Tx,
  file: FileRow,
  { isLatest, fileName }: { readonly isLatest: boolean; readonly fileName: string },
): Promise<FileRow> {
  const name = { file_name: fileName, name_folded: foldFileName(fileName) };
  const state = { status: fileStatus.SUCCESS, is_latest: isLatest ? 1 : 0, deleted_at: null, trash: trashStates.NONE };
  try {
    const restored = await updateFile(tx, file, { ...name, ...state });
    if (restored === null) throw new ApiError('CONFLICT', 'another request is changing this file; load it again');
    return restored;
  } catch (error) {
    if (!isTaken(error)) throw error;
    throw new ApiError('CONFLICT', 'the owner has saved another copy of the same file in the meantime', {
      cause: error,
    });
  }
}
