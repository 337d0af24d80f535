// All SQL on uploads and their chunks.
import type { Insertable, Selectable } from 'kysely';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

export type UploadRow = Selectable<Tables['upload']>;
export type ChunkRow = Selectable<Tables['upload_chunk']>;
export type Owner = { readonly tenantId: Key; readonly ownerId: Key };

const openStatuses = ['UPLOADING', 'PAUSED', 'FINALIZING'] as const;

const mine = (db: Db, { tenantId, ownerId }: Owner) =>
  db.selectFrom('upload').selectAll().where('tenant_id', '=', tenantId).where('owner_id', '=', ownerId);

export async function findUpload(db: Db, owner: Owner, clientId: string): Promise<UploadRow | null> {
  return (await mine(db, owner).where('client_id', '=', clientId).executeTakeFirst()) ?? null;
}

/** Held until the transaction ends, so that what is decided on it stays true. */
export async function lockUpload(tx: Tx, engine: Engine, owner: Owner, clientId: string): Promise<UploadRow | null> {
  const query = mine(tx, owner).where('client_id', '=', clientId);
  return (await query.$if(engine === 'postgres', q => q.forUpdate()).executeTakeFirst()) ?? null;
}

export async function lockUploadById(tx: Tx, engine: Engine, id: Key): Promise<UploadRow | null> {
  const query = tx.selectFrom('upload').selectAll().where('id', '=', id);
  return (await query.$if(engine === 'postgres', q => q.forUpdate()).executeTakeFirst()) ?? null;
}

