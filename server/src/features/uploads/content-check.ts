// Reads what was staged once more, in order: the digest of the whole file, and for direct parts the proof that each is
// what was announced. Nothing that was not read here is ever registered.
import { createHash, type Hash } from 'node:crypto';
import { ContentError, openChunk } from '../../platform/crypto/content-suite.ts';
import { type ObjectRead, ObjectStoreError } from '../../platform/objects/object-store.ts';
import type { UploadPorts } from './ports.ts';
import type { ChunkRow, UploadRow } from './queries.ts';
import { toDigest } from './receive-chunk.ts';
import { openUploadKey } from './upload-key.ts';

export type CheckedContent = {
  readonly contentHash: string;
  /** Which bytes exactly were read, by chunk. */
  readonly etags: ReadonlyMap<number, string>;
  /** Parts that are missing or not what was announced. */
  readonly bad: readonly number[];
};

const badKinds: readonly string[] = ['NOT_FOUND', 'LENGTH_MISMATCH', 'HASH_MISMATCH', 'CORRUPT'];
const isBadChunk = (error: unknown): boolean =>
  (error instanceof ObjectStoreError && badKinds.includes(error.kind)) || error instanceof ContentError;

export async function checkContent(
  ports: UploadPorts,
  upload: UploadRow,
  chunks: readonly ChunkRow[],
  signal: AbortSignal,
): Promise<CheckedContent> {
  const whole = createHash('sha256');
  const etags = new Map<number, string>();
  const bad: number[] = [];
  for (const chunk of chunks) {
    try {
      etags.set(chunk.chunk_index, await readChunk(ports, upload, chunk, whole, signal));
    } catch (error) {
      if (!isBadChunk(error)) throw error;
      bad.push(chunk.chunk_index);
    }
  }
  return { contentHash: toDigest(whole.digest('hex')), etags, bad };
}

async function readChunk(
  ports: UploadPorts,
  upload: UploadRow,
  chunk: ChunkRow,
  whole: Hash,
  signal: AbortSignal,
): Promise<string> {
  // A sealed chunk proves itself frame by frame: only the bytes that were hashed when they were stored open under its key.
  const sha256 = upload.kind === 'direct' ? { sha256: chunk.stored_hash.slice('sha256:'.length) } : {};
  const read = await ports.objects.get(chunk.storage_key, { signal, ...sha256 });
  if (read.size !== chunk.stored_size)
    throw new ObjectStoreError('LENGTH_MISMATCH', 'a staged object has another length');
  for await (const block of await plainBytes(ports, upload, chunk, read)) whole.update(block);
  return read.etag;
}

async function plainBytes(
  ports: UploadPorts,
  upload: UploadRow,
  chunk: ChunkRow,
  read: ObjectRead,
): Promise<AsyncIterable<Uint8Array>> {
  if (upload.kind === 'direct') return read.body;
  const key = await openUploadKey(ports, upload);
  const place = { index: chunk.chunk_index, count: upload.total_chunks };
  return openChunk({ ...key, tenantId: String(upload.tenant_id), ...place }, read.body);
}
