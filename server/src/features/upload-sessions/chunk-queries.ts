// SQL on the chunks of uploads.
import type { Selectable } from 'kysely';
import { deleteWhere, selectWhere, updateWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Tx } from '../../platform/db/tables.ts';
import type { UploadRow } from './queries.ts';

export type ChunkRow = Selectable<Tables['upload_chunk']>;

/** The prefix of all staged parts. */
export const stagingArea = 'staging/';

/** The prefix of the staged parts of one upload. */
export const stagingPrefix = (upload: Pick<UploadRow, 'staging'>): string => `${stagingArea}${upload.staging}/`;

export async function findChunk(db: Db, uploadId: Key, index: number): Promise<ChunkRow | null> {
  const query = db.selectFrom('upload_chunk').selectAll().where('upload_id', '=', uploadId);
  return (await query.where('chunk_index', '=', index).executeTakeFirst()) ?? null;
}

export const listChunks = (db: Db, uploadId: Key): Promise<ChunkRow[]> =>
  db.selectFrom('upload_chunk').selectAll().where('upload_id', '=', uploadId).orderBy('chunk_index').execute();

/** Received chunks, ordered, with gaps. */
export const listArrivedFrom = (
  db: Db,
  uploadId: Key,
  { from, most }: { readonly from: number; readonly most: number },
): Promise<ChunkRow[]> =>
  selectWhere(db, 'upload_chunk', { upload_id: uploadId, received: 1 })
    .selectAll()
    .where('chunk_index', '>=', from)
    .orderBy('chunk_index')
    .limit(most)
    .execute();

export async function listAnnounced(db: Db, uploadId: Key): Promise<number[]> {
  const rows = await db.selectFrom('upload_chunk').select('chunk_index').where('upload_id', '=', uploadId).execute();
  return rows.map(row => row.chunk_index);
}

export async function listReceived(db: Db, { id, status, total_chunks }: UploadRow): Promise<number[]> {
  if (status === 'COMPLETED') return Array.from({ length: total_chunks }, (_, index) => index); // rows may be deleted
  const query = db.selectFrom('upload_chunk').select('chunk_index').where('upload_id', '=', id);
  return (await query.where('received', '=', 1).orderBy('chunk_index').execute()).map(row => row.chunk_index);
}

/** Returns false if the chunk exists already; the caller then compares. */
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

/** Sets declared parts as arrived, or to be sent again, and updates the count. */
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
    await updateWhere(tx, 'upload_chunk', { upload_id: uploadId, chunk_index: index }, { checked_etag: etag });
  }
}

export async function forgetChunks(tx: Tx, uploadId: Key, indexes: readonly number[]): Promise<void> {
  for (let from = 0; from < indexes.length; from += batch) {
    const some = indexes.slice(from, from + batch);
    await tx.deleteFrom('upload_chunk').where('upload_id', '=', uploadId).where('chunk_index', 'in', some).execute();
  }
}

export const deleteChunks = (tx: Tx, uploadId: Key): Promise<void> =>
  deleteWhere(tx, 'upload_chunk', { upload_id: uploadId });
