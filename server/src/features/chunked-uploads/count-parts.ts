// Counting parts uploaded directly to the object store. The embedded store recorded each on arrival; any other store is
// queried.
import type { Server } from '../../platform/server.ts';
import { getUploadById, listChunks, markReceived, stagingPrefix, type UploadRow } from '../upload-sessions/index.ts';

/** The upload after all parts in the store are counted. */
export async function countParts(
  { objects, database }: Pick<Server, 'objects' | 'database'>,
  upload: UploadRow,
): Promise<UploadRow> {
  const isOpen = upload.status === 'UPLOADING' || upload.status === 'PAUSED';
  if (objects.backend === 'DISK' || upload.kind !== 'direct' || !isOpen) return upload;
  const awaited = new Map((await listChunks(database.db, upload.id)).map(chunk => [chunk.storage_key, chunk]));
  const arrived: number[] = [];
  for await (const { key, size } of objects.list(stagingPrefix(upload))) {
    const chunk = awaited.get(key);
    if (chunk?.received === 0 && chunk.stored_size === size) arrived.push(chunk.chunk_index);
  }
  if (arrived.length === 0) return upload;
  await database.db.transaction().execute(tx => markReceived(tx, upload.id, arrived, 1));
  return getUploadById(database.db, upload.id);
}
