// Version numbering: gives a new record its position in a version chain, as the first of a new chain or the next
// version of a file. One writer at a time per chain; numbers are never reused; exactly one record is the latest.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import type { Owner } from '../../platform/http/caller.ts';
import { toKey } from '../../platform/ids.ts';
import { chainOf, type FileRow, findFile } from '../files/index.ts';
import { mayContinue } from './policy.ts';
import { demoteLatest, findHighestVersion, lockVersionChain, setChainPosition, setFirstPositions } from './queries.ts';

export type VersionPosition = {
  readonly version: number;
  readonly versionGroupId: Key;
  readonly parentVersionId: Key | null;
};

/** Throws VERSION_SOURCE_INVALID or VERSION_CONFLICT if this owner cannot continue the file in its current state. */
async function assertContinuable(db: Db, owner: Owner, targetFileId: Key): Promise<FileRow> {
  const target = await findFile(db, owner.tenantId, targetFileId);
  const rejection = mayContinue(owner, target);
  if (rejection !== null) throw new ApiError(rejection);
  return target as FileRow;
}

/** The file to be continued, if the request names one. */
export const findContinued = async (db: Db, owner: Owner, wireId: string | undefined): Promise<FileRow | null> =>
  wireId === undefined ? null : assertContinuable(db, owner, toKey(wireId));

/**
 * Call first in the transaction that stores the file (before `markStored`): its first statement locks the chain, so
 * that later reads see the newest state. Idempotent.
 */
export async function appendVersion(
  tx: Tx,
  engine: Engine,
  request: Owner & {
    readonly fileId: Key;
    /** The file to continue, with its chain, which never changes. */
    readonly target: { readonly fileId: Key; readonly versionGroupId: Key };
  },
): Promise<VersionPosition> {
  const { target, fileId } = request;
  await lockVersionChain(tx, engine, target.versionGroupId);
  const file = await findFile(tx, request.tenantId, fileId);
  if (!file) throw new Error(`there is no file record ${fileId}`);
  if (file.version_group_id !== null) return toPosition(file);
  const parent = await assertContinuable(tx, request, target.fileId);
  if (parent.version_group_id !== target.versionGroupId)
    throw new Error(
      `file ${target.fileId} is in version chain ${parent.version_group_id} instead of ${target.versionGroupId}`,
    );
  const version = (await findHighestVersion(tx, target.versionGroupId)) + 1;
  // All versions of the chain may have moved to the trash since it was read.
  if (!(await demoteLatest(tx, parent))) throw new ApiError('VERSION_CONFLICT');
  const position = { version, version_group_id: target.versionGroupId, parent_version_id: parent.id };
  if (!(await setChainPosition(tx, fileId, position)))
    throw new Error(`another request assigned a version to file record ${fileId}`);
  return toPosition({ id: fileId, ...position });
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
  versionGroupId: chainOf(row),
  parentVersionId: row.parent_version_id,
});
