// Verified reads of a stored file, chunk by chunk: each chunk is verified before its last block is emitted. Ends
// without error only if all bytes match the manifest. Buffers one block, for any file size.
import type { KeyObject } from 'node:crypto';
import {
  type ChunkManifest,
  type ManifestChunk,
  parseChunkManifest,
  plainSizeOf,
} from '@recordproof/shared/evidence/chunk-manifest.ts';
import { bareHash } from '../../platform/content/digests.ts';
import { ContentError, openChunk, openChunkRange } from '../../platform/crypto/content-suite.ts';
import { WrongDataKey } from '../../platform/crypto/envelope.ts';
import { checkedRead } from '../../platform/objects/checked-stream.ts';
import { type ObjectStore, ObjectStoreError } from '../../platform/objects/object-store.ts';
import type { FileRow } from '../files/index.ts';
import type { ByteRange } from './ranges.ts';

type DamageKind = 'MANIFEST_INVALID' | 'OBJECT_NOT_FOUND' | 'METADATA_MISMATCH' | 'CONTENT_HASH_MISMATCH';

/** The stored bytes differ from the recorded ones. `chunk` is null for damage of the record itself. */
export class ContentDamaged extends Error {
  readonly kind: DamageKind;
  readonly chunk: number | null;
  readonly path: string | null;

  constructor(why: string, chunk: ManifestChunk | null, cause?: unknown) {
    super(why, { cause });
    this.name = 'ContentDamaged';
    this.kind = chunk === null ? 'MANIFEST_INVALID' : toKind(cause);
    this.chunk = chunk?.index ?? null;
    this.path = chunk?.storagePath ?? null;
  }
}

export type Content = {
  readonly file: FileRow;
  readonly manifest: ChunkManifest;
  /** For sealed files. */
  readonly dataKey: KeyObject | null;
};

function toKind(cause: unknown): DamageKind {
  const kind = cause instanceof ObjectStoreError || cause instanceof ContentError ? cause.kind : undefined;
  if (kind === 'NOT_FOUND') return 'OBJECT_NOT_FOUND';
  if (kind === 'LENGTH_MISMATCH' || kind === 'TRUNCATED') return 'METADATA_MISMATCH';
  return 'CONTENT_HASH_MISMATCH';
}

/** The manifest of this record: checks its own hash, and the record's hash, id, length and encryption. */
export function parseManifestOf(file: FileRow, canonicalJson: string): ChunkManifest {
  let manifest: ChunkManifest;
  try {
    manifest = parseChunkManifest(Buffer.from(canonicalJson, 'utf8'));
  } catch (cause) {
    throw new ContentDamaged(`the manifest of file ${file.id} is malformed`, null, cause);
  }
  const isOwn =
    manifest.manifestHash === file.manifest_hash &&
    manifest.fileHash === file.file_hash &&
    manifest.totalSize === file.file_size &&
    manifest.encryptionAlgorithm === file.encryption;
  if (!isOwn) throw new ContentDamaged(`the manifest of file ${file.id} does not match its record`, null);
  return manifest;
}

type Objects = Pick<ObjectStore, 'get' | 'digest'>;

/** Only faulty bytes are damage; an unreachable store is not. */
function toDamage(error: unknown, chunk: ManifestChunk): unknown {
  const isDamage =
    error instanceof ContentError ||
    (error instanceof ObjectStoreError &&
      ['NOT_FOUND', 'CORRUPT', 'RANGE_INVALID', 'HASH_MISMATCH', 'LENGTH_MISMATCH'].includes(error.kind));
  if (!isDamage) return error;
  return new ContentDamaged(`chunk ${chunk.index}: ${(error as Error).message}`, chunk, error);
}

/** The plaintext bytes of the range. Throws ContentDamaged, or the error of the store. */
export async function* readContent(
  objects: Objects,
  content: Content,
  range: ByteRange,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const { chunkSize, chunks } = content.manifest;
  for (let index = Math.floor(range.start / chunkSize); index * chunkSize < range.end; index += 1) {
    const chunk = chunks[index];
    if (chunk === undefined) throw new RangeError('the range is outside the file');
    const size = plainSizeOf(chunk);
    const start = Math.max(0, range.start - index * chunkSize);
    const part = { start, end: Math.min(size, range.end - index * chunkSize) };
    try {
      if (content.dataKey !== null) yield* readSealed(objects, content, content.dataKey, chunk, part, signal);
      else yield* readPlain(objects, chunk, part, signal);
    } catch (error) {
      throw (await isWrongKey(objects, content, chunk, { error, signal })) ? wrongKey(error) : toDamage(error, chunk);
    }
  }
}

type Failed = { readonly error: unknown; readonly signal: AbortSignal };

/** If the stored bytes match their recorded hash, a failure to decrypt means a wrong key. */
async function isWrongKey(
  objects: Objects,
  { dataKey }: Content,
  chunk: ManifestChunk,
  { error, signal }: Failed,
): Promise<boolean> {
  if (dataKey === null || !(error instanceof ContentError) || error.kind !== 'NOT_AUTHENTIC') return false;
  return (await objects.digest(chunk.storagePath, signal)).sha256 === bareHash(chunk.cipherHash);
}

const wrongKey = (cause: unknown) =>
  new WrongDataKey('the key from the key provider does not decrypt the stored bytes', cause);

/** Every frame is authenticated by the key; a complete chunk must also match its recorded hash. */
async function* readSealed(
  objects: Objects,
  { file, manifest }: Content,
  dataKey: KeyObject,
  chunk: ManifestChunk,
  part: ByteRange,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const context = {
    dataKey,
    fileNonce: Buffer.from(file.file_nonce ?? '', 'hex'),
    tenantId: String(file.tenant_id),
    index: chunk.index,
    count: manifest.chunks.length,
  };
  const size = plainSizeOf(chunk);
  if (part.start > 0 || part.end < size) {
    const read = async (start: number, end: number) =>
      (await objects.get(chunk.storagePath, { start, end, signal })).body;
    yield* openChunkRange(context, { sealedBytes: chunk.size, read }, part);
    return;
  }
  const stored = await objects.get(chunk.storagePath, { signal });
  if (stored.size !== chunk.size)
    throw new ContentError('TRUNCATED', `${stored.size} of ${chunk.size} bytes are stored`);
  const opened = openChunk(context, stored.body, { ownsBlocks: true });
  yield* checkedRead(opened, { length: size, sha256: bareHash(chunk.plainHash) });
}

/** Unsealed bytes can only be verified as a complete chunk, so a partial read reads the whole chunk. */
async function* readPlain(
  objects: Objects,
  chunk: ManifestChunk,
  part: ByteRange,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const stored = await objects.get(chunk.storagePath, { signal });
  const whole = checkedRead(stored.body, { length: chunk.size, sha256: bareHash(chunk.plainHash) });
  let position = 0;
  let held: Uint8Array | undefined;
  for await (const block of whole) {
    const requested = block.subarray(Math.max(0, part.start - position), Math.max(0, part.end - position));
    position += block.length;
    if (requested.length === 0) continue;
    if (held !== undefined) yield held;
    held = requested;
  }
  if (held !== undefined) yield held;
}
