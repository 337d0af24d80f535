// Reads back what was staged, in order: the digest of the whole file, and the proof that each chunk is what was received
// or announced. Nothing that was not read here is ever registered. What has arrived is read while the rest is still on
// its way; a chunk that was touched since is read once more, with all the others.
import type { ContentDigest, ReadChunk, StoredChunk } from '../../platform/content/content-digest.ts';
import { ContentError } from '../../platform/crypto/content-suite.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import { ObjectStoreError } from '../../platform/objects/object-store.ts';
import { bareHash, toDigest } from './digests.ts';
import type { UploadPorts } from './ports.ts';
import { type ChunkRow, findChunk, type UploadRow } from './queries.ts';
import { openUploadKey } from './upload-key.ts';

type Ports = Pick<UploadPorts, 'database' | 'contents' | 'keyProvider' | 'log'>;

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

/** A reading that stands behind some first chunks of an upload. */
type Begun = { readonly digest: ContentDigest; readonly read: ReadChunk[] };

/** Less is read in a moment, when the upload is completed. */
const largeBytes = 16 * 1024 * 1024;
const isLarge = (upload: UploadRow): boolean => upload.file_size >= largeBytes;
const openDigest = ({ contents }: Ports, upload: UploadRow): ContentDigest =>
  contents.openDigest(isLarge(upload) ? 'thread' : 'here');

export async function checkContent(
  ports: Ports,
  upload: UploadRow,
  chunks: readonly ChunkRow[],
  signal: AbortSignal,
): Promise<CheckedContent> {
  const begun = await takeReading(ports, upload, chunks);
  const { digest, read } = begun ?? { digest: openDigest(ports, upload), read: [] };
  const etags = new Map(read.map(({ etag }, index) => [index, etag]));
  const bad: number[] = [];
  try {
    for (const chunk of chunks.slice(read.length)) {
      try {
        const { etag } = await digest.add(await toStored(ports, upload, chunk), signal);
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

async function toStored(ports: Ports, upload: UploadRow, chunk: ChunkRow): Promise<StoredChunk> {
  const stored = { key: chunk.storage_key, size: chunk.stored_size };
  if (upload.kind === 'direct') return { ...stored, proof: { sha256: bareHash(chunk.stored_hash) } };
  // A sealed chunk proves itself frame by frame: only the bytes that were hashed when they were stored open under its key.
  const place = { index: chunk.chunk_index, count: upload.total_chunks };
  const sealed = { ...(await openUploadKey(ports, upload)), tenantId: String(upload.tenant_id), ...place };
  return { ...stored, proof: { sealed } };
}

const mostReadings = 64;

type Reading = Begun & { running: Promise<void> | null; hasFailed: boolean };

/** Of this process alone, by the upload's place in the store: a shortcut that may be lost at any time. */
const readings = new Map<string, Reading>();

/** Call when a chunk has been acknowledged; returns at once. */
export function readOn(ports: Ports, upload: UploadRow): void {
  if (!ports.contents.hasThreads || upload.total_chunks === 1 || !isLarge(upload)) return;
  const reading = readings.get(upload.staging) ?? openReading(ports, upload);
  reading.running ??= readArrived(ports, upload, reading).finally(() => {
    reading.running = null;
  });
}

function openReading(ports: Ports, upload: UploadRow): Reading {
  const reading: Reading = { digest: openDigest(ports, upload), read: [], running: null, hasFailed: false };
  readings.set(upload.staging, reading);
  const [oldest] = readings.keys();
  if (readings.size > mostReadings && oldest !== undefined) forgetReading({ staging: oldest });
  return reading;
}

async function readArrived(ports: Ports, upload: UploadRow, reading: Reading): Promise<void> {
  try {
    for (;;) {
      const chunk = reading.hasFailed ? null : await findChunk(ports.database.db, upload.id, reading.read.length);
      if (chunk === null || chunk.received === 0) return;
      reading.read.push(await reading.digest.add(await toStored(ports, upload, chunk)));
    }
  } catch (error) {
    // Completing reads it all itself, and says what is wrong.
    reading.hasFailed = true;
    ports.log.debug({ err: error }, 'reading ahead ended early');
  }
}

export function forgetReading({ staging }: Pick<UploadRow, 'staging'>): void {
  const reading = readings.get(staging);
  readings.delete(staging);
  if (!reading) return;
  reading.hasFailed = true;
  reading.digest.drop();
}

/** What was read ahead, when all of it is still as it was read. */
async function takeReading(ports: Ports, upload: UploadRow, chunks: readonly ChunkRow[]): Promise<Begun | null> {
  const reading = readings.get(upload.staging);
  if (!reading) return null;
  readings.delete(upload.staging);
  await reading.running;
  const { read, digest, hasFailed } = reading;
  const stamps = await inParallel(chunks.slice(0, read.length), chunk => ports.contents.findStamp(chunk.storage_key));
  if (!hasFailed && read.every(({ stamp }, index) => stamp !== undefined && stamp === stamps[index])) return reading;
  digest.drop();
  return null;
}
