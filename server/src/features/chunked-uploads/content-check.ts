// Content check of staged chunks, in order: the digest of the whole file, and verification that each chunk is as
// received or announced. Only bytes read here are ever registered. Received chunks are read while others are still
// being uploaded; if a chunk has changed since, all are read again.
import type { ContentDigest, StoredChunk } from '../../platform/content/content-digest.ts';
import { bareHash, toDigest } from '../../platform/content/digests.ts';
import { ContentError } from '../../platform/crypto/content-suite.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import { ObjectStoreError } from '../../platform/objects/object-store.ts';
import type { Server } from '../../platform/server.ts';
import {
  type Begun,
  type ChunkRow,
  listArrivedFrom,
  openUploadKey,
  type Reading,
  type UploadRow,
} from '../upload-sessions/index.ts';

type Reads = Pick<Server, 'database' | 'contents' | 'keyProviders' | 'log' | 'underWay'>;

type CheckedContent = {
  readonly contentHash: string;
  /** The exact bytes read, as ETag by chunk. */
  readonly etags: ReadonlyMap<number, string>;
  /** Parts that are missing or not as announced. */
  readonly bad: readonly number[];
};

const badKinds: readonly string[] = ['NOT_FOUND', 'LENGTH_MISMATCH', 'HASH_MISMATCH', 'CORRUPT'];
const isBadChunk = (error: unknown): boolean =>
  (error instanceof ObjectStoreError && badKinds.includes(error.kind)) || error instanceof ContentError;

/** Smaller files are read when the upload is completed. */
const largeBytes = 16 * 1024 * 1024;
/** Chunk rows per query. */
const mostAtOnce = 64;
const isLarge = (upload: UploadRow): boolean => upload.file_size >= largeBytes;
/** Whether an imprint is useful: only a worker thread uses one. */
export const isReadByThread = ({ contents }: Pick<Server, 'contents'>, upload: UploadRow): boolean =>
  contents.hasThreads && isLarge(upload);
const openDigest = ({ contents }: Reads, upload: UploadRow): ContentDigest =>
  contents.openDigest(isLarge(upload) ? 'thread' : 'here');

export async function checkContent(
  server: Reads,
  upload: UploadRow,
  chunks: readonly ChunkRow[],
  signal: AbortSignal,
): Promise<CheckedContent> {
  const begun = await takeReading(server, upload, chunks);
  const { digest, read } = begun ?? { digest: openDigest(server, upload), read: [] };
  const etags = new Map(read.map(({ etag }, index) => [index, etag]));
  const bad: number[] = [];
  try {
    for (const chunk of chunks.slice(read.length)) {
      try {
        const { etag } = await digest.add(await toStored(server, upload, chunk), signal);
        etags.set(chunk.chunk_index, etag);
      } catch (error) {
        if (!isBadChunk(error)) throw error;
        bad.push(chunk.chunk_index);
      }
    }
    return { contentHash: toDigest(await digest.finish()), etags, bad };
  } finally {
    digest.drop();
  }
}

async function toStored(server: Reads, upload: UploadRow, chunk: ChunkRow): Promise<StoredChunk> {
  const stored = { key: chunk.storage_key, size: chunk.stored_size };
  if (upload.kind === 'direct') {
    const imprint = server.underWay.imprints.take(chunk.storage_key);
    return { ...stored, proof: { sha256: bareHash(chunk.stored_hash), imprint } };
  }
  // A sealed chunk authenticates each frame: only the bytes hashed on storing open under its key.
  const position = { index: chunk.chunk_index, count: upload.total_chunks };
  const sealed = { ...(await openUploadKey(server, upload)), tenantId: String(upload.tenant_id), ...position };
  return { ...stored, proof: { sealed } };
}

/** Call when a chunk has been acknowledged; returns at once. */
export function readOn(server: Reads, upload: UploadRow): void {
  if (upload.total_chunks === 1 || !isReadByThread(server, upload)) return;
  const { underWay } = server;
  const reading = underWay.readings.get(upload.staging) ?? openReading(server, upload);
  reading.hasNews = true;
  reading.running ??= underWay.track(readArrived(server, upload, reading)).finally(() => {
    reading.running = null;
  });
}

function openReading(server: Reads, upload: UploadRow): Reading {
  const reading: Reading = {
    digest: openDigest(server, upload),
    read: [],
    running: null,
    hasNews: false,
    isOver: false,
  };
  server.underWay.readings.set(upload.staging, reading);
  return reading;
}

async function readArrived(server: Reads, upload: UploadRow, reading: Reading): Promise<void> {
  try {
    while (reading.hasNews && !reading.isOver) {
      reading.hasNews = false;
      await readRun(server, upload, reading);
    }
  } catch (error) {
    // The completion reads everything itself and reports the error.
    reading.isOver = true;
    server.log.debug({ err: error }, 'a read-ahead of upload content ended early');
  }
}

/** The contiguous chunks after those already read. */
async function readRun(server: Reads, upload: UploadRow, reading: Reading): Promise<void> {
  const { db } = server.database;
  const arrived = await listArrivedFrom(db, upload.id, { from: reading.read.length, most: mostAtOnce });
  for (const chunk of arrived) {
    if (reading.isOver || chunk.chunk_index !== reading.read.length) return;
    reading.read.push(await reading.digest.add(await toStored(server, upload, chunk)));
  }
  if (arrived.length === mostAtOnce) reading.hasNews = true;
}

/** The read-ahead result, if all of it is unchanged. */
async function takeReading(server: Reads, upload: UploadRow, chunks: readonly ChunkRow[]): Promise<Begun | null> {
  const reading = server.underWay.readings.take(upload.staging);
  if (!reading) return null;
  await reading.running;
  const { read, digest, isOver } = reading;
  const stamps = await inParallel(chunks.slice(0, read.length), chunk => server.contents.findStamp(chunk.storage_key));
  if (!isOver && read.every(({ stamp }, index) => stamp !== undefined && stamp === stamps[index])) return reading;
  digest.drop();
  return null;
}
