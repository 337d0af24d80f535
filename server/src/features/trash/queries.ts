// SQL on the trash of an owner, and on version chains that move to it.
import type { PageRequest } from '@recordproof/shared/api/common.ts';
import { fileStatus } from '@recordproof/shared/api/files.ts';
import { sql } from 'kysely';
import { isOneOf } from '../../platform/db/key-set.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import { findPage, type RowPage, toOrder } from '../../platform/db/page.ts';
import { selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Owner } from '../../platform/http/caller.ts';
import type { FileRow } from '../files/index.ts';
import { trashStates } from './trash-usage.ts';

/** As a literal, so that the partial index matches. */
const listed = sql<boolean>`trash = 1 and objects_released_at is null`;

const ofOwner = (db: Db, { tenantId, ownerId }: Owner) =>
  db.selectFrom('file').where('tenant_id', '=', tenantId).where('owner_id', '=', ownerId);

export function listTrash(
  db: Db,
  owner: Owner,
  { deletedAt, ...request }: PageRequest & { readonly deletedAt?: string | undefined },
): Promise<RowPage<FileRow>> {
  const { column, direction } = toOrder(request, { deletedAt: 'deleted_at' } as const);
  const all = ofOwner(db, owner).where(listed);
  const matching = deletedAt === undefined ? all : all.where('deleted_at', '=', Date.parse(deletedAt));
  return findPage(matching, request, query => query.selectAll().orderBy(column, direction).orderBy('id', direction));
}

/** Returns which of the hashes are listed in the trash. */
export const listTrashed = (db: Db, owner: Owner, hashes: readonly string[]): Promise<FileRow[]> =>
  ofOwner(db, owner).selectAll().where(listed).where('file_hash', 'in', hashes).orderBy('id').execute();

/**
 * All files kept in the trash, listed ones and their older versions; limited to the hashes, if given. Older versions
 * come first: while the listed one is there, a repeated call finds them.
 */
export async function listAllTrashed(
  db: Db,
  owner: Owner,
  { hashes, limit }: { readonly hashes?: readonly string[] | undefined; readonly limit: number },
): Promise<FileRow[]> {
  if (hashes === undefined)
    return ofOwner(db, owner)
      .selectAll()
      .where('status', '=', fileStatus.DELETE)
      .where('trash', '<>', trashStates.NONE)
      .where('objects_released_at', 'is', null)
      .orderBy('id')
      .limit(limit)
      .execute();
  const named = await listTrashed(db, owner, hashes);
  const withNewer = await listWithNewer(db, owner, named);
  return [...withNewer, ...named].slice(0, limit);
}

/** The older versions that moved to the trash with these files. */
export async function listWithNewer(db: Db, owner: Owner, heads: readonly FileRow[]): Promise<FileRow[]> {
  if (heads.length === 0) return [];
  const rows = await ofOwner(db, owner)
    .selectAll()
    .where('status', '=', fileStatus.DELETE)
    .where('trash', '=', trashStates.WITH_NEWER)
    .where('objects_released_at', 'is', null)
    .where(
      'version_group_id',
      'in',
      heads.map(head => head.version_group_id),
    )
    .execute();
  const deletions = new Set(heads.map(head => `${head.version_group_id} ${head.deleted_at}`));
  return rows.filter(row => deletions.has(`${row.version_group_id} ${row.deleted_at}`));
}

type Chains = Owner & { readonly groupIds: readonly Key[] };

/**
 * The live versions of the chains, newest first, which is the lock order for deleting a single version. Locked until
 * the transaction ends.
 */
export const lockChains = (tx: Tx, engine: Engine, { tenantId, ownerId, groupIds }: Chains): Promise<FileRow[]> =>
  selectWhere(tx, 'file', { tenant_id: tenantId, owner_id: ownerId, status: fileStatus.SUCCESS })
    .selectAll()
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
