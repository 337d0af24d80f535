// SQL on version chains: their locks, and the latest version.
import { fileStatus } from '@recordproof/shared/api/files.ts';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import type { FileRow } from '../files/index.ts';

/** The first statement of a transaction that changes the order of a version chain. */
export const lockVersionChain = (tx: Tx, engine: Engine, versionGroupId: Key): Promise<void> =>
  lockVersionChains(tx, engine, [versionGroupId]);

/** The same for several, ordered by id. */
export function lockVersionChains(tx: Tx, engine: Engine, versionGroupIds: readonly Key[]): Promise<void> {
  const ordered = versionGroupIds.toSorted((a, b) => a - b);
  return lockInTransaction(tx, engine, ...ordered.map(id => `version-chain:${id}`));
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
  await tx.updateTable('file').set({ is_latest: 1 }).where('id', '=', ancestor.id).execute();
  return true;
}

/** Of the file's chain; null if none of its versions is live. */
export async function findLatestVersion(tx: Tx, file: FileRow): Promise<FileRow | null> {
  const row = await tx
    .selectFrom('file')
    .selectAll()
    .where('version_group_id', '=', file.version_group_id)
    .where('tenant_id', '=', file.tenant_id)
    .where('is_latest', '=', 1)
    .executeTakeFirst();
  return row ?? null;
}

/** Another version becomes the latest; returns false if this one is no longer the latest. */
export async function demoteLatest(tx: Tx, file: FileRow): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('file')
    .set({ is_latest: 0 })
    .where('id', '=', file.id)
    .where('tenant_id', '=', file.tenant_id)
    .where('is_latest', '=', 1)
    .where('status', '=', fileStatus.SUCCESS)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
