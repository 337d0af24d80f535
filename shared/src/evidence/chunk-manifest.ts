// Chunk manifests, recordproof.chunk-manifest.v1 (docs/spec/manifest.md): construction, canonical bytes, and the hash
// that is anchored. Rejects plans with gaps, wrong sizes, unsafe paths, and a wrong hash.
import { canonicalBytes, type JsonValue } from './canonical-json.ts';
import { type ContentSuite, framesOf, gcmChunkSuite, plainSuite, storedSize } from './content-suites.ts';
import { digestOf } from './digest.ts';
import { parseStrictJson } from './strict-json.ts';
import { arrayOf, digestText, hexHash, integer, objectOf, oneOf, ShapeError, text } from './strict-shape.ts';

export const chunkManifestSchema = 'recordproof.chunk-manifest.v1';
export const maxChunks = 10_000;

export type ChunkPlan = {
  fileHash: string;
  chunkSize: number;
  totalSize: number;
  storageBackend: string;
  encryptionAlgorithm: ContentSuite;
  /** In any order. */
  chunks: readonly { index: number; plainHash: string; cipherHash: string; storagePath: string }[];
};

export const plainSizeOf = (chunk: ManifestChunk): number => chunk.plainSize ?? chunk.size;

/** The plaintext length of chunk `index`: all chunks are full except the last. */
export const plannedSize = (plan: { chunkSize: number; totalSize: number }, index: number): number =>
  Math.min(plan.chunkSize, plan.totalSize - index * plan.chunkSize);

/** Completes a plan into a manifest with its hash; throws ShapeError for an invalid plan. */
export function buildChunkManifest(plan: ChunkPlan): ChunkManifest {
  const frames = framesOf(plan.encryptionAlgorithm);
  const ordered = [...plan.chunks].sort((a, b) => a.index - b.index);
  const unhashed = {
    schema: chunkManifestSchema,
    fileHash: plan.fileHash,
    hashAlgorithm: 'SHA-256',
    chunkSize: plan.chunkSize,
    totalSize: plan.totalSize,
    storageBackend: plan.storageBackend,
    encryptionAlgorithm: plan.encryptionAlgorithm,
    ...(frames === undefined ? {} : { encryption: frames }),
    chunks: ordered.map(chunk => toManifestChunk(plan, chunk)),
  } as const;
  const manifest: ChunkManifest = { ...unhashed, manifestHash: manifestHashOf(unhashed) };
  return readSoundManifest(manifest);
}

function toManifestChunk(plan: ChunkPlan, chunk: ChunkPlan['chunks'][number]): ManifestChunk {
  const plainSize = plannedSize(plan, chunk.index);
  const size = storedSize(plan.encryptionAlgorithm, plainSize);
  return {
    index: chunk.index,
    plainHash: chunk.plainHash,
    cipherHash: chunk.cipherHash,
    size,
    ...(size === plainSize ? {} : { plainSize }),
    storagePath: chunk.storagePath,
    storageBackend: plan.storageBackend,
    checksumAlgorithm: 'SHA-256',
  };
}

/** SHA-256 over the canonical JSON without the member `manifestHash`. */
export function manifestHashOf(manifest: Omit<ChunkManifest, 'manifestHash'>): string {
  return digestOf(canonicalBytes({ ...manifest, manifestHash: undefined }));
}

export const chunkManifestBytes = (manifest: ChunkManifest): Uint8Array => canonicalBytes(manifest);

/** Valid as an object name in every store: relative, no empty, `.` or `..` segment, at most 512 characters. */
export const storagePath = text(
  /^(?=.{1,512}$)(?:(?!\.{1,2}(?:\/|$))[A-Za-z0-9._=-]+)(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._=-]+)*$/,
  'a relative object path of letters, digits and ._=-',
);
export const storageBackend = text(/^[A-Z0-9][A-Z0-9_-]{0,15}$/, 'the name of a storage backend');
export const contentSuite = oneOf(plainSuite, gcmChunkSuite);
const sha256Name = oneOf('SHA-256');

const chunkShape = objectOf(
  {
    index: integer(0, maxChunks - 1),
    plainHash: digestText,
    cipherHash: digestText,
    /** Length of the stored object. */
    size: integer(1),
    storagePath,
    storageBackend,
    checksumAlgorithm: sha256Name,
  },
  /** Length of the plaintext; only present if it differs from `size`. */
  { plainSize: integer(1) },
);
export type ManifestChunk = ReturnType<typeof chunkShape>;

const manifestShape = objectOf(
  {
    schema: oneOf(chunkManifestSchema),
    /** The chain record id; it is not a digest. */
    fileHash: hexHash,
    hashAlgorithm: sha256Name,
    chunkSize: integer(1),
    totalSize: integer(1),
    storageBackend,
    encryptionAlgorithm: contentSuite,
    chunks: arrayOf(chunkShape, 1, maxChunks),
    manifestHash: digestText,
  },
  {
    encryption: objectOf({ framePlainSize: integer(1), headerSize: integer(1), tagSize: integer(1) }),
    merkleRoot: digestText,
  },
);
export type ChunkManifest = ReturnType<typeof manifestShape>;

/** Parses a stored manifest: strict JSON, exact shape, valid plan, correct hash. */
export const parseChunkManifest = (bytes: Uint8Array): ChunkManifest => readChunkManifest(parseStrictJson(bytes));

/** Parses strict JSON of the exact shape, without checking plan and hash. */
export const readManifestShape = (bytes: Uint8Array): ChunkManifest => manifestShape(parseStrictJson(bytes), '');

function readChunkManifest(value: JsonValue): ChunkManifest {
  const manifest = readSoundManifest(value);
  if (manifestHashOf(manifest) !== manifest.manifestHash)
    throw new ShapeError('manifestHash', 'is not the hash of this manifest');
  return manifest;
}

function readSoundManifest(value: JsonValue): ChunkManifest {
  const manifest = manifestShape(value, '');
  assertPlan(manifest);
  for (const [index, chunk] of manifest.chunks.entries()) assertChunk(manifest, chunk, index);
  return manifest;
}

function assertPlan(manifest: ChunkManifest): void {
  if (manifest.chunks.length !== Math.ceil(manifest.totalSize / manifest.chunkSize))
    throw new ShapeError('chunks', 'must cover totalSize in steps of chunkSize');
  const frames = framesOf(manifest.encryptionAlgorithm);
  const encryption = manifest.encryption;
  const isSame =
    encryption?.framePlainSize === frames?.framePlainSize &&
    encryption?.headerSize === frames?.headerSize &&
    encryption?.tagSize === frames?.tagSize;
  if (!isSame) throw new ShapeError('encryption', 'must describe the encryption algorithm');
}

function assertChunk(manifest: ChunkManifest, chunk: ManifestChunk, index: number): void {
  const path = `chunks[${index}]`;
  if (chunk.index !== index) throw new ShapeError(path, 'must stand at its index');
  if (chunk.storageBackend !== manifest.storageBackend) throw new ShapeError(path, 'must lie in the same backend');
  const plainSize = plannedSize(manifest, index);
  if (chunk.size !== storedSize(manifest.encryptionAlgorithm, plainSize))
    throw new ShapeError(path, 'has a size that does not follow from the plan');
  if (chunk.plainSize !== (chunk.size === plainSize ? undefined : plainSize))
    throw new ShapeError(path, 'must state its plaintext size exactly when that differs');
  if (manifest.encryptionAlgorithm === plainSuite && chunk.plainHash !== chunk.cipherHash)
    throw new ShapeError(path, 'is stored as it is and must have one hash');
}
