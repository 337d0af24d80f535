// SQL on version chains, which live in the columns of `file`.
import { fileStatus } from '@recordproof/shared/api/files.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import type { FileRow } from '../files/index.ts';

/** The newest number that the chain ever handed out, also to versions that were deleted since. */
export async function findHighestVersion(tx: Tx, groupId: Key): Promise<number> {
  const row = await tx
    .selectFrom('file')
    .select(eb => eb.fn.max<number | null>('version').as('highest'))
    .where('version_group_id', '=', groupId)
    .executeTakeFirst();
  return row?.highest ?? 0;
}

type Place = {
  readonly version: number;
  readonly version_group_id: Key;
  readonly parent_version_id: Key | null;
};

/** Only a record without a place can be given one. */
export async function placeInChain(tx: Tx, fileId: Key, place: Place): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('file')
    .set({ ...place, is_latest: 1 })
    .where('id', '=', fileId)
    .where('version_group_id', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Those of the records that have no place yet become the first of chains of their own. */
export const placeFirst = (tx: Tx, fileIds: readonly Key[]): Promise<FileRow[]> =>
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

/** Those of the files after which their chain went on, also when that later version was deleted since. */
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
