// Version numbering: gives a new record its position in a version chain, as the first of a new chain or the next
// version of a file. One writer at a time per chain; numbers are never reused; exactly one record is the latest.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import { type FileRow, findFile } from '../files/index.ts';
import { mayContinue } from './policy.ts';
import { findHighestVersion, setChainPosition, setFirstPositions } from './queries.ts';
import { demoteLatest, lockVersionChain } from './version-chain.ts';

export type Owner = { readonly tenantId: Key; readonly ownerId: Key };

export type VersionPosition = {
  readonly version: number;
  readonly versionGroupId: Key;
  readonly parentVersionId: Key | null;
};

/** Throws VERSION_SOURCE_INVALID or VERSION_CONFLICT if this owner cannot continue the file in its current state. */
export async function assertContinuable(db: Db, owner: Owner, targetFileId: Key): Promise<FileRow> {
  const target = await findFile(db, owner.tenantId, targetFileId);
  const rejection = mayContinue(owner, target);
  if (rejection !== null) throw new ApiError(rejection);
  return target as FileRow;
}

/**
 * Call first in the transaction that stores the file (before `markStored`): its first statement locks the chain, so
 * that later reads see the newest state. Idempotent.
 */
export async function appendVersion(
  tx: Tx,
  engine: Engine,
  request: Owner & {
    readonly fileId: Key;
    /** The file to continue, with its chain (which never changes); null starts a chain. */
    readonly target: { readonly fileId: Key; readonly versionGroupId: Key } | null;
  },
): Promise<VersionPosition> {
  const { target, fileId } = request;
  await lockVersionChain(tx, engine, target?.versionGroupId ?? fileId);
  const file = await findFile(tx, request.tenantId, fileId);
  if (!file) throw new Error(`there is no file record ${fileId}`);
  if (file.version_group_id !== null) return toPosition(file);
  if (target === null)
    return setPosition(tx, fileId, { version: 1, version_group_id: fileId, parent_version_id: null });
  const parent = await assertContinuable(tx, request, target.fileId);
  if (parent.version_group_id !== target.versionGroupId)
    throw new Error(
      `file ${target.fileId} is in version chain ${parent.version_group_id} instead of ${target.versionGroupId}`,
    );
  const version = (await findHighestVersion(tx, target.versionGroupId)) + 1;
  // All versions of the chain may have moved to the trash since it was read.
  if (!(await demoteLatest(tx, parent))) throw new ApiError('VERSION_CONFLICT');
  return setPosition(tx, fileId, { version, version_group_id: target.versionGroupId, parent_version_id: parent.id });
}

/** As `appendVersion`, for records that start new chains, which no other transaction can know, so no lock is needed. */
export async function beginChains(tx: Tx, fileIds: readonly Key[]): Promise<ReadonlyMap<Key, VersionPosition>> {
  const rows = fileIds.length === 0 ? [] : await setFirstPositions(tx, fileIds);
  return new Map(rows.map(row => [row.id, toPosition(row)]));
}

export const toPosition = (
  row: Pick<FileRow, 'id' | 'version' | 'version_group_id' | 'parent_version_id'>,
): VersionPosition => ({
  version: row.version,
  versionGroupId: row.version_group_id ?? row.id,
  parentVersionId: row.parent_version_id,
});

async function setPosition(
  tx: Tx,
  fileId: Key,
  chosen: Parameters<typeof setChainPosition>[2],
): Promise<VersionPosition> {
  if (!(await setChainPosition(tx, fileId, chosen)))
    throw new Error(`another request assigned a version to file record ${fileId}`);
  return toPosition({ id: fileId, ...chosen });
}
