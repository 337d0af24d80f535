// Takes a deletion back while the bytes are still held. Shares and friend shares of the file stay ended: what was given by
// them has to be given again.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { fileStatus } from '@recordproof/shared/api/files.ts';
import type { Call } from '../../platform/call.ts';
import { isTaken } from '../../platform/db/is-taken.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { type FileRow, findFile, updateFile } from './queries.ts';
import { useUp } from './quota.ts';
import { dethrone, findLatestVersion, lockVersionChain } from './version-chain.ts';

type Restoring = Pick<Server, 'database' | 'clock' | 'config' | 'log'>;

type Restoration = { readonly tenantId: Key; readonly fileId: Key; readonly reason: string | undefined };

/** The commit throws QUOTA_EXCEEDED in mode ENFORCE. */
export async function restoreFile(
  server: Restoring,
  call: Call,
  { tenantId, fileId, reason }: Restoration,
): Promise<FileRow> {
  const { database, clock } = server;
  const seen = await findFile(database.db, tenantId, fileId);
  if (seen === null) throw new ApiError('FILE_NOT_EXIST');
  return database.db.transaction().execute(async tx => {
    await lockVersionChain(tx, database.kind, seen.version_group_id ?? seen.id);
    const file = await findFile(tx, tenantId, fileId);
    if (file?.status !== fileStatus.DELETE) throw new ApiError('CONFLICT', 'this file is not deleted');
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

async function bringBack({ config, log }: Restoring, tx: Tx, file: FileRow): Promise<FileRow> {
  if (file.objects_released_at !== null)
    throw new ApiError('CONFLICT', 'the stored bytes of this file were given up when its retention time was over');
  const latest = await findLatestVersion(tx, file);
  const isLatest = latest === null || latest.version < file.version;
  if (isLatest && latest !== null) await dethrone(tx, latest);
  const restored = await markRestored(tx, file, isLatest);
  const use = { tenantId: file.tenant_id, ownerId: file.owner_id, files: 1, bytes: file.file_size };
  await useUp(tx, config.quota, [{ ...use, latestFiles: latest === null ? 1 : 0 }], ({ sentence, ...whose }) =>
    log.warn(whose, sentence),
  );
  return restored;
}

async function markRestored(tx: Tx, file: FileRow, isLatest: boolean): Promise<FileRow> {
  const change = { status: fileStatus.SUCCESS, is_latest: isLatest ? 1 : 0, deleted_at: null };
  try {
    const restored = await updateFile(tx, file, change);
    if (restored === null) throw new ApiError('CONFLICT', 'this file is being changed by somebody else; look again');
    return restored;
  } catch (error) {
    if (!isTaken(error)) throw error;
    throw new ApiError('CONFLICT', 'its owner has saved another copy of the same file meanwhile', { cause: error });
  }
}
