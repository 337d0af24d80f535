// One chunk comes in: its bytes pass once through hash, seal and store, then one row says that they are there. The same
// bytes again are welcome, other bytes under a received number are not.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { exactly, Measured } from '../../platform/content/measured.ts';
import { type ChunkContext, toSealedSize } from '../../platform/crypto/content-suite.ts';
import { randomBase62 } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { acknowledgeChunk } from './acknowledge-chunk.ts';
import { type ChunkRow, findChunk, insertReceived, stagingArea } from './chunk-queries.ts';
import { readOn } from './content-check.ts';
import { toDigest } from './digests.ts';
import { lengthOfChunk, refuseUnlessReceiving } from './policy.ts';
import type { UploadRow } from './queries.ts';
import { tellProgress } from './tell-owner.ts';
import { openUploadKey } from './upload-key.ts';

type Bytes = AsyncIterable<Uint8Array>;

export const stagingPrefix = (upload: Pick<UploadRow, 'staging'>): string => `${stagingArea}${upload.staging}/`;

type Incoming = {
  readonly index: number;
  readonly source: Bytes;
  readonly signal: AbortSignal;
  /** Whether nobody else has a use for the blocks. */
  readonly ownsBlocks: boolean;
};

const whatArrives = 'this chunk';

export async function receiveChunk(server: Server, upload: UploadRow, incoming: Incoming): Promise<number> {
  const { index, source } = incoming;
  refuseUnlessReceiving(upload, 'proxied', server.clock.now());
  if (index >= upload.total_chunks) {
    throw new ApiError('PARAM_IS_INVALID', `this upload has the chunks 0 to ${upload.total_chunks - 1}`);
  }
  const known = await findChunk(server.database.db, upload.id, index);
  if (!known) return storeChunk(server, upload, incoming);
  const measured = new Measured(lengthOfChunk(upload, index), whatArrives);
  for await (const _block of measured.pass(source)); // nothing to keep, only to compare
  refuseOther(known.plain_hash, toDigest(measured.sha256()));
  return upload.received_chunks;
}

function refuseOther(known: string, arrived: string): void {
  if (known !== arrived) throw new ApiError('CONFLICT', 'this chunk was received already, with other bytes');
}

async function storeChunk(
  server: Server,
  upload: UploadRow,
  { index, source, signal, ownsBlocks }: Incoming,
): Promise<number> {
  const plainSize = lengthOfChunk(upload, index);
  const key = await openUploadKey(server, upload);
  const context: ChunkContext = { ...key, tenantId: String(upload.tenant_id), index, count: upload.total_chunks };
  const storageKey = `${stagingPrefix(upload)}${index}-${randomBase62(8)}`;
  const { stored, sha256 } = await server.intake.store({
    key: storageKey,
    size: toSealedSize(plainSize),
    form: { kind: 'sealed', context },
    source: exactly(source, { bytes: plainSize, what: whatArrives }),
    signal,
    ownsBlocks,
  });
  const chunk = {
    upload_id: upload.id,
    chunk_index: index,
    plain_hash: toDigest(sha256),
    stored_hash: toDigest(stored.sha256),
    plain_size: plainSize,
    stored_size: stored.size,
    received: 1,
    storage_key: storageKey,
    checked_etag: null,
  };
  const { db } = server.database;
  const adopt = db.transaction().execute(async tx => {
    const isNew = await insertReceived(tx, chunk);
    const now = await acknowledgeChunk(server, tx, upload.id, { kind: 'proxied', by: isNew ? 1 : 0 });
    return { isNew, received: now.received_chunks };
  });
  const outcome = await adopt.catch(async error => {
    // Refused for sure; after any other failure the row may be there, and the object stays until the upload has ended.
    if (error instanceof ApiError) {
      server.underWay.forget(upload);
      await server.objects.delete(storageKey);
    }
    throw error;
  });
  if (outcome.isNew) tellProgress(server, upload, outcome.received);
  else await yieldToWinner(server, chunk);
  readOn(server, upload);
  return outcome.received;
}

/** The same chunk came twice at once: the first row counts, these bytes go. */
async function yieldToWinner(
  { database, objects }: Pick<Server, 'database' | 'objects'>,
  { upload_id, chunk_index, storage_key, plain_hash }: ChunkRow,
): Promise<void> {
  await objects.delete(storage_key);
  const winner = await findChunk(database.db, upload_id, chunk_index);
  if (winner) refuseOther(winner.plain_hash, plain_hash);
}
