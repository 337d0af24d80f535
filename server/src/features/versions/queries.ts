// SQL on version chains, which are columns of `file`: their locks, positions, and latest versions.
import { fileStatus } from '@recordproof/shared/api/files.ts';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import { findFirst, findWhere, selectWhere, updateAndCount, updateWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import type { FileRow } from '../files/index.ts';

/** The first statement of a transaction that changes the order of a version chain. */
export const lockVersionChain = (tx: Tx, engine: Engine, versionGroupId: Key): Promise<void> =>
  lockVersionChains(tx, engine, [versionGroupId]);

/** The same for several, ordered by id. */
export function lockVersionChains(tx: Tx, engine: Engine, versionGroupIds: readonly Key[]): Promise<void> {
  const ordered = versionGroupIds.toSorted((a, b) => a - b);
  return lockInTransaction(tx, engine, ...ordered.map(id => `version-chain:${id}`));
}

/** The highest number ever used in the chain, including deleted versions. */
export async function findHighestVersion(tx: Tx, groupId: Key): Promise<number> {
  const row = await selectWhere(tx, 'file', { version_group_id: groupId })
    .select(eb => eb.fn.max<number | null>('version').as('highest'))
    .executeTakeFirst();
  return row?.highest ?? 0;
}

/** The version shown in lists; null for a deleted one. */
export async function findNewest(db: Db, { tenant_id, version_group_id }: FileRow): Promise<FileRow | null> {
  if (version_group_id === null) return null;
  return findWhere(db, 'file', { tenant_id, version_group_id, is_latest: 1, status: fileStatus.SUCCESS });
}

type ChainColumns = {
  readonly version: number;
  readonly version_group_id: Key;
  readonly parent_version_id: Key | null;
};

/** Only for a record without a position. */
export async function setChainPosition(tx: Tx, fileId: Key, columns: ChainColumns): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('file')
    .set({ ...columns, is_latest: 1 })
    .where('id', '=', fileId)
    .where('version_group_id', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Records without a position become the first of new chains. */
export const setFirstPositions = (tx: Tx, fileIds: readonly Key[]): Promise<FileRow[]> =>
  tx
    .updateTable('file')
    .set(eb => ({ version: 1, version_group_id: eb.ref('id'), is_latest: 1 }))
    .where('id', 'in', fileIds)
    .where('version_group_id', 'is', null)
    .returningAll()
    .execute();

/** The stored versions of a chain, newest first. */
export const listChain = (db: Db, tenantId: Key, groupId: Key): Promise<FileRow[]> =>
  selectWhere(db, 'file', { tenant_id: tenantId, version_group_id: groupId, status: fileStatus.SUCCESS })
    .selectAll()
    .orderBy('version', 'desc')
    .execute();

/** Returns which of the files have a later version, including deleted ones. */
export async function listOutdated(db: Db, fileIds: readonly Key[]): Promise<ReadonlySet<Key>> {
  const rows = await db
    .selectFrom('file as f')
    .select('f.id')
    .where('f.id', 'in', fileIds)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('file as newer')
          .select('newer.id')
          .whereRef('newer.version_group_id', '=', 'f.version_group_id')
          .whereRef('newer.version', '>', 'f.version')
          .where('newer.status', 'in', [fileStatus.SUCCESS, fileStatus.DELETE]),
      ),
    )
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Makes the newest live version before this one the latest; returns whether there is one. */
export async function promotePrevious(tx: Tx, file: FileRow): Promise<boolean> {
  const ancestor = await tx
    .selectFrom('file')
    .select('id')
    .where('version_group_id', '=', file.version_group_id)
    .where('tenant_id', '=', file.tenant_id)
    .where('version', '<', file.version)
    .where('status', '=', fileStatus.SUCCESS)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!ancestor) return false;
  await updateWhere(tx, 'file', { id: ancestor.id }, { is_latest: 1 });
  return true;
}

/** Of the file's chain; null if none of its versions is live. */
export const findLatestVersion = (tx: Tx, file: FileRow): Promise<FileRow | null> =>
  findFirst(
    tx
      .selectFrom('file')
      .selectAll()
      .where('version_group_id', '=', file.version_group_id)
      .where('tenant_id', '=', file.tenant_id)
      .where('is_latest', '=', 1),
  );

/** Another version becomes the latest; returns false if this one is no longer the latest. */
export async function demoteLatest(tx: Tx, file: FileRow): Promise<boolean> {
  const latest = { id: file.id, tenant_id: file.tenant_id, is_latest: 1, status: fileStatus.SUCCESS };
  return (await updateAndCount(tx, 'file', latest, { is_latest: 0 })) === 1;
}
