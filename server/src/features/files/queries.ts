// SQL on single file records. Lists are in list-queries.ts, searches in search-queries.ts.
import { fileStatus } from '@recordproof/shared/api/files.ts';
import { type Selectable, sql } from 'kysely';
import { integer } from '../../platform/db/claim.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import { findFirst, selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import { foldText } from '../../platform/text.ts';
import { toMediaType } from './media-types.ts';

export type FileRow = Selectable<Tables['file']>;

/** The form in which names are compared, sorted and searched. */
export const foldFileName = foldText;

const ofTenant = (db: Db, tenantId: Key) => db.selectFrom('file').selectAll().where('tenant_id', '=', tenantId);

export const findFile = async (db: Db, tenantId: Key, id: Key): Promise<FileRow | null> =>
  (await ofTenant(db, tenantId).where('id', '=', id).executeTakeFirst()) ?? null;

export const findFileByHash = async (db: Db, tenantId: Key, fileHash: string): Promise<FileRow | null> =>
  (await ofTenant(db, tenantId).where('file_hash', '=', fileHash).executeTakeFirst()) ?? null;

/** In any status, unordered. */
export const listFilesById = (db: Db, tenantId: Key, ids: readonly Key[]): Promise<FileRow[]> =>
  ofTenant(db, tenantId).where('id', 'in', ids).execute();

/** The live ones among the files, unordered. */
export async function listLiveFiles(db: Db, tenantId: Key, ids: readonly Key[]): Promise<FileRow[]> {
  if (ids.length === 0) return [];
  return ofTenant(db, tenantId).where('id', 'in', ids).where('status', '=', fileStatus.SUCCESS).execute();
}

/** Of an owner, or of the whole tenant. */
export function listDeletableFiles(
  db: Db,
  { tenantId, ownerId }: { readonly tenantId: Key; readonly ownerId?: Key },
  limit: number,
) {
  const all = db.selectFrom('file').select('file_hash').where('tenant_id', '=', tenantId);
  const query = ownerId === undefined ? all : all.where('owner_id', '=', ownerId);
  return query.where('status', '=', fileStatus.SUCCESS).limit(limit).execute();
}

const idsAfter = (db: Db, tenantId: Key, after: Key, limit: number) =>
  selectWhere(db, 'file', { tenant_id: tenantId }).select('id').where('id', '>', after).orderBy('id').limit(limit);

/** Ids of live files after this one, ordered: iterates a tenant of any size. */
export async function listLiveFileIds(db: Db, tenantId: Key, after: Key, limit: number): Promise<Key[]> {
  const live = idsAfter(db, tenantId, after, limit).where('status', '=', fileStatus.SUCCESS);
  return (await live.execute()).map(({ id }) => id);
}

/** Files after this one that reference objects, including deleted files not yet purged; ordered by id. */
export async function listKeepingFileIds(db: Db, tenantId: Key, after: Key, limit: number): Promise<Key[]> {
  const keeping = idsAfter(db, tenantId, after, limit)
    .where('status', 'in', [fileStatus.SUCCESS, fileStatus.DELETE])
    .where('objects_released_at', 'is', null);
  return (await keeping.execute()).map(({ id }) => id);
}

/** Other live records of the same bytes, newest first, of any owner. */
export const listFilesOfContent = (db: Db, file: FileRow, limit: number): Promise<FileRow[]> =>
  ofTenant(db, file.tenant_id)
    .where('content_hash', '=', file.content_hash)
    .where('id', '<>', file.id)
    .where('status', '=', fileStatus.SUCCESS)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

/** The live ones among the files, locked against deletion until the transaction ends. Locked in one order. */
export async function lockLiveFiles(tx: Tx, engine: Engine, tenantId: Key, ids: readonly Key[]): Promise<FileRow[]> {
  const query = ofTenant(tx, tenantId).where('id', 'in', ids).where('status', '=', fileStatus.SUCCESS).orderBy('id');
  return (engine === 'postgres' ? query.forShare() : query).execute();
}

export type NewFile = {
  /** If reserved before. */
  readonly id?: Key;
  readonly tenantId: Key;
  readonly ownerId: Key;
  /** The chain record id. */
  readonly fileHash: string;
  readonly contentHash: string;
  readonly fileName: string;
  /** Its folder. */
  readonly path?: string | null;
  readonly fileSize: number;
  readonly contentType: string;
  /** With a reserved id: the first version of a chain. */
  readonly beginsChain?: boolean;
  /** NONE, or the suite of the stored objects, which then have a nonce. */
  readonly encryption: string;
  readonly fileNonce: string | null;
  /** The origin of this record, such as `upload:7`: an idempotency key. */
  readonly createdBy: string;
  /** For copies of shared files. */
  readonly origin?: {
    readonly ownerId: Key;
    readonly sharedFromId: Key;
    readonly sourceFileId: Key;
    readonly depth: number;
  };
};

