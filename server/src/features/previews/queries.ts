// All SQL on thumbnails.
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';

type NewThumbnail = { readonly fileId: Key; readonly tenantId: Key; readonly content: Uint8Array };

/** Replaces an existing one. */
export async function putThumbnailRows(tx: Tx, thumbnails: readonly NewThumbnail[], now: Time): Promise<void> {
  if (thumbnails.length === 0) return;
  const rows = thumbnails.map(({ fileId, tenantId, content }) => ({
    file_id: fileId,
    tenant_id: tenantId,
    content: Buffer.from(content),
    created_at: now,
  }));
  await tx
    .insertInto('thumbnail')
    .values(rows)
    .onConflict(conflict =>
      conflict.column('file_id').doUpdateSet(eb => ({
        content: eb.ref('excluded.content'),
        created_at: eb.ref('excluded.created_at'),
      })),
    )
    .execute();
}

type Files = { readonly tenantId: Key; readonly fileIds: readonly Key[] };

const thumbnailsOf = (db: Db, { tenantId, fileIds }: Files) =>
  db.selectFrom('thumbnail').where('tenant_id', '=', tenantId).where('file_id', 'in', fileIds);

export async function findThumbnails(db: Db, files: Files): Promise<ReadonlyMap<Key, Uint8Array>> {
  if (files.fileIds.length === 0) return new Map();
  const rows = await thumbnailsOf(db, files).select(['file_id', 'content']).execute();
  return new Map(rows.map(row => [row.file_id, row.content]));
}

/** Which of the files have one. */
export async function listWithThumbnail(db: Db, files: Files): Promise<ReadonlySet<Key>> {
  if (files.fileIds.length === 0) return new Set();
  const rows = await thumbnailsOf(db, files).select('file_id').execute();
  return new Set(rows.map(row => row.file_id));
}

export async function deleteThumbnail(
  tx: Tx,
  { tenant_id, id }: { readonly tenant_id: Key; readonly id: Key },
): Promise<void> {
  await tx.deleteFrom('thumbnail').where('tenant_id', '=', tenant_id).where('file_id', '=', id).execute();
}
