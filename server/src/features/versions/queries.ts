// SQL on version chains, which live in the columns of `file`.
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

export type Place = {
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

export async function dethrone(tx: Tx, fileId: Key): Promise<void> {
  await tx.updateTable('file').set({ is_latest: 0 }).where('id', '=', fileId).execute();
}

/** The stored versions of a chain, newest first. */
export const listChain = (db: Db, tenantId: Key, groupId: Key): Promise<FileRow[]> =>
  db
    .selectFrom('file')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('version_group_id', '=', groupId)
    .where('status', '=', 1)
    .orderBy('version', 'desc')
    .execute();

/** Whether the chain went on after this version, also when that version was deleted since. */
export async function hasNewerVersion(db: Db, file: Pick<FileRow, 'version' | 'version_group_id'>): Promise<boolean> {
  const row = await db
    .selectFrom('file')
    .select('id')
    .where('version_group_id', '=', file.version_group_id)
    .where('version', '>', file.version)
    .where('status', 'in', [1, 2])
    .executeTakeFirst();
  return row !== undefined;
}
