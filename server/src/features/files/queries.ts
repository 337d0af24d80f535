// SQL on single file records and on what their owners use up. Lists and searches stand in list-queries.ts.
import { type Selectable, sql } from 'kysely';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import { foldText } from '../../platform/text.ts';

export type FileRow = Selectable<Tables['file']>;
export type UsageRow = Selectable<Tables['file_usage']>;

/** `owner_id` of the row that counts for the whole tenant. */
export const wholeTenant: Key = 0;

/** How names are compared, sorted and searched: as people read them. */
export const foldFileName = foldText;

/** The first statement of a transaction that changes which version of a chain is which. */
export const lockVersionChain = (tx: Tx, engine: Engine, versionGroupId: Key): Promise<void> =>
  lockInTransaction(tx, engine, `version-chain:${versionGroupId}`);

export async function findFile(db: Db, tenantId: Key, id: Key): Promise<FileRow | null> {
  const row = await db
    .selectFrom('file')
    .selectAll()
    .where('id', '=', id)
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst();
  return row ?? null;
}

export async function findFileByHash(db: Db, tenantId: Key, fileHash: string): Promise<FileRow | null> {
  const row = await db
    .selectFrom('file')
    .selectAll()
    .where('file_hash', '=', fileHash)
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst();
  return row ?? null;
}

/** Those of the files that are there, in no order. */
export async function listLiveFiles(db: Db, tenantId: Key, ids: readonly Key[]): Promise<FileRow[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('file')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', ids)
    .where('status', '=', 1)
    .execute();
}

/** The same, and none of them is deleted before the transaction ends. Locked in one order. */
export async function holdLiveFiles(tx: Tx, engine: Engine, tenantId: Key, ids: readonly Key[]): Promise<FileRow[]> {
  const query = tx
    .selectFrom('file')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', ids)
    .where('status', '=', 1)
    .orderBy('id');
  return (engine === 'postgres' ? query.forShare() : query).execute();
}

export type NewFile = {
  readonly tenantId: Key;
  readonly ownerId: Key;
  /** The chain record id. */
  readonly fileHash: string;
  readonly contentHash: string;
  readonly fileName: string;
  readonly fileSize: number;
  readonly contentType: string;
  /** NONE, or the suite of the stored objects, which then have a nonce. */
  readonly encryption: string;
  readonly fileNonce: string | null;
  /** What makes this record, such as `upload:7`: asked for twice, there is still one. */
  readonly createdBy: string;
  /** For copies of what somebody shared. */
  readonly origin?: {
    readonly ownerId: Key;
    readonly sharedFromId: Key;
    readonly sourceFileId: Key;
    readonly depth: number;
  };
};

export async function insertFile(tx: Tx, file: NewFile, now: Time): Promise<FileRow | null> {
  const row = await tx
    .insertInto('file')
    .values({
      tenant_id: file.tenantId,
      owner_id: file.ownerId,
      file_hash: file.fileHash,
      content_hash: file.contentHash,
      file_name: file.fileName,
      name_folded: foldFileName(file.fileName),
      file_size: file.fileSize,
      content_type: file.contentType,
      status: 0,
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
      version: 1,
      parent_version_id: null,
      version_group_id: null,
      is_latest: 0,
    })
    .onConflict(conflict => conflict.column('created_by').doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export const findFileByOrigin = (db: Db, createdBy: string): Promise<FileRow | undefined> =>
  db.selectFrom('file').selectAll().where('created_by', '=', createdBy).executeTakeFirst();

type FileChange = Partial<
  Pick<FileRow, 'status' | 'transaction_hash' | 'manifest_hash' | 'is_latest' | 'deleted_at' | 'objects_released_at'>
>;

/** Changes the record if it still has the status; null when it has not. */
export async function updateFile(tx: Tx, file: FileRow, change: FileChange): Promise<FileRow | null> {
  const row = await tx
    .updateTable('file')
    .set(change)
    .where('id', '=', file.id)
    .where('tenant_id', '=', file.tenant_id)
    .where('status', '=', file.status)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** The newest live version before this one becomes the latest; answers whether there is one. */
export async function promoteAncestor(tx: Tx, file: FileRow): Promise<boolean> {
  const ancestor = await tx
    .selectFrom('file')
    .select('id')
    .where('version_group_id', '=', file.version_group_id)
    .where('tenant_id', '=', file.tenant_id)
    .where('version', '<', file.version)
    .where('status', '=', 1)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!ancestor) return false;
  await tx.updateTable('file').set({ is_latest: 1 }).where('id', '=', ancestor.id).execute();
  return true;
}

/** Deleted records whose bytes are still held although their time is over. */
export const listExpiring = (db: Db, deletedUpTo: Time, limit: number): Promise<FileRow[]> =>
  db
    .selectFrom('file')
    .selectAll()
    .where(sql<boolean>`status = 2 and objects_released_at is null`)
    .where('deleted_at', '<=', deletedUpTo)
    .orderBy('deleted_at')
    .limit(limit)
    .execute();

export async function findUsage(db: Db, tenantId: Key, ownerId: Key): Promise<UsageRow | null> {
  const row = await db
    .selectFrom('file_usage')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('owner_id', '=', ownerId)
    .executeTakeFirst();
  return row ?? null;
}

export type UsageChange = { readonly files: number; readonly bytes: number; readonly latestFiles: number };

/** Counts and answers the new figures; the row stays locked, so that a limit that is checked now still holds at the commit. */
export async function changeUsage(
  tx: Tx,
  owner: { tenantId: Key; ownerId: Key },
  change: UsageChange,
): Promise<UsageRow> {
  return tx
    .insertInto('file_usage')
    .values({
      tenant_id: owner.tenantId,
      owner_id: owner.ownerId,
      files: change.files,
      bytes: change.bytes,
      latest_files: change.latestFiles,
      upload_day: 0,
      day_uploads: 0,
    })
    .onConflict(conflict =>
      conflict.columns(['tenant_id', 'owner_id']).doUpdateSet(eb => ({
        files: eb('file_usage.files', '+', eb.ref('excluded.files')),
        bytes: eb('file_usage.bytes', '+', eb.ref('excluded.bytes')),
        latest_files: eb('file_usage.latest_files', '+', eb.ref('excluded.latest_files')),
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** One more upload on this UTC day. */
export async function countUpload(tx: Tx, tenantId: Key, ownerIds: readonly Key[], day: number): Promise<void> {
  await tx
    .updateTable('file_usage')
    .set({
      day_uploads: sql<number>`case when upload_day = ${day} then day_uploads + 1 else 1 end`,
      upload_day: day,
    })
    .where('tenant_id', '=', tenantId)
    .where('owner_id', 'in', ownerIds)
    .execute();
}
