// Clean-up after a restore: parts in the database that are missing in the store are treated as never received, so that
// a resumed upload sends them again.
import type { Db, Key } from '../../platform/db/tables.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { forgetChunks, listChunks, listReceiving, markReceived, type UploadRow } from '../upload-sessions/index.ts';

const uploadsAtOnce = 200;

type ChunkContext = { readonly db: Db; readonly objects: Pick<ObjectStore, 'findHead'> };

/** Requires that no server runs. Returns how many parts were lost. */
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