const toRow = (file: NewFile, now: Time) => ({
  ...(file.id === undefined ? {} : { id: file.id }),
  tenant_id: file.tenantId,
  owner_id: file.ownerId,
  file_hash: file.fileHash,
  content_hash: file.contentHash,
  file_name: file.fileName,
  name_folded: foldFileName(file.fileName),
  path: file.path ?? null,
  file_size: file.fileSize,
  content_type: toMediaType(file.contentType, file.fileName),
  status: fileStatus.PREPARE,
  transaction_hash: null,
  manifest_hash: null,
  proof_status: 'NONE',
  encryption: file.encryption,
  file_nonce: file.fileNonce,
  created_by: file.createdBy,
  origin_owner_id: file.origin?.ownerId ?? null,
  shared_from_id: file.origin?.sharedFromId ?? null,
  source_file_id: file.origin?.sourceFileId ?? null,
  provenance_depth: file.origin?.depth ?? 0,
  created_at: now,
  deleted_at: null,
  objects_released_at: null,
  trash: 0,
  version: 1,
  parent_version_id: null,
  ...(file.beginsChain && file.id !== undefined
    ? { version_group_id: file.id, is_latest: 1 }
    : { version_group_id: null, is_latest: 0 }),
});

/** Returns only newly created records. */
export const insertFiles = (tx: Tx, files: readonly NewFile[], now: Time): Promise<FileRow[]> =>
  tx
    .insertInto('file')
    .values(files.map(file => toRow(file, now)))
    .onConflict(conflict => conflict.column('created_by').doNothing())
    .returningAll()
    .execute();

/** The existing records of these origins, in any status, unordered. */
export const listFilesByOrigin = (db: Db, tenantId: Key, createdBy: readonly string[]): Promise<FileRow[]> =>
  ofTenant(db, tenantId).where('created_by', 'in', createdBy).execute();

export const listFilesByHash = (db: Db, tenantId: Key, hashes: readonly string[]): Promise<FileRow[]> =>
  ofTenant(db, tenantId).where('file_hash', 'in', hashes).execute();

export const findFileByOrigin = (db: Db, createdBy: string): Promise<FileRow | undefined> =>
  db.selectFrom('file').selectAll().where('created_by', '=', createdBy).executeTakeFirst();

type FileChange = Partial<
  Pick<
    FileRow,
    | 'status'
    | 'transaction_hash'
    | 'manifest_hash'
    | 'is_latest'
    | 'deleted_at'
    | 'objects_released_at'
    | 'trash'
    | 'path'
    | 'file_name'
    | 'name_folded'
  >
>;

/** Changes the record if its status and bytes are unchanged; returns null otherwise. */
export const updateFile = (tx: Tx, file: FileRow, change: FileChange): Promise<FileRow | null> =>
  findFirst(
    tx
      .updateTable('file')
      .set(change)
      .where('id', '=', file.id)
      .where('tenant_id', '=', file.tenant_id)
      .where('status', '=', file.status)
      .where('objects_released_at', file.objects_released_at === null ? 'is' : '=', file.objects_released_at)
      .returningAll(),
  );

/** Null for an older record, which is stored before it has a manifest. */
export type Evidence = {
  readonly fileId: Key;
  readonly transactionHash: string | null;
  readonly manifestHash: string | null;
};

/** PREPARE → SUCCESS, for records that are part of a version chain. */
export const markFilesStored = (tx: Tx, evidence: readonly Evidence[]): Promise<FileRow[]> =>
  writeStoredFiles(tx, evidence).returningAll().execute();

/** The same for `writeTogether`, of records counted by `countStored`. */
export function writeStoredFiles(tx: Tx, evidence: readonly Evidence[]) {
  const of = (value: (one: Evidence) => string | null) =>
    sql<string | null>`case id ${sql.join(
      evidence.map(one => sql`when ${integer(one.fileId)} then cast(${value(one)} as text)`),
      sql` `,
    )} end`;
  const change = {
    status: fileStatus.SUCCESS,
    transaction_hash: of(one => one.transactionHash),
    manifest_hash: of(one => one.manifestHash),
  };
  return tx
    .updateTable('file')
    .set(change)
    .where(
      'id',
      'in',
      evidence.map(({ fileId }) => fileId),
    )
    .where('status', '=', fileStatus.PREPARE)
    .where('version_group_id', 'is not', null)
    .returning('id');
}

/** For a stored record without a manifest; returns null if it is not one any more. */
export const markOlderStored = (
  tx: Tx,
  tenantId: Key,
  { fileId, transactionHash, manifestHash }: Evidence,
): Promise<FileRow | null> =>
  findFirst(
    tx
      .updateTable('file')
      .set({ transaction_hash: transactionHash, manifest_hash: manifestHash })
      .where('tenant_id', '=', tenantId)
      .where('id', '=', fileId)
      .where('status', '=', fileStatus.SUCCESS)
      .where('manifest_hash', 'is', null)
      .returningAll(),
  );

/** Reserves unique ids for records created later; some may stay unused. */
export async function reserveFileIds(tx: Tx, engine: Engine, count: number): Promise<Key[]> {
  if (engine === 'postgres') {
    const { rows } = await sql<{ id: Key }>`
      select nextval(pg_get_serial_sequence('file', 'id')) as id from generate_series(1, ${integer(count)})`.execute(
      tx,
    );
    return rows.map(({ id }) => id);
  }
  const first = sql`select 'file', 0 where not exists (select 1 from sqlite_sequence where name = 'file')`;
  await sql`insert into sqlite_sequence (name, seq) ${first}`.execute(tx);
  const { rows } = await sql<{ seq: Key }>`
    update sqlite_sequence set seq = seq + ${count} where name = 'file' returning seq`.execute(tx);
  const last = rows[0]?.seq ?? 0;
  return Array.from({ length: count }, (_, index) => last - count + 1 + index);
}
