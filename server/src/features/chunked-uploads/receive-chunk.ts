// Receipt of one part (chunk) of an upload: its bytes pass once through hash, seal and store. They are synced by the
// object store before the row that records them is committed. Sending the same bytes again is accepted, other bytes
// under a received number are rejected.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { toDigest } from '../../platform/content/digests.ts';
import { exactly, MeasuredStream } from '../../platform/content/measured.ts';
import { type ChunkContext, toSealedSize } from '../../platform/crypto/content-suite.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import { randomBase62 } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import {
  assertReceiving,
  type ChunkRow,
  countAndTouch,
  expiryOf,
  findChunk,
  findUploadById,
  insertReceived,
  lengthOfChunk,
  openUploadKey,
  stagingPrefix,
  type UploadRow,
} from '../upload-sessions/index.ts';
import { readOn } from './content-check.ts';
import { notifyProgress } from './notify-owner.ts';

type Bytes = AsyncIterable<Uint8Array>;

type Incoming = {
  readonly index: number;
  readonly source: Bytes;
  readonly signal: AbortSignal;
  /** Whether the blocks may be overwritten or freed. */
  readonly ownsBlocks: boolean;
};

const whatArrives = 'this chunk';

export async function receiveChunk(server: Server, upload: UploadRow, incoming: Incoming): Promise<number> {
  const { index, source } = incoming;
  assertReceiving(upload, 'proxied', server.clock.now());
  if (index >= upload.total_chunks) {
    throw new ApiError('PARAM_IS_INVALID', `this upload has the chunks 0 to ${upload.total_chunks - 1}`);
  }
  const existing = await findChunk(server.database.db, upload.id, index);
  if (!existing) return storeChunk(server, upload, incoming);
  const measured = new MeasuredStream(lengthOfChunk(upload, index), whatArrives);
  for await (const _block of measured.pass(source)); // only compared, not stored
  rejectOther(existing.plain_hash, toDigest(measured.sha256()));
  return upload.received_chunks;
}

function rejectOther(expected: string, arrived: string): void {
  if (expected !== arrived) throw new ApiError('CONFLICT', 'this chunk was already received with different bytes');
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
    // A definite rejection; after any other error the row may exist, and the object stays until the upload has ended.
    if (error instanceof ApiError) {
      server.underWay.forget(upload);
      await server.objects.delete(storageKey);
    }
    throw error;
  });
  if (outcome.isNew) notifyProgress(server, upload, outcome.received);
  else await yieldToWinner(server, chunk);
  readOn(server, upload);
  return outcome.received;
}

/** The same chunk was received twice concurrently: the first row is valid, these bytes are deleted. */
async function yieldToWinner(
  { database, objects }: Pick<Server, 'database' | 'objects'>,
  { upload_id, chunk_index, storage_key, plain_hash }: ChunkRow,
): Promise<void> {
  await objects.delete(storage_key);
  const winner = await findChunk(database.db, upload_id, chunk_index);
  if (winner) rejectOther(winner.plain_hash, plain_hash);
}

/**
 * Counts a chunk, renews the upload's expiry, and locks the upload until the transaction ends. Once per chunk, so in as
 * few statements as possible. An upload that no longer accepts chunks throws, which also rolls back the chunk.
 */
export async function acknowledgeChunk(
  server: Pick<Server, 'clock' | 'config'>,
  tx: Tx,
  uploadId: Key,
  change: { readonly kind: 'proxied' | 'direct'; readonly by: number },
): Promise<UploadRow> {
  const now = server.clock.now();
  const upload = await countAndTouch(tx, uploadId, { by: change.by, now, expiresAt: expiryOf(server) });
  if (upload) return upload;
  const ended = await findUploadById(tx, uploadId);
  if (!ended) throw new ApiError('UPLOAD_SESSION_NOT_FOUND');
  assertReceiving(ended, change.kind, now);
  throw new ApiError('CONFLICT', 'this upload has just been resumed; send the chunk again');
}
