// One chunk comes in: its bytes pass once through hash, seal and store, then one row says that they are there. The same
// bytes again are welcome, other bytes under a received number are not.
import { createHash } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type ChunkContext, sealChunk, toSealedSize } from '../../platform/crypto/content-suite.ts';
import { randomBase62 } from '../../platform/ids.ts';
import { acknowledgeChunk } from './acknowledge-chunk.ts';
import { readOn } from './content-check.ts';
import { toDigest } from './digests.ts';
import { lengthOfChunk, refuseUnlessReceiving } from './policy.ts';
import type { UploadPorts } from './ports.ts';
import { findChunk, insertReceived, type UploadRow } from './queries.ts';
import { openUploadKey } from './upload-key.ts';

type Bytes = AsyncIterable<Uint8Array>;

export const stagingPrefix = (upload: Pick<UploadRow, 'staging'>): string => `staging/${upload.staging}/`;

/** Passes the bytes on, counts and digests them; refuses any other length than the plan's. */
class Measured {
  readonly #hash = createHash('sha256');
  readonly #expected: number;
  #length = 0;

  constructor(expected: number) {
    this.#expected = expected;
  }

  async *pass(source: Bytes): AsyncGenerator<Uint8Array> {
    for await (const block of source) {
      this.#length += block.length;
      if (this.#length > this.#expected) throw this.#wrongLength('more');
      this.#hash.update(block);
      yield block;
    }
    if (this.#length < this.#expected) throw this.#wrongLength('fewer');
  }

  digest(): string {
    return toDigest(this.#hash.digest('hex'));
  }

  #wrongLength(how: string): ApiError {
    return new ApiError('PARAM_IS_INVALID', `this chunk has ${this.#expected} bytes by the plan; ${how} arrived`);
  }
}

type Receiving = {
  readonly signal: AbortSignal;
  /** Whether nobody else has a use for the blocks. */
  readonly ownsBlocks: boolean;
};

export async function receiveChunk(
  ports: UploadPorts,
  upload: UploadRow,
  index: number,
  source: Bytes,
  receiving: Receiving,
): Promise<number> {
  refuseUnlessReceiving(upload, 'proxied', ports.clock.now());
  if (index >= upload.total_chunks) {
    throw new ApiError('PARAM_IS_INVALID', `this upload has the chunks 0 to ${upload.total_chunks - 1}`);
  }
  const measured = new Measured(lengthOfChunk(upload, index));
  const known = await findChunk(ports.database.db, upload.id, index);
  if (!known) return storeChunk(ports, upload, index, measured, source, receiving);
  for await (const _block of measured.pass(source)); // nothing to keep, only to compare
  refuseOther(known.plain_hash, measured.digest());
  return upload.received_chunks;
}

function refuseOther(known: string, arrived: string): void {
  if (known !== arrived) throw new ApiError('CONFLICT', 'this chunk was received already, with other bytes');
}

async function storeChunk(
  ports: UploadPorts,
  upload: UploadRow,
  index: number,
  measured: Measured,
  source: Bytes,
  { signal, ownsBlocks }: Receiving,
): Promise<number> {
  const plainSize = lengthOfChunk(upload, index);
  const key = await openUploadKey(ports, upload);
  const context: ChunkContext = { ...key, tenantId: String(upload.tenant_id), index, count: upload.total_chunks };
  const storageKey = `${stagingPrefix(upload)}${index}-${randomBase62(8)}`;
  const size = toSealedSize(plainSize);
  const sealed = sealChunk(context, measured.pass(source), { ownsBlocks });
  const stored = await ports.objects.put(storageKey, sealed, { size, signal, ownsBlocks: true });
  const plainHash = measured.digest();
  const chunk = {
    upload_id: upload.id,
    chunk_index: index,
    plain_hash: plainHash,
    stored_hash: toDigest(stored.sha256),
    plain_size: plainSize,
    stored_size: stored.size,
    received: 1,
    storage_key: storageKey,
    checked_etag: null,
  };
  const { db } = ports.database;
  const adopt = db.transaction().execute(async tx => {
    const isNew = await insertReceived(tx, chunk);
    const now = await acknowledgeChunk(ports, tx, upload.id, { kind: 'proxied', by: isNew ? 1 : 0 });
    return { isNew, received: now.received_chunks };
  });
  const outcome = await adopt.catch(async error => {
    // Refused for sure; after any other failure the row may be there, and the object stays until the upload has ended.
    if (error instanceof ApiError) await ports.objects.delete(storageKey);
    throw error;
  });
  if (outcome.isNew) ports.tellProgress(upload, outcome.received);
  else await yieldToWinner(ports, upload, index, storageKey, plainHash);
  readOn(ports, upload);
  return outcome.received;
}

/** The same chunk came twice at once: the first row counts, these bytes go. */
async function yieldToWinner(
  { database, objects }: UploadPorts,
  upload: UploadRow,
  index: number,
  storageKey: string,
  plainHash: string,
): Promise<void> {
  await objects.delete(storageKey);
  const winner = await findChunk(database.db, upload.id, index);
  if (winner) refuseOther(winner.plain_hash, plainHash);
}
