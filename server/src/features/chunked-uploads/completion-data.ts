// Data of the completion saga, and the input of its last step: manifest, envelope and audit entry of the file,
// collected before the transaction, because sealing the envelope calls the key service.
import { ApiError, type ErrorKind } from '@recordproof/shared/api/errors.ts';
import { gcmChunkSuite, plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import { type Call, localCall, type Party } from '../../platform/call.ts';
import { bareHash } from '../../platform/content/digests.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { SagaRun } from '../../platform/saga/saga.ts';
import type { Server } from '../../platform/server.ts';
import { type KeyWait, type SealedEnvelope, sealFor } from '../envelopes/index.ts';
import { type FileRow, findFile } from '../files/index.ts';
import { type BuiltManifest, buildManifest } from '../manifests/index.ts';
import type { FileToStore } from '../stored/index.ts';
import { listHeld } from '../stored-objects/index.ts';
import { getUploadById, listChunks, openUploadKey, type UploadRow } from '../upload-sessions/index.ts';

/** Why a completion failed; `again` if the client can correct it and retry. */
export type Failure = { readonly kind: ErrorKind; readonly message: string; readonly again: boolean };

export type CompletionData = KeyWait & {
  readonly uploadId: Key;
  readonly attempt: number;
  /** The call that completes it; unknown for sagas started by an older server. */
  readonly call?: Call<Party>;
  readonly failure?: Failure;
  readonly contentHash?: string;
  readonly fileId?: Key;
  readonly transactionHash?: string;
};

export const completionKind = 'upload.finalize';
export type Run = SagaRun<CompletionData>;

export const callOf = ({ data }: Run, upload: UploadRow) =>
  data.call ?? localCall(completionKind, upload.tenant_id, upload.created_at);

export const holderOf = (upload: UploadRow, attempt: number) => ({
  tenantId: upload.tenant_id,
  holder: `upload:${upload.id}:${attempt}`,
});

export function getEarlier<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`an earlier step of the upload stored no ${what}`);
  return value;
}

export async function getPrepared(
  { database: { db } }: Server,
  run: Run,
): Promise<{ upload: UploadRow; file: FileRow }> {
  const upload = await getUploadById(db, run.data.uploadId);
  const file = await findFile(db, upload.tenant_id, getEarlier(run.data.fileId, 'file'));
  if (!file) throw new Error(`upload ${upload.id}: its file record ${run.data.fileId} is missing`);
  return { upload, file };
}

/** Everything that needs external calls, before the transaction that creates the file. */
export async function gather(server: Server, run: Run): Promise<FileToStore & { readonly upload: UploadRow }> {
  const { db } = server.database;
  const { data } = run;
  const { upload, file } = await getPrepared(server, run);
  const target = upload.target_file_id === null ? null : await findFile(db, upload.tenant_id, upload.target_file_id);
  if (upload.target_file_id !== null && !target) throw new ApiError('VERSION_SOURCE_INVALID');
  return {
    upload,
    file,
    manifest: await toManifest(server, run, upload, file),
    transactionHash: getEarlier(data.transactionHash, 'transaction'),
    target,
    envelope: upload.kind === 'direct' ? null : await sealForOwner(server, upload, file),
    heldBy: holderOf(upload, data.attempt).holder,
    call: callOf(run, upload),
    audit: {
      module: 'uploads',
      operation: 'store',
      description: `file ${upload.file_name} stored`,
      param: { clientId: upload.client_id },
    },
  };
}

async function sealForOwner(server: Server, upload: UploadRow, file: FileRow): Promise<SealedEnvelope> {
  return sealFor(server, await openUploadKey(server, upload), {
    tenantId: upload.tenant_id,
    fileId: file.id,
    fileHash: file.file_hash,
    recipientType: 'OWNER',
    recipientId: String(upload.owner_id),
  });
}

export async function toManifest(server: Server, run: Run, upload: UploadRow, file: FileRow): Promise<BuiltManifest> {
  const { db } = server.database;
  const chunks = await listChunks(db, upload.id);
  const paths = new Map(
    (await listHeld(db, holderOf(upload, run.data.attempt))).map(({ sha256, path }) => [sha256, path]),
  );
  return buildManifest({
    fileHash: file.file_hash,
    chunkSize: upload.chunk_size,
    totalSize: upload.file_size,
    storageBackend: server.objects.backend,
    encryptionAlgorithm: upload.kind === 'direct' ? plainSuite : gcmChunkSuite,
    chunks: chunks.map(chunk => ({
      index: chunk.chunk_index,
      plainHash: chunk.plain_hash,
      cipherHash: chunk.stored_hash,
      storagePath: getEarlier(paths.get(bareHash(chunk.stored_hash)), 'object'),
    })),
  });
}
