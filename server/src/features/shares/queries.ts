// SQL on shares and the files in them. The access log is in access-log.ts, pages of shares are in list-queries.ts.
import type { AccountStatus } from '@recordproof/shared/api/accounts.ts';
import { fileStatus } from '@recordproof/shared/api/files.ts';
import { mostFolderFiles, shareStatuses } from '@recordproof/shared/api/shares.ts';
import type { TenantStatus } from '@recordproof/shared/api/tenants.ts';
import { type Insertable, type Selectable, sql } from 'kysely';
import { integer } from '../../platform/db/claim.ts';
import { isOneOf } from '../../platform/db/key-set.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import {
  deleteWhere,
  findFirst,
  findWhere,
  hasRow,
  insertInto,
  insertReturning,
  selectWhere,
} from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import type { Write } from '../../platform/db/write-together.ts';
import { type FileRow, fileAsJson } from '../files/index.ts';

export type ShareRow = Selectable<Tables['share']>;

/** A share of an account and tenant that are active. */
export const findGivenShare = (db: Db, code: string): Promise<ShareRow | null> =>
  findFirst(
    db
      .selectFrom('share')
      .innerJoin('account', 'account.id', 'share.owner_id')
      .innerJoin('tenant', 'tenant.id', 'share.tenant_id')
      .selectAll('share')
      .where('code', '=', code)
      .where('account.status', '=', 'ACTIVE' satisfies AccountStatus)
      .where('tenant.status', '=', 'ACTIVE' satisfies TenantStatus),
  );

/** The code alone identifies the owner: visitors name no tenant. */
export const findShareByCode = (db: Db, code: string): Promise<ShareRow | null> => findWhere(db, 'share', { code });

export type ShareScope = { readonly tenantId: Key; readonly ownerId?: Key };

export const within = (db: Db, { tenantId, ownerId }: ShareScope) => {
  const query = db.selectFrom('share').where('tenant_id', '=', tenantId);
  return ownerId === undefined ? query : query.where('owner_id', '=', ownerId);
};

export const findShareWithin = (db: Db, scope: ShareScope, code: string): Promise<ShareRow | null> =>
  findFirst(within(db, scope).selectAll().where('code', '=', code));

/** Locked until the transaction ends, so that decisions on it stay valid. */
export async function lockShare(tx: Tx, engine: Engine, id: Key): Promise<ShareRow> {
  const query = tx.selectFrom('share').selectAll().where('id', '=', id);
  return (engine === 'postgres' ? query.forUpdate() : query).executeTakeFirstOrThrow();
}

export const insertShare = (tx: Tx, values: Insertable<Tables['share']>): Promise<ShareRow> =>
  insertReturning(tx, 'share', values);

/** In this order; files in the trash, too. */
export async function insertMembers(tx: Tx, share: ShareRow, fileIds: readonly Key[]): Promise<void> {
  if (fileIds.length === 0) return;
  const own = { share_id: share.id, tenant_id: share.tenant_id };
  const rows = fileIds.map((fileId, position) => ({ ...own, file_id: fileId, position }));
  await insertInto(tx, 'share_file', rows);
}

/**
 * In this order, for `writeTogether`. Writes fewer rows if one of the files was deleted; the others are locked until
 * the transaction ends.
 */
export function writeShareFiles(
  tx: Tx,
  engine: Engine,
  share: ShareRow,
  files: readonly Pick<FileRow, 'id'>[],
): Write[] {
  if (files.length === 0) return [];
  const positions = files.map(({ id }, position) => sql`when ${integer(id)} then ${integer(position)}`);
  const live = selectWhere(tx, 'file', { tenant_id: share.tenant_id })
    .select([sql<Key>`${integer(share.id)}`.as('share_id'), 'tenant_id', 'id'])
    .select(sql<number>`case id ${sql.join(positions, sql` `)} end`.as('position'))
    .where(
      'id',
      'in',
      files.map(({ id }) => id),
    )
    .where('status', '=', fileStatus.SUCCESS)
    .orderBy('id');
  const write = tx
    .insertInto('share_file')
    .columns(['share_id', 'tenant_id', 'file_id', 'position'])
    .expression(engine === 'postgres' ? live.forShare() : live)
    .returning('file_id');
  return [write];
}