export async function findUploadById(db: Db, id: Key): Promise<UploadRow | null> {
  return (await db.selectFrom('upload').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** For jobs and sagas, which act for nobody in particular. */
export const getUploadById = (db: Db, id: Key): Promise<UploadRow> =>
  db.selectFrom('upload').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** The upload that a client means by its own key. */
export async function findUploadByClientKey(db: Db, owner: Owner, key: string): Promise<UploadRow | null> {
  const query = mine(db, owner).where('client_key', '=', key).where('status', 'in', openStatuses);
  return (await query.orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null;
}

/** Uploads that take chunks and that no key means yet, the newest first. */
const unkeyed = (db: Db, owner: Owner, now: Time) =>
  mine(db, owner)
    .where('status', '=', 'UPLOADING')
    .where('kind', '=', 'proxied')
    .where('client_key', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('id', 'desc')
    .limit(1);

export const findUnkeyed = async (db: Db, owner: Owner, totalChunks: number, now: Time): Promise<UploadRow | null> =>
  (await unkeyed(db, owner, now).where('total_chunks', '=', totalChunks).executeTakeFirst()) ?? null;

/** Another upload of the same file, begun after this one. */
export async function findBegunAgain(db: Db, upload: UploadRow, now: Time): Promise<UploadRow | null> {
  const query = unkeyed(db, { tenantId: upload.tenant_id, ownerId: upload.owner_id }, now)
    .where('id', '>', upload.id)
    .where('file_name', '=', upload.file_name)
    .where('file_size', '=', upload.file_size)
    .where('chunk_size', '=', upload.chunk_size);
  return (await query.executeTakeFirst()) ?? null;
}

/** Null when another key was faster. */
export async function bindClientKey(db: Db, { id, tenant_id }: UploadRow, key: string): Promise<UploadRow | null> {
  const bound = await db
    .updateTable('upload')
    .set({ client_key: key })
    .where('id', '=', id)
    .where('tenant_id', '=', tenant_id)
    .where('client_key', 'is', null)
    .returningAll()
    .executeTakeFirst();
  return bound ?? null;
}

/** The upload that a staged object belongs to, and the row of the part. */
export async function findStagedPart(db: Db, key: string): Promise<{ upload: UploadRow; part: ChunkRow } | null> {
  const [, staging] = /^staging\/([0-9A-Za-z]+)\//.exec(key) ?? [];
  if (staging === undefined) return null;
  const upload = await db.selectFrom('upload').selectAll().where('staging', '=', staging).executeTakeFirst();
  if (!upload) return null;
  const part = await findChunk(db, upload.id, Number(key.split('/').at(-1)));
  return part?.storage_key === key ? { upload, part } : null;
}

export const listOpenUploads = (db: Db, owner: Owner, limit: number): Promise<UploadRow[]> =>
  mine(db, owner).where('status', 'in', openStatuses).orderBy('created_at', 'desc').limit(limit).execute();

/** Null when the client id is taken. */
export async function insertUpload(tx: Tx, values: Insertable<Tables['upload']>): Promise<UploadRow | null> {
  const query = tx
    .insertInto('upload')
    .values(values)
    .onConflict(conflict => conflict.doNothing());
  return (await query.returningAll().executeTakeFirst()) ?? null;
}

type UploadChange = Partial<Pick<UploadRow, 'status' | 'expires_at' | 'attempt' | 'file_id' | 'failure'>>;

export async function updateUpload(db: Db, id: Key, change: UploadChange): Promise<UploadRow> {
  return db.updateTable('upload').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

/** A sign of life; never brings back what has ended. */
export async function touchUpload(db: Db, id: Key, expiresAt: Time): Promise<void> {
  await db
    .updateTable('upload')
    .set({ expires_at: expiresAt })
    .where('id', '=', id)
    .where('status', '=', 'UPLOADING')
    .execute();
}

/** Null when the upload takes no chunks now. */
export async function countAndTouch(
  tx: Tx,
  id: Key,
  { by, now, expiresAt }: { by: number; now: Time; expiresAt: Time },
): Promise<UploadRow | null> {
  const changed = await tx
    .updateTable('upload')
    .set(eb => ({ received_chunks: eb('received_chunks', '+', by), expires_at: expiresAt }))
    .where('id', '=', id)
    .where('status', '=', 'UPLOADING')
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
  return changed ?? null;
}

export async function findChunk(db: Db, uploadId: Key, index: number): Promise<ChunkRow | null> {
  const query = db.selectFrom('upload_chunk').selectAll().where('upload_id', '=', uploadId);
  return (await query.where('chunk_index', '=', index).executeTakeFirst()) ?? null;
}

export const listChunks = (db: Db, uploadId: Key): Promise<ChunkRow[]> =>
  db.selectFrom('upload_chunk').selectAll().where('upload_id', '=', uploadId).orderBy('chunk_index').execute();

export async function listAnnounced(db: Db, uploadId: Key): Promise<number[]> {
  const rows = await db.selectFrom('upload_chunk').select('chunk_index').where('upload_id', '=', uploadId).execute();
  return rows.map(row => row.chunk_index);
}

export async function listReceived(db: Db, { id, status, total_chunks }: UploadRow): Promise<number[]> {
  if (status === 'COMPLETED') return Array.from({ length: total_chunks }, (_, index) => index); // the rows may be gone
  const query = db.selectFrom('upload_chunk').select('chunk_index').where('upload_id', '=', id);
  return (await query.where('received', '=', 1).orderBy('chunk_index').execute()).map(row => row.chunk_index);
}

/** False when the chunk is there already; the caller then compares. */
export async function insertReceived(tx: Tx, chunk: ChunkRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('upload_chunk')
    .values(chunk)
    .onConflict(conflict => conflict.doNothing())
    .returning('chunk_index')
    .executeTakeFirst();
  return inserted !== undefined;
}

const batch = 500;

export async function insertDeclared(tx: Tx, chunks: readonly ChunkRow[]): Promise<void> {
  for (let from = 0; from < chunks.length; from += batch) {
    await tx
      .insertInto('upload_chunk')
      .values(chunks.slice(from, from + batch))
      .onConflict(conflict => conflict.doNothing())
      .execute();
  }
}

/** Notes of one declared part whether it has arrived; answers by how much that changes the count. */
export async function markPart(tx: Tx, part: ChunkRow, received: 0 | 1): Promise<-1 | 0 | 1> {
  const { numUpdatedRows } = await tx
    .updateTable('upload_chunk')
    .set({ received })
    .where('upload_id', '=', part.upload_id)
    .where('chunk_index', '=', part.chunk_index)
    .where('received', '=', 1 - received)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return 0;
  return received === 1 ? 1 : -1;
}

/** Declared parts that arrived, or that must be sent again after all; counted with it. */
export async function markReceived(tx: Tx, uploadId: Key, indexes: readonly number[], received: 0 | 1): Promise<void> {
  for (let from = 0; from < indexes.length; from += batch) {
    const { numUpdatedRows } = await tx
      .updateTable('upload_chunk')
      .set({ received })
      .where('upload_id', '=', uploadId)
      .where('chunk_index', 'in', indexes.slice(from, from + batch))
      .where('received', '=', received === 1 ? 0 : 1)
      .executeTakeFirstOrThrow();
    const by = received === 1 ? Number(numUpdatedRows) : -Number(numUpdatedRows);
    await tx
      .updateTable('upload')
      .set(eb => ({ received_chunks: eb('received_chunks', '+', by) }))
      .where('id', '=', uploadId)
      .execute();
  }
}

export async function markChecked(tx: Tx, uploadId: Key, etags: ReadonlyMap<number, string>): Promise<void> {
  for (const [index, etag] of etags) {
    await tx
      .updateTable('upload_chunk')
      .set({ checked_etag: etag })
      .where('upload_id', '=', uploadId)
      .where('chunk_index', '=', index)
      .execute();
  }
}

export async function forgetChunks(tx: Tx, uploadId: Key, indexes: readonly number[]): Promise<void> {
  for (let from = 0; from < indexes.length; from += batch) {
    const some = indexes.slice(from, from + batch);
    await tx.deleteFrom('upload_chunk').where('upload_id', '=', uploadId).where('chunk_index', 'in', some).execute();
  }
}

export async function deleteChunks(tx: Tx, uploadId: Key): Promise<void> {
  await tx.deleteFrom('upload_chunk').where('upload_id', '=', uploadId).execute();
}

export async function expireIdle(tx: Tx, now: Time, limit: number): Promise<UploadRow[]> {
  const idle = tx
    .selectFrom('upload')
    .select('id')
    .where('status', 'in', ['UPLOADING', 'PAUSED'])
    .where('expires_at', '<=', now)
    .limit(limit);
  return tx
    .updateTable('upload')
    .set({ status: 'EXPIRED' })
    .where('id', 'in', idle)
    .where('status', 'in', ['UPLOADING', 'PAUSED']) // a sign of life may have come between
    .where('expires_at', '<=', now)
    .returningAll()
    .execute();
}

/** Its client id is free again; a dot stands in no client id, so the old row is in nobody's way. */
export async function giveUpClientId(tx: Tx, upload: UploadRow): Promise<void> {
  await tx
    .updateTable('upload')
    .set({ client_id: `expired.${upload.id}` })
    .where('id', '=', upload.id)
    .execute();
}

/** Ended uploads that nobody will ask for again. */
export async function deleteEnded(tx: Tx, before: Time, limit: number): Promise<number> {
  const old = tx
    .selectFrom('upload')
    .select('id')
    .where('status', 'in', ['COMPLETED', 'CANCELLED', 'EXPIRED', 'FAILED'])
    .where('expires_at', '<=', before)
    .limit(limit);
  const { numDeletedRows } = await tx.deleteFrom('upload').where('id', 'in', old).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
