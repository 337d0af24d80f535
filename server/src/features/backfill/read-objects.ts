// Examining the objects of a record in the store: first sizes, then every byte. Faulty objects are a result; an
// unreachable store throws.
import { createHash } from 'node:crypto';
import type { BackfillReason } from '@recordproof/shared/api/backfill-reasons.ts';
import { toDigest } from '@recordproof/shared/evidence/digest.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import { type ObjectStore, ObjectStoreError } from '../../platform/objects/object-store.ts';
import type { FileRow } from '../files/index.ts';
import type { ChunkRow } from './source-queries.ts';

/** In chunk order, as far as examined. */
export type InspectedObject = { readonly size: number | null; readonly sha256?: string };
type Inspection = { readonly found: readonly InspectedObject[]; readonly reason: BackfillReason | null };

type Objects = Pick<ObjectStore, 'findHead' | 'get'>;

const damage: Partial<Record<ObjectStoreError['kind'], BackfillReason>> = {
  NOT_FOUND: 'OBJECT_MISSING',
  CORRUPT: 'OBJECT_UNREADABLE',
};

function toDamage(error: unknown): BackfillReason {
  const reason = error instanceof ObjectStoreError ? damage[error.kind] : undefined;
  if (reason === undefined) throw error;
  return reason;
}

export async function inspectObjects(
  objects: Objects,
  file: FileRow,
  chunks: readonly ChunkRow[],
  signal: AbortSignal,
): Promise<Inspection> {
  const heads = await inParallel(chunks, chunk => findSize(objects, chunk, signal));
  const found = heads.map(size => ({ size: typeof size === 'number' ? size : null }));
  const reason = findSizeReason(chunks, heads);
  return reason === null ? readObjects(objects, file, chunks, signal) : { found, reason };
}

type Size = number | BackfillReason;

async function findSize(objects: Objects, { path }: ChunkRow, signal: AbortSignal): Promise<Size> {
  signal.throwIfAborted();
  try {
    return (await objects.findHead(path))?.size ?? 'OBJECT_MISSING';
  } catch (error) {
    return toDamage(error);
  }
}

/** The most severe fault. */
function findSizeReason(chunks: readonly ChunkRow[], sizes: readonly Size[]): BackfillReason | null {
  const missing = sizes.filter(size => size === 'OBJECT_MISSING').length;
  if (missing === sizes.length) return 'OBJECTS_GONE';
  if (missing > 0) return 'OBJECT_MISSING';
  const broken = sizes.find(size => typeof size === 'string');
  if (broken !== undefined) return broken;
  return sizes.every((size, index) => size === chunks[index]?.size) ? null : 'OBJECT_SIZE_MISMATCH';
}

/** Sequentially, because the file's hash covers them all. */
async function readObjects(
  objects: Objects,
  file: FileRow,
  chunks: readonly ChunkRow[],
  signal: AbortSignal,
): Promise<Inspection> {
  const whole = createHash('sha256');
  const found: InspectedObject[] = [];
  for (const { path, size, plain_hash: listed } of chunks) {
    const own = createHash('sha256');
    try {
      const { body } = await objects.get(path, { signal });
      for await (const block of body) {
        whole.update(block);
        own.update(block);
      }
    } catch (error) {
      return { found, reason: toDamage(error) };
    }
    const sha256 = own.digest('hex');
    found.push({ size, sha256 });
    if (listed !== null && listed !== `sha256:${sha256}`) return { found, reason: 'CHUNK_HASH_MISMATCH' };
  }
  const isSame = toDigest(whole.digest()) === file.content_hash;
  return { found, reason: isSame ? null : 'CONTENT_HASH_MISMATCH' };
}
