// SQL on version chains that move to the trash, and on the trash.
import { fileStatus } from '@recordproof/shared/api/files.ts';
import { sql } from 'kysely';
import { isOneOf } from '../../platform/db/key-set.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import type { FileRow } from './queries.ts';
import { trashStates } from './trash-use.ts';

type Chains = { readonly tenantId: Key; readonly ownerId: Key; readonly groupIds: readonly Key[] };

/**
 * The live versions of the chains, newest first, which is the lock order for deleting a single version. Locked until
 * the transaction ends.
 */
export const holdChains = (tx: Tx, engine: Engine, { tenantId, ownerId, groupIds }: Chains): Promise<FileRow[]> =>
  tx
    .selectFrom('file')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('owner_id', '=', ownerId)
    .where('status', '=', fileStatus.SUCCESS)
    .where(isOneOf(engine, 'version_group_id', groupIds))
    .orderBy('id', 'desc')
    .$if(engine === 'postgres', query => query.forUpdate())
    .execute();

/** Locked live versions, by id. */
export async function markTrashed(
  tx: Tx,
  engine: Engine,
  { listed, withNewer }: { readonly listed: readonly Key[]; readonly withNewer: readonly Key[] },
  now: Time,
): Promise<void> {
  const states = [
    [trashStates.LISTED, listed],
    [trashStates.WITH_NEWER, withNewer],
  ] as const;
  for (const [trash, ids] of states) {
    if (ids.length === 0) continue;
    const change = { status: fileStatus.DELETE, is_latest: 0, deleted_at: now, trash };
    await tx
      .updateTable('file')
      .set(change)
      .where(isOneOf(engine, 'id', ids))
      .execute();
  }
}

/** The older versions that moved to the trash with this one. */
export const listDeletedWith = (tx: Tx, file: FileRow): Promise<FileRow[]> =>
  tx
    .selectFrom('file')
    .selectAll()
    .where('tenant_id', '=', file.tenant_id)
    .where('version_group_id', '=', file.version_group_id)
    .where('status', '=', fileStatus.DELETE)
    .where('trash', '=', trashStates.WITH_NEWER)
    .where('deleted_at', '=', file.deleted_at)
    .where('objects_released_at', 'is', null)
    .execute();

/** Deleted records past retention whose bytes are not purged. Literals, so that the partial index matches. */
export const listExpiring = (db: Db, deletedUpTo: Time, limit: number): Promise<FileRow[]> =>
  db
    .selectFrom('file')
    .selectAll()
    .where(sql<boolean>`status = 2 and objects_released_at is null`)
    .where('deleted_at', '<=', deletedUpTo)
    .orderBy('deleted_at')
    .limit(limit)
    .execute();
