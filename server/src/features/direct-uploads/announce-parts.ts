// Direct uploads to the object store: every part is announced with its hash, gets a presigned URL, and is accepted only
// after its bytes were read back. Parts may be announced in several calls.

import { type startDirectUpload as contract, manifestSchemaId } from '@recordproof/shared/api/direct-uploads.ts';
import type { AnswerOf, BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { parseChunkManifest } from '@recordproof/shared/evidence/chunk-manifest.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import type { PresignedRequest } from '../../platform/objects/object-store.ts';
import type { Server } from '../../platform/server.ts';
import { findActiveManifestJson } from '../manifests/index.ts';
import {
  assertReceiving,
  type ChunkRow,
  expiryOf,
  lengthOfChunk,
  listChunks,
  lockUploadById,
  markReceived,
  type Started,
  stagingPrefix,
  touchUpload,
  type UploadRow,
} from '../upload-sessions/index.ts';
import { insertDeclared } from './queries.ts';

type Part = BodyOf<typeof contract>['parts'][number];
type Answer = AnswerOf<typeof contract>;

function checkParts(upload: UploadRow, parts: readonly Part[]): void {
  const seen = new Set<number>();
  for (const { index, size, plainHash, cipherHash } of parts) {
    const reject = (why: string) => new ApiError('PARAM_IS_INVALID', `parts: part ${index} ${why}`);
    if (index >= upload.total_chunks) throw reject(`does not exist: the last one is part ${upload.total_chunks - 1}`);
    if (seen.has(index)) throw reject('is named twice');
    const length = lengthOfChunk(upload, index);
    if (size !== length) throw reject(`must have ${length} bytes, not ${size}`);
    if (plainHash !== cipherHash) throw reject('is stored unencrypted, so plainHash and cipherHash must be equal');
    seen.add(index);
  }
}

const toRow = (upload: UploadRow, part: Part): ChunkRow => ({
  upload_id: upload.id,
  chunk_index: part.index,
  plain_hash: part.plainHash,
  stored_hash: part.cipherHash,
  plain_size: part.size,
  stored_size: part.size,
  received: 0,
  storage_key: `${stagingPrefix(upload)}${part.index}`,
  checked_etag: null,
});

/**
 * Announces parts, and presigns a URL for each that is named. A URL expires no later than the API token of the call.
 */
export async function announceParts(
  server: Pick<Server, 'database' | 'clock' | 'config' | 'objects'>,
  { apiToken, tokenExpiresAt }: Pick<Actor, 'apiToken' | 'tokenExpiresAt'>,
  { upload, resumed }: Started,
  parts: readonly Part[],
): Promise<Answer> {
  checkParts(upload, parts);
  if (upload.status === 'COMPLETED') {
    await rejectOthersThanStored(server, upload, parts);
    return toAnswer(
      upload,
      resumed,
      parts.map(part => toPart(toRow(upload, part), noUrl, true)),
    );
  }
  assertReceiving(upload, 'direct', server.clock.now());
  const { db, kind: engine } = server.database;
  await db.transaction().execute(async tx => {
    await lockUploadById(tx, engine, upload.id);
    await insertDeclared(
      tx,
      parts.map(part => toRow(upload, part)),
    );
    await touchUpload(tx, upload.id, expiryOf(server));
  });
  const rowsByIndex = new Map((await listChunks(db, upload.id)).map(row => [row.chunk_index, row]));
  const rows = parts.map(part => {
    const row = rowsByIndex.get(part.index);
    if (row?.stored_hash !== part.cipherHash) throw otherHash(part);
    return row;
  });
  const arrived = new Set(resumed ? await findArrived(server, upload, rows) : []);
  const leftMs = apiToken === undefined ? Number.POSITIVE_INFINITY : tokenExpiresAt - server.clock.now();
  return toAnswer(upload, resumed, await signAll(server, leftMs, rows, arrived));
}

const otherHash = ({ index }: Part): ApiError =>
  new ApiError('CONFLICT', `part ${index} was announced with another hash; start a new upload for other bytes`);

/** The rows of its parts may be deleted; the manifest of the file has their hashes. */
async function rejectOthersThanStored(
  { database: { db } }: Pick<Server, 'database'>,
  { tenant_id, file_id }: UploadRow,
  parts: readonly Part[],
): Promise<void> {
  const json = file_id === null ? null : await findActiveManifestJson(db, tenant_id, file_id);
  if (json === null) return; // the file is purged
  const { chunks } = parseChunkManifest(Buffer.from(json));
  const other = parts.find(({ index, cipherHash }) => chunks[index]?.cipherHash !== cipherHash);
  if (other) throw otherHash(other);
}

/** Returns which parts are in the store with the announced length and, if the store knows it, the announced hash. */
async function findArrived(
  { objects, database }: Pick<Server, 'objects' | 'database'>,
  upload: UploadRow,
  rows: readonly ChunkRow[],
): Promise<number[]> {
  const heads = await inParallel(rows, async row => {
    const head = await objects.findHead(row.storage_key);
    const fits =
      head !== null &&
      head.size === row.stored_size &&
      (head.sha256 === undefined || `sha256:${head.sha256}` === row.stored_hash);
    return fits ? [row.chunk_index] : [];
  });
  const arrived = heads.flat();
  await database.db.transaction().execute(tx => markReceived(tx, upload.id, arrived, 1));
  return arrived;
}

function signAll(
  { objects, config }: Pick<Server, 'objects' | 'config'>,
  leftMs: number,
  rows: readonly ChunkRow[],
  arrived: ReadonlySet<number>,
): Promise<Answer['parts']> {
  const expiresInSeconds = Math.max(1, Math.min(config.uploads.urlHours * 3600, Math.floor(leftMs / 1000)));
  return inParallel(rows, async row => {
    const signed = await objects.presignPut(row.storage_key, { size: row.stored_size, expiresInSeconds });
    return toPart(row, signed, arrived.has(row.chunk_index));
  });
}

/** Of an upload that has no part left to send. */
const noUrl = { url: '', headers: {}, expiresAtEpochSeconds: 0 };

const toPart = (
  row: ChunkRow,
  { url, headers, expiresAtEpochSeconds }: Omit<PresignedRequest, 'method'>,
  uploaded: boolean,
): Answer['parts'][number] => ({
  index: row.chunk_index,
  size: row.stored_size,
  uploadUrl: url,
  headers: { ...headers },
  expiresAtEpochSeconds,
  storagePath: row.storage_key,
  plainHash: row.plain_hash,
  cipherHash: row.stored_hash,
  uploaded,
});

const toAnswer = (upload: UploadRow, resumed: boolean, parts: Answer['parts']): Answer => ({
  clientId: upload.client_id,
  chunkSize: upload.chunk_size,
  totalChunks: upload.total_chunks,
  resumed,
  manifestSchemaId,
  parts,
});