/** In a living share, files have no order of their own. */
export async function addShareFiles(tx: Tx, share: ShareRow, fileIds: readonly Key[]): Promise<void> {
  if (fileIds.length === 0) return;
  const rows = fileIds.map(file_id => ({ share_id: share.id, tenant_id: share.tenant_id, file_id, position: 0 }));
  await tx
    .insertInto('share_file')
    .values(rows)
    .onConflict(conflict => conflict.doNothing())
    .execute();
}

export const deleteShareFiles = (tx: Tx, { id, tenant_id }: ShareRow): Promise<unknown> =>
  deleteWhere(tx, 'share_file', { share_id: id, tenant_id });

/**
 * The files of one owner leave their shares. Locks the shares first, so that no concurrent change of their contents
 * adds them back.
 */
export async function leaveShares(tx: Tx, engine: Engine, files: readonly FileRow[]): Promise<void> {
  const [first] = files;
  if (first === undefined) return;
  const isFile = isOneOf(
    engine,
    'file_id',
    files.map(({ id }) => id),
  );
  const shares = await within(tx, { tenantId: first.tenant_id, ownerId: first.owner_id })
    .select('id')
    .where(eb =>
      eb.exists(eb.selectFrom('share_file').select('file_id').whereRef('share_id', '=', 'share.id').where(isFile)),
    )
    .orderBy('id')
    .$if(engine === 'postgres', query => query.forUpdate())
    .execute();
  const ids = shares.map(({ id }) => id);
  if (ids.length > 0)
    await tx
      .deleteFrom('share_file')
      .where(isOneOf(engine, 'share_id', ids))
      .where(isFile)
      .execute();
}

export type ShareChange = Partial<
  Pick<
    ShareRow,
    'status' | 'share_type' | 'password_hash' | 'max_accesses' | 'generation' | 'expire_at' | 'title' | 'message'
  >
>;

export const updateShare = (tx: Tx, id: Key, change: ShareChange): Promise<ShareRow> =>
  tx.updateTable('share').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/** By share, in their original order; without deleted files. */
export async function listFilesOfShares(
  db: Db,
  tenantId: Key,
  shareIds: readonly Key[],
  limit: number,
): Promise<ReadonlyMap<Key, FileRow[]>> {
  if (shareIds.length === 0) return new Map();
  const members = await db
    .selectFrom('share_file')
    .innerJoin('file', 'file.id', 'share_file.file_id')
    .selectAll('file')
    .select('share_id')
    .where('share_id', 'in', shareIds)
    .where('position', '<', limit)
    .where('file.tenant_id', '=', tenantId)
    .where('file.status', '=', fileStatus.SUCCESS)
    .orderBy('share_id')
    .orderBy('position')
    .execute();
  const files = new Map<Key, FileRow[]>(shareIds.map(id => [id, []]));
  for (const { share_id, ...file } of members) files.get(share_id)?.push(file);
  return files;
}

/** Files added at creation, or sealed for it since. */
export const listMembers = async (db: Db, share: ShareRow): Promise<FileRow[]> =>
  (await listFilesOfShares(db, share.tenant_id, [share.id], mostFolderFiles)).get(share.id) ?? [];

/** Whether it is in a share of selected files. */
export const isInShare = (db: Db, shareId: Key, fileId: Key): Promise<boolean> =>
  hasRow(db.selectFrom('share_file').select('file_id').where('share_id', '=', shareId).where('file_id', '=', fileId));

type Counted = 'view_count' | 'download_count' | 'save_count';

/**
 * Counts a use of a usable, unchanged share; returns null otherwise. Opening also counts against its limit: of
 * concurrent calls exactly as many succeed as allowed.
 */
