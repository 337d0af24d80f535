// The recorded parts of unfinished uploads against those in the object store.
import type { Db, Key } from '../../platform/db/tables.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import type { Server } from '../../platform/server.ts';
import {
  forgetChunks,
  getUploadById,
  listChunks,
  listReceiving,
  markReceived,
  stagingPrefix,
  type UploadRow,
} from '../upload-sessions/index.ts';

/**
 * The upload after all parts in the store are counted. The embedded store recorded each on arrival; any other store is
 * queried.
 */
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

const uploadsAtOnce = 200;

type ChunkContext = { readonly db: Db; readonly objects: Pick<ObjectStore, 'findHead'> };

/**
 * After a restore: parts in the database that are missing in the store are treated as never received, so that a resumed
 * upload sends them again. Requires that no server runs. Returns how many parts were lost.
 */
export async function forgetLostChunks(ground: ChunkContext): Promise<number> {
  let lost = 0;
  for (let after: Key = 0; ; ) {
    const uploads = await listReceiving(ground.db, after, uploadsAtOnce);
    const last = uploads.at(-1);
    if (last === undefined) return lost;
    for (const upload of uploads) lost += await forgetLost(ground, upload);
    after = last.id;
  }
}

async function forgetLost({ db, objects }: ChunkContext, { id, kind }: UploadRow): Promise<number> {
  const received = (await listChunks(db, id)).filter(chunk => chunk.received === 1);
  const heads = await inParallel(received, chunk => objects.findHead(chunk.storage_key));
  const lost = received.filter((_, index) => heads[index] === null).map(chunk => chunk.chunk_index);
  if (lost.length === 0) return 0;
  await db.transaction().execute(async tx => {
    await markReceived(tx, id, lost, 0);
    if (kind === 'proxied') await forgetChunks(tx, id, lost); // otherwise the announcement stays
  });
  return lost.length;
}
