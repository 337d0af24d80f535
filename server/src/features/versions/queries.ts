// SQL on version chains, which are columns of `file`.
import { fileStatus } from '@recordproof/shared/api/files.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import type { FileRow } from '../files/index.ts';

/** The highest number ever used in the chain, including deleted versions. */
export async function findHighestVersion(tx: Tx, groupId: Key): Promise<number> {
  const row = await tx
    .selectFrom('file')
    .select(eb => eb.fn.max<number | null>('version').as('highest'))
    .where('version_group_id', '=', groupId)
    .executeTakeFirst();
  return row?.highest ?? 0;
}

/** The version shown in lists; null for a deleted one. */
export async function findNewest(db: Db, file: FileRow): Promise<FileRow | null> {
  if (file.version_group_id === null) return null;
  const row = await db
    .selectFrom('file')
    .selectAll()
    .where('tenant_id', '=', file.tenant_id)
    .where('version_group_id', '=', file.version_group_id)
    .where('is_latest', '=', 1)
    .where('status', '=', fileStatus.SUCCESS)
    .executeTakeFirst();
  return row ?? null;
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
  db
    .selectFrom('file')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('version_group_id', '=', groupId)
    .where('status', '=', fileStatus.SUCCESS)
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