export const countUse = (tx: Tx, share: Unchanged, use: Use, now: Time): Promise<ShareRow | null> =>
  findFirst(countingUse(tx, share, use, now).returningAll());

/** As `countUse`, with the files of a share of selected files: as they are when it is counted, and as `listMembers`. */
export async function countListing(
  tx: Tx,
  engine: Engine,
  share: Unchanged,
  use: Use,
  now: Time,
): Promise<{ readonly share: ShareRow; readonly files: FileRow[] } | null> {
  const members = sql<string | null>`(
    select string_agg(${fileAsJson[engine]}, ',' order by share_file.position)
    from share_file join file on file.id = share_file.file_id
    where share_file.share_id = share.id and share_file.position < ${integer(mostFolderFiles)}
      and file.tenant_id = share.tenant_id and file.status = ${fileStatus.SUCCESS})`;
  const row = await countingUse(tx, share, use, now).returningAll().returning(members.as('files')).executeTakeFirst();
  if (row === undefined) return null;
  const { files, ...counted } = row;
  return { share: counted, files: JSON.parse(`[${files ?? ''}]`) as FileRow[] };
}

type Unchanged = Pick<ShareRow, 'id' | 'generation'>;
type Use = { readonly column: Counted; readonly opens: boolean };

function countingUse(tx: Tx, { id, generation }: Unchanged, { column, opens }: Use, now: Time) {
  const query = tx
    .updateTable('share')
    .set(eb => ({ [column]: eb(column, '+', 1), ...(opens && { access_count: eb('access_count', '+', 1) }) }))
    .where('id', '=', id)
    .where('generation', '=', generation)
    .where('status', '=', shareStatuses.ACTIVE)
    .where('expire_at', '>', now);
  if (!opens) return query;
  return query.where(eb => eb.or([eb('max_accesses', 'is', null), eb('access_count', '<', eb.ref('max_accesses'))]));
}

/** The owner's live files reachable through a share. */
export async function listSharedFileIds(
  db: Db,
  { tenantId, ownerId }: { readonly tenantId: Key; readonly ownerId: Key },
  now: Time,
): Promise<Key[]> {
  const rows = await db
    .selectFrom('share as s')
    .innerJoin('share_file as m', 'm.share_id', 's.id')
    .innerJoin('file as f', 'f.id', 'm.file_id')
    .select('f.id')
    .distinct()
    .where('s.tenant_id', '=', tenantId)
    .where('s.owner_id', '=', ownerId)
    .where('s.status', '=', shareStatuses.ACTIVE)
    .where('s.expire_at', '>', now)
    .where('f.status', '=', fileStatus.SUCCESS)
    .execute();
  const living = await sql<{ id: Key }>`
    select f.id from share s join folder d on d.tenant_id = s.tenant_id and d.owner_id = s.owner_id and d.path = s.folder
        and d.created_at = s.folder_since
      join file f on f.tenant_id = s.tenant_id and f.owner_id = s.owner_id
        and (f.path = s.folder or (f.path >= s.folder || '/' and f.path < s.folder || '0'))
    where s.tenant_id = ${tenantId} and s.owner_id = ${ownerId} and s.folder is not null
      and s.status = ${shareStatuses.ACTIVE} and s.expire_at > ${now}
      and f.status = ${fileStatus.SUCCESS} and f.is_latest = 1`.execute(db);
  return [...new Set([...rows, ...living.rows].map(row => row.id))];
}

export const listActiveOfOwner = (db: Db, tenantId: Key, ownerId: Key, limit: number): Promise<ShareRow[]> =>
  within(db, { tenantId, ownerId }).selectAll().where('status', '=', shareStatuses.ACTIVE).limit(limit).execute();

export const listDue = (db: Db, now: Time, limit: number): Promise<ShareRow[]> =>
  selectWhere(db, 'share', { status: shareStatuses.ACTIVE })
    .selectAll()
    .where('expire_at', '<=', now)
    .orderBy('expire_at')
    .limit(limit)
    .execute();
