// Examining the stored objects of one file: metadata in database and store and, if requested, their bytes. Bytes are
// read through `digest` alone. An unreachable store is an outage and no damage: it throws.
import { randomInt } from 'node:crypto';
import type { ChunkManifest, ManifestChunk } from '@recordproof/shared/evidence/chunk-manifest.ts';
import { plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import { type ObjectStore, ObjectStoreError } from '../../platform/objects/object-store.ts';
import type { HeldBy } from '../stored-objects/index.ts';
import type { Finding } from './findings.ts';

type Objects = Pick<ObjectStore, 'findHead' | 'digest'>;
type ObjectProblem = 'OBJECT_NOT_FOUND' | 'METADATA_MISMATCH' | 'CONTENT_HASH_MISMATCH';

/** Where bytes are stored, and their expected size and hash. */
export type StoredBytes = Pick<ManifestChunk, 'storagePath' | 'size' | 'cipherHash'>;

export type ChunkProblem<Chunk extends StoredBytes = ManifestChunk> = {
  readonly chunk: Chunk;
  readonly alertType: ObjectProblem;
  readonly reason: string;
  readonly actualHash?: string;
};

const prefix = 'sha256:';
export const toHex = (digest: string): string => digest.slice(prefix.length);

export type Kept = ReadonlyMap<string, Pick<HeldBy, 'sha256' | 'size' | 'etag'>>;

/** Checks the object's database record alone, without the store. */
export function findRecordMismatch(kept: Kept, chunk: StoredBytes): string | null {
  const noted = kept.get(chunk.storagePath);
  if (noted === undefined) return `the database has no row for object ${chunk.storagePath} of this file`;
  if (noted.size !== chunk.size)
    return `the database has ${noted.size} bytes for object ${chunk.storagePath}, the manifest ${chunk.size}`;
  return noted.sha256 === toHex(chunk.cipherHash)
    ? null
    : `the database has another SHA-256 for object ${chunk.storagePath} than the manifest`;
}

type Head<Chunk extends StoredBytes> = {
  readonly kept: Kept;
  readonly chunk: Chunk;
  /** The server wrote it, so the store has its hash. */
  readonly isDeclared: boolean;
  readonly signal: AbortSignal;
};

/**
 * Returns null if nothing is wrong. Reads the object only if the ETag has changed since all its bytes were verified;
 * uploading the same bytes again also changes it.
 */
export async function examineHead<Chunk extends StoredBytes>(
  objects: Objects,
  { kept, chunk, isDeclared, signal }: Head<Chunk>,
): Promise<ChunkProblem<Chunk> | null> {
  const mismatch = (reason: string): ChunkProblem<Chunk> => ({ chunk, alertType: 'METADATA_MISMATCH', reason });
  const misnoted = findRecordMismatch(kept, chunk);
  if (misnoted !== null) return mismatch(misnoted);
  const head = await objects.findHead(chunk.storagePath).catch((error: unknown) => {
    if (error instanceof ObjectStoreError && error.kind === 'CORRUPT') return mismatch(error.message);
    throw error;
  });
  if (head === null) return { chunk, alertType: 'OBJECT_NOT_FOUND', reason: 'the object is not in the store' };
  if ('alertType' in head) return head;
  if (head.size !== chunk.size) return mismatch(`${head.size} bytes are stored, ${chunk.size} were recorded`);
  if (head.etag === '') return mismatch('the store declares no ETag');
  if (head.sha256 === undefined && isDeclared) return mismatch('the store declares no hash');
  if (head.sha256 !== undefined && head.sha256 !== toHex(chunk.cipherHash))
    return { ...mismatch('the store declares another hash than was recorded'), actualHash: prefix + head.sha256 };
  const verifiedEtag = kept.get(chunk.storagePath)?.etag ?? head.etag;
  return head.etag === verifiedEtag ? null : examineBytes(objects, chunk, signal);
}

/** Sealed chunks pass through the server; others may have been uploaded to the store directly, without a hash. */
export const isSealed = ({ encryptionAlgorithm }: Pick<ChunkManifest, 'encryptionAlgorithm'>): boolean =>
  encryptionAlgorithm !== plainSuite;

/** Reads every byte of the object. Returns null if nothing is wrong. */
export async function examineBytes<Chunk extends StoredBytes>(
  objects: Objects,
  chunk: Chunk,
  signal: AbortSignal,
): Promise<ChunkProblem<Chunk> | null> {
  try {
    const { sha256 } = await objects.digest(chunk.storagePath, signal);
    const actualHash = prefix + sha256;
    if (actualHash === chunk.cipherHash) return null;
    return { chunk, alertType: 'CONTENT_HASH_MISMATCH', reason: 'the stored bytes have another hash', actualHash };
  } catch (error) {
    if (!(error instanceof ObjectStoreError)) throw error;
    if (error.kind === 'NOT_FOUND') return { chunk, alertType: 'OBJECT_NOT_FOUND', reason: error.message };
    if (error.kind === 'CORRUPT') return { chunk, alertType: 'CONTENT_HASH_MISMATCH', reason: error.message };
    throw error;
  }
}

/** A random sample, limited in number and total size. */
export function sampleChunks(
  { chunks }: ChunkManifest,
  { sampleChunks: sampleSize, maxDownloadBytes }: { readonly sampleChunks: number; readonly maxDownloadBytes: number },
): ManifestChunk[] {
  const left = [...chunks];
  const sample: ManifestChunk[] = [];
  let bytes = 0;
  while (sample.length < sampleSize && left.length > 0) {
    const [chunk] = left.splice(randomInt(left.length), 1);
    if (chunk === undefined || bytes + chunk.size > maxDownloadBytes) continue;
    bytes += chunk.size;
    sample.push(chunk);
  }
  return sample;
}

/** One per type: its first chunk, and the number of others. */
export function toFindings(problems: readonly ChunkProblem[]): Finding[] {
  return [...Map.groupBy(problems, problem => problem.alertType)].flatMap(([alertType, [first, ...others]]) => {
    if (first === undefined) return [];
    const { chunk, reason, actualHash } = first;
    const evidence = {
      chunk: chunk.index,
      path: chunk.storagePath,
      reason: `chunk ${chunk.index}: ${reason}`,
      damagedChunks: others.length + 1,
      expectedHash: chunk.cipherHash,
    };
    return [{ alertType, evidence, ...(actualHash !== undefined && { actualHash }) }];
  });
}
