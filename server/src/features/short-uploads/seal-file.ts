// Sealing of a short upload: one pass through hash, seal and store, then its evidence. The object is not referenced
// yet; a failed upload deletes it, or else the sweep of its staging area.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import { MeasuredStream } from '../../platform/content/measured.ts';
import { newFileKey, sealChunk, toSealedSize } from '../../platform/crypto/content-suite.ts';
import type { ByteSource } from '../../platform/objects/object-store.ts';
import type { Server } from '../../platform/server.ts';
import { toFileHash } from '../chain/index.ts';
import { contentSuiteForWriting, type Wrapping } from '../crypto-policy/index.ts';
import { sealFor } from '../envelopes/index.ts';
import type { FileRow, NewFile } from '../files/index.ts';
import { buildManifest } from '../manifests/index.ts';
import type { FileToRecord } from '../stored/index.ts';
import type { PlacedObject } from '../stored-objects/index.ts';
import type { Slot } from './staging-areas.ts';

export type ShortFile = {
  readonly fileName: string;
  readonly fileSize: number;
  readonly contentType: string;
  readonly path?: string | undefined;
  /** Verified if given. */
  readonly contentHash?: string | undefined;
  /** The file that this is the next version of. */
  readonly target: FileRow | null;
  readonly source: ByteSource;
  /** Whether the blocks may be overwritten or freed. */
  readonly ownsBlocks: boolean;
  readonly signal: AbortSignal;
  /** The origin of this record: an idempotency key. */
  readonly createdBy?: string;
};

export type SealedFile = Omit<FileToRecord, 'file' | 'heldBy' | 'audit'> & {
  readonly slot: Slot;
  readonly record: NewFile & { readonly id: number };
  readonly object: PlacedObject;
};

/** The outcome of the upload is decided: what cannot be deleted now, the sweep of its staging area deletes. */
export const discard = ({ objects, log }: Pick<Server, 'objects' | 'log'>, path: string): Promise<void> =>
  objects.delete(path).catch(err => log.warn({ err, path }, 'failed to delete the object of a rejected short upload'));

export async function sealFile(
  server: Pick<Server, 'objects' | 'log' | 'stagingAreas'> & Wrapping,
  call: Call,
  file: ShortFile,
): Promise<SealedFile> {
  const { tenantId, userId: ownerId } = call.actor;
  const encryption = await contentSuiteForWriting(server, tenantId, { sealed: true });
  const slot = await server.stagingAreas.take();
  const { fileId, path } = slot;
  const key = newFileKey();
  const measured = new MeasuredStream(file.fileSize, 'this file');
  const chunk = { ...key, tenantId: String(tenantId), index: 0, count: 1 };
  const sealed: ByteSource = sealChunk(chunk, measured.pass(file.source), { ownsBlocks: file.ownsBlocks });
  const size = toSealedSize(file.fileSize);
  const { sha256 } = await server.objects.put(path, sealed, { size, signal: file.signal, ownsBlocks: true });
  const contentHash = `sha256:${measured.sha256()}`;
  if (file.contentHash !== undefined && file.contentHash !== contentHash) {
    await discard(server, path);
    throw new ApiError('DATA_IS_WRONG', `the file has the contentHash ${contentHash}, not the declared one`);
  }
  const fileHash = toFileHash({ subject: path, contentHash, fileSize: file.fileSize });
  const manifest = buildManifest({
    fileHash,
    chunkSize: file.fileSize,
    totalSize: file.fileSize,
    storageBackend: server.objects.backend,
    encryptionAlgorithm: encryption,
    chunks: [{ index: 0, plainHash: contentHash, cipherHash: `sha256:${sha256}`, storagePath: path }],
  });
  const recipient = { recipientType: 'OWNER', recipientId: String(ownerId) } as const;
  const record = {
    id: fileId,
    tenantId,
    ownerId,
    beginsChain: file.target === null,
    fileHash,
    contentHash,
    fileName: file.fileName,
    fileSize: file.fileSize,
    contentType: file.contentType,
    path: file.path ?? file.target?.path ?? null,
    encryption,
    fileNonce: Buffer.from(key.fileNonce).toString('hex'),
    createdBy: file.createdBy ?? path,
  };
  return {
    slot,
    record,
    object: { tenantId, holder: `file:${fileId}`, sha256, size, path },
    manifest,
    target: file.target,
    envelope: await sealFor(server, key, { tenantId, fileId, fileHash, ...recipient }),
    call,
  };
}
