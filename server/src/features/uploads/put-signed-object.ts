// The embedded store behind the addresses it has signed for writing. An upload that has ended takes nothing any more,
// however long its addresses would be good.

import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { putSignedObject as contract } from '@recordproof/shared/api/uploads.ts';
import type { PlainAnswer, Request } from '../../platform/http/route.ts';
import type { StoredObject } from '../../platform/objects/object-store.ts';
import { acknowledgeChunk } from './acknowledge-chunk.ts';
import { readOn } from './content-check.ts';
import { toDigest } from './digests.ts';
import { refuseUnlessReceiving } from './policy.ts';
import type { UploadPorts } from './ports.ts';
import { type ChunkRow, findStagedPart, markPart, type UploadRow } from './queries.ts';
import { verifyGrant } from './signed-grant.ts';

type Call = Request<typeof contract>;

export async function putSignedObject(ports: UploadPorts, request: Call): Promise<PlainAnswer> {
  const { key, size = 0 } = verifyGrant(ports, request);
  const staged = await findStagedPart(ports.database.db, key);
  if (!staged) throw new ApiError('FORBIDDEN', 'this address is not valid any more');
  refuseUnlessReceiving(staged.upload, 'direct', ports.clock.now());
  const stored = await ports.objects.put(key, request.stream, { size, signal: request.signal, ownsBlocks: true });
  readOn(ports, await adopt(ports, staged.part, stored));
  return { status: 200, headers: { etag: `"${stored.etag}"`, 'cache-control': 'no-store' }, body: null };
}

/** Notes what arrived, for those who ask how far the upload is; completing reads it all back whatever stands here. */
async function adopt(ports: UploadPorts, part: ChunkRow, stored: StoredObject): Promise<UploadRow> {
  const { db } = ports.database;
  const asAnnounced = toDigest(stored.sha256) === part.stored_hash;
  const note = db.transaction().execute(async tx => {
    const by = await markPart(tx, part, asAnnounced ? 1 : 0);
    return acknowledgeChunk(ports, tx, part.upload_id, { kind: 'direct', by });
  });
  return note.catch(async error => {
    // The upload ended while the bytes came in. While it is being completed they are what it reads, so they stay.
    if (error instanceof ApiError) await takeAway(ports, part);
    throw error;
  });
}

async function takeAway({ database, objects }: UploadPorts, part: ChunkRow): Promise<void> {
  const staged = await findStagedPart(database.db, part.storage_key);
  const isInUse = staged !== null && ['UPLOADING', 'PAUSED', 'FINALIZING'].includes(staged.upload.status);
  if (!isInUse) await objects.delete(part.storage_key);
}
