// Replacing damaged objects with verified bytes. The store accepts only the recorded bytes: whatever a donor or a
// backup supplies, the existing object stays unless the hash of the manifest matches.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type ChunkManifest, type ManifestChunk, plainSizeOf } from '@recordproof/shared/evidence/chunk-manifest.ts';
import { plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import { type FileKey, headerBytes, sealChunk, sealNonceOf } from '../../platform/crypto/content-suite.ts';
import { checkedRead } from '../../platform/objects/checked-stream.ts';
import { ObjectStoreError } from '../../platform/objects/object-store.ts';
import type { Server } from '../../platform/server.ts';
import { ContentDamaged, parseManifestOf, readContent } from '../downloads/index.ts';
import { findFileKey, toOwner } from '../envelopes/index.ts';
import type { FileRow } from '../files/index.ts';
import { type ChunkProblem, examineBytes, examineHead, findRecordMismatch, isSealed, toHex } from './examine-chunks.ts';
import { readSubjects, type Subject } from './examine-file.ts';

export type Healing = Pick<Server, 'database' | 'clock' | 'log' | 'objects' | 'keyProviders' | 'suites'>;

export type DamagedFile = Subject & { readonly manifest: ChunkManifest };

type PlainBytes = AsyncIterable<Uint8Array>;

/** Throws if there is no reliable record of the expected bytes. */
export async function openDamagedFile({ database }: Pick<Server, 'database'>, file: FileRow): Promise<DamagedFile> {
  const [subject] = await readSubjects(database.db, file.tenant_id, [file]);
  const json = subject?.manifestJson ?? null;
  if (subject === undefined || json === null)
    throw new ApiError('UNPROCESSABLE', 'the file has no manifest, so its original bytes are unknown');
  try {
    return { ...subject, manifest: parseManifestOf(file, json) };
  } catch (cause) {
    if (!(cause instanceof ContentDamaged)) throw cause;
    throw new ApiError('UNPROCESSABLE', 'the manifest is damaged: restore it from a backup first', { cause });
  }
}

/** Reads all chunks, sequentially. */
export async function findProblems(
  { objects }: Pick<Server, 'objects'>,
  { manifest, kept }: DamagedFile,
  signal: AbortSignal,
): Promise<ChunkProblem[]> {
  const problems: ChunkProblem[] = [];
  for (const chunk of manifest.chunks) {
    const head = { kept, chunk, isDeclared: isSealed(manifest), signal };
    const problem = (await examineHead(objects, head)) ?? (await examineBytes(objects, chunk, signal));
    if (problem !== null) problems.push(problem);
  }
  return problems;
}

const keyOf = ({ database, ...server }: Healing, file: FileRow): Promise<FileKey> =>
  findFileKey(database.db, server, file, toOwner(file));

/** The bytes of a chunk from another record of the same content, whose chunk boundaries may differ. */
export async function* readFromDonor(
  server: Healing,
  donor: FileRow,
  { manifest }: DamagedFile,
  chunk: ManifestChunk,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const opened = await openDamagedFile(server, donor);
  const dataKey = donor.encryption === plainSuite ? null : (await keyOf(server, donor)).dataKey;
  const start = chunk.index * manifest.chunkSize;
  const range = { start, end: start + plainSizeOf(chunk) };
  yield* readContent(server.objects, { file: donor, manifest: opened.manifest, dataKey }, range, signal);
}

type Source = { readonly chunk: ManifestChunk; readonly bytes: PlainBytes; readonly signal: AbortSignal };

/** With plaintext bytes of the file. */
export async function healWithPlain(
  server: Healing,
  damagedFile: DamagedFile,
  { chunk, bytes, signal }: Source,
): Promise<void> {
  const proven = checkedRead(bytes, { length: plainSizeOf(chunk), sha256: toHex(chunk.plainHash) });
  if (damagedFile.file.encryption === plainSuite)
    return healWithStored(server, damagedFile, { chunk, bytes: proven, signal });
  const sealNonce = await findSealNonce(server, chunk, signal);
  const context = {
    ...(await keyOf(server, damagedFile.file)),
    tenantId: String(damagedFile.file.tenant_id),
    index: chunk.index,
    count: damagedFile.manifest.chunks.length,
  };
  await healWithStored(server, damagedFile, { chunk, bytes: sealChunk(context, proven, { sealNonce }), signal });
}

/** With bytes as stored. An object that the database does not assign to this file may belong to another. */
export async function healWithStored(
  { objects }: Pick<Server, 'objects'>,
  { kept }: DamagedFile,
  { chunk, bytes, signal }: Source,
): Promise<void> {
  const misnoted = findRecordMismatch(kept, chunk);
  if (misnoted !== null)
    throw new ApiError('UNPROCESSABLE', `${misnoted}: restore the rows of its objects from a backup of the database`);
  await objects.put(chunk.storagePath, bytes, { size: chunk.size, sha256: toHex(chunk.cipherHash), signal });
}

/**
 * Recreating a sealed chunk needs its original nonce, which is stored only at its beginning. It is read even from a
 * damaged object: with a wrong nonce the bytes do not have the recorded hash, and the store rejects them.
 */
async function findSealNonce(
  { objects }: Pick<Server, 'objects'>,
  { storagePath }: ManifestChunk,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const header = await objects.readStart(storagePath, headerBytes, signal).catch((cause: unknown) => {
    const isLost = cause instanceof ObjectStoreError && ['NOT_FOUND', 'CORRUPT'].includes(cause.kind);
    throw isLost ? beginningIsLost(cause) : cause;
  });
  if (header.length < headerBytes) throw beginningIsLost();
  return Uint8Array.from(sealNonceOf(header));
}

const beginningIsLost = (cause?: unknown): ApiError =>
  new ApiError(
    'UNPROCESSABLE',
    'the header of this sealed chunk is lost: only its stored bytes from a backup can repair it',
    { cause },
  );
