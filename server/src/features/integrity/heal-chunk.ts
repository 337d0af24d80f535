// Puts proven bytes in the place of damaged ones. The store takes nothing but exactly the recorded bytes: whatever a donor
// or a backup brings, what lay there before stays unless the hash of the manifest is met.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type ChunkManifest, type ManifestChunk, plainSizeOf } from '@recordproof/shared/evidence/chunk-manifest.ts';
import { plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import { type FileKey, headerBytes, sealChunk, sealNonceOf } from '../../platform/crypto/content-suite.ts';
import { checkedRead } from '../../platform/objects/checked-stream.ts';
import { ObjectStoreError } from '../../platform/objects/object-store.ts';
import type { Server } from '../../platform/server.ts';
import { openFileKey } from '../envelopes/index.ts';
import { ContentDamaged, type FileRow, parseManifestOf, readContent } from '../files/index.ts';
import { type ChunkProblem, examineBytes, examineHead, findMisnoted, isSealed, toHex } from './examine-chunks.ts';
import type { Subject } from './examine-file.ts';
import { readSubjects } from './read-subjects.ts';

export type Healing = Pick<Server, 'database' | 'clock' | 'log' | 'objects' | 'keyProviders' | 'suites'>;

export type Patient = Subject & { readonly manifest: ChunkManifest };

type PlainBytes = AsyncIterable<Uint8Array>;

/** Throws where nothing tells reliably what the bytes should be. */
export async function openPatient({ database }: Pick<Server, 'database'>, file: FileRow): Promise<Patient> {
  const [subject] = await readSubjects(database.db, file.tenant_id, [file]);
  const json = subject?.manifestJson ?? null;
  if (subject === undefined || json === null)
    throw new ApiError('UNPROCESSABLE', 'the file has no manifest: nothing tells what its bytes should be');
  try {
    return { ...subject, manifest: parseManifestOf(file, json) };
  } catch (cause) {
    if (!(cause instanceof ContentDamaged)) throw cause;
    throw new ApiError('UNPROCESSABLE', 'the manifest is damaged: restore it from a backup first', { cause });
  }
}

/** Reads every chunk, one after the other. */
export async function findProblems(
  { objects }: Pick<Server, 'objects'>,
  { manifest, kept }: Patient,
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

const keyOf = ({ database, ...server }: Healing, file: FileRow): Promise<FileKey> => {
  const { tenant_id: tenantId, id: fileId, file_hash: fileHash, owner_id } = file;
  const subject = { tenantId, fileId, fileHash, recipientType: 'OWNER', recipientId: String(owner_id) } as const;
  return openFileKey(database.db, server, subject, Buffer.from(file.file_nonce ?? '', 'hex'));
};

/** The bytes of a chunk as another record of the same content has them, wherever its own chunks begin. */
export async function* readFromDonor(
  server: Healing,
  donor: FileRow,
  { manifest }: Patient,
  chunk: ManifestChunk,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const opened = await openPatient(server, donor);
  const dataKey = donor.encryption === plainSuite ? null : (await keyOf(server, donor)).dataKey;
  const start = chunk.index * manifest.chunkSize;
  const range = { start, end: start + plainSizeOf(chunk) };
  yield* readContent(server.objects, { file: donor, manifest: opened.manifest, dataKey }, range, signal);
}

type Source = { readonly chunk: ManifestChunk; readonly bytes: PlainBytes; readonly signal: AbortSignal };

/** With the bytes of the file itself. */
export async function healWithPlain(
  server: Healing,
  patient: Patient,
  { chunk, bytes, signal }: Source,
): Promise<void> {
  const proven = checkedRead(bytes, { length: plainSizeOf(chunk), sha256: toHex(chunk.plainHash) });
  if (patient.file.encryption === plainSuite) return healWithStored(server, patient, { chunk, bytes: proven, signal });
  const sealNonce = await findSealNonce(server, chunk, signal);
  const context = {
    ...(await keyOf(server, patient.file)),
    tenantId: String(patient.file.tenant_id),
    index: chunk.index,
    count: patient.manifest.chunks.length,
  };
  await healWithStored(server, patient, { chunk, bytes: sealChunk(context, proven, { sealNonce }), signal });
}

/** With the bytes as they lay in the store. What the database does not call an object of this file may be another’s. */
export async function healWithStored(
  { objects }: Pick<Server, 'objects'>,
  { kept }: Patient,
  { chunk, bytes, signal }: Source,
): Promise<void> {
  const misnoted = findMisnoted(kept, chunk);
  if (misnoted !== null)
    throw new ApiError('UNPROCESSABLE', `${misnoted}: restore the rows of its objects from a backup of the database`);
  await objects.put(chunk.storagePath, bytes, { size: chunk.size, sha256: toHex(chunk.cipherHash), signal });
}

/**
 * A sealed chunk can be made again only with the nonce it was sealed with, which stands at its beginning alone. Read however
 * damaged the object is: with another nonce the bytes do not have the recorded hash, and the store takes nothing else.
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
    'the beginning of this sealed chunk is lost: only its stored bytes from a backup can heal it',
    { cause },
  );
