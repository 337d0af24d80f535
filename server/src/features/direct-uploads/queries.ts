// SQL on announced parts.
import { updateAndCount } from '../../platform/db/rows.ts';
import type { Db, Tx } from '../../platform/db/tables.ts';
import { type ChunkRow, findChunk, type UploadRow } from '../upload-sessions/index.ts';

export type StagedPart = { readonly upload: UploadRow; readonly part: ChunkRow };

/** The upload of a staged object, and the row of the part. */
export async function findStagedPart(db: Db, key: string): Promise<StagedPart | null> {
  const [, staging] = /^staging\/([0-9A-Za-z]+)\//.exec(key) ?? [];
  if (staging === undefined) return null;
  const upload = await db.selectFrom('upload').selectAll().where('staging', '=', staging).executeTakeFirst();
  if (!upload) return null;
  const part = await findChunk(db, upload.id, Number(key.split('/').at(-1)));
  return part?.storage_key === key ? { upload, part } : null;
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

/** Sets whether a declared part has arrived; returns the change of the count. */
export async function markPart(tx: Tx, part: ChunkRow, received: 0 | 1): Promise<-1 | 0 | 1> {
  const other = { upload_id: part.upload_id, chunk_index: part.chunk_index, received: 1 - received };
  if ((await updateAndCount(tx, 'upload_chunk', other, { received })) === 0) return 0;
  return received === 1 ? 1 : -1;
}
