// Starting and resuming of uploads: a known clientId with the same plan continues.
import { randomUUID } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { nameConflicts } from '@recordproof/shared/api/uploads.ts';
import { plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import type { Call } from '../../platform/call.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { ownerOf } from '../../platform/http/caller.ts';
import { randomBase62, toKey, toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudit } from '../audit/index.ts';
import { contentSuiteForWriting, type Wrapping } from '../crypto-policy/index.ts';
import type { FileRow } from '../files/index.ts';
import { checkQuota } from '../quotas/index.ts';
import { findContinued, resolveNameConflict } from '../versions/index.ts';
import { enqueueCleaning } from './clean-uploads.ts';
import { expiryOf } from './own-upload.ts';
import { checkPlan, hasExpired, isSamePlan, type UploadPlan } from './policy.ts';
import { findUpload, insertUpload, lockUploadById, releaseClientId, type UploadRow, updateUpload } from './queries.ts';
import { newUploadKey } from './upload-key.ts';

export type StartRequest = UploadPlan & {
  readonly kind: 'proxied' | 'direct';
  readonly clientId?: string | undefined;
  readonly targetFileId?: string | undefined;
  readonly contentHash?: string | undefined;
  readonly path?: string | undefined;
  readonly onConflict?: (typeof nameConflicts)[number] | undefined;
};

export type Started = { readonly upload: UploadRow; readonly resumed: boolean };

/** The conflict decision at the start is kept, even if names have changed since. */
const asBegun = (upload: UploadRow, request: StartRequest): StartRequest =>
  request.onConflict === undefined || request.targetFileId !== undefined
    ? request
    : {
        ...request,
        fileName: upload.file_name,
        ...(upload.target_file_id !== null && { targetFileId: toWireId(upload.target_file_id) }),
      };

/** Throws if a known upload has a different plan. */
function rejectOtherPlan(upload: UploadRow, input: StartRequest): void {
  const request = asBegun(upload, input);
  const target = request.targetFileId === undefined ? null : toKey(request.targetFileId);
  const same =
    isSamePlan(upload, request) &&
    upload.kind === request.kind &&
    upload.target_file_id === target &&
    upload.path === (request.path ?? null) &&
    (request.contentHash === undefined || upload.declared_hash === request.contentHash);
  if (!same) throw new ApiError('CONFLICT', 'this clientId belongs to an upload with another plan; choose a new one');
  if (upload.status === 'CANCELLED' || upload.status === 'FAILED') {
    throw new ApiError('CONFLICT', 'this upload has ended; start a new one under another clientId');
  }
}

type Starts = Pick<Server, 'database' | 'clock' | 'config' | 'log'> & Wrapping;

export async function startUpload(server: Starts, call: Call, request: StartRequest): Promise<Started> {
  checkPlan(request, server.config.uploads);
  const { db } = server.database;
  const owner = ownerOf(call.actor);
  const existing = request.clientId === undefined ? null : await findUpload(db, owner, request.clientId);
  if (existing && !hasExpired(existing, server.clock.now())) {
    rejectOtherPlan(existing, request);
    return { upload: existing, resumed: true };
  }
  const resolved = await resolveNameConflict(db, owner, request);
  await checkStart(server, call, resolved);
  return createUpload(server, call, resolved, existing);
}

/** All checks possible before any byte is stored; returns the file to be continued. */
export async function checkStart(
  { database: { db }, config, log }: Pick<Server, 'database' | 'config' | 'log'>,
  call: Call,
  request: StartRequest,
): Promise<FileRow | null> {
  const owner = ownerOf(call.actor);
  const target = await findContinued(db, owner, request.targetFileId);
  const warning = await checkQuota(db, config.quota, owner, request.fileSize);
  if (warning !== null) log.warn({ tenant: owner.tenantId, user: owner.ownerId }, warning);
  return target;
}

async function createUpload(
  server: Starts,
  call: Call,
  request: StartRequest,
  expired: UploadRow | null,
): Promise<Started> {
  const owner = ownerOf(call.actor);
  const staging = randomBase62(24);
  const suite = await contentSuiteForWriting(server, owner.tenantId, { sealed: request.kind === 'proxied' });
  const key =
    suite === plainSuite ? { file_nonce: null, sealed_key: null } : await newUploadKey(server, { ...owner, staging });
  const clientId = request.clientId ?? randomUUID();
  const now = server.clock.now();
  const upload = await server.database.db.transaction().execute(async tx => {
    if (expired) await replaceExpired(tx, server, expired);
    const row = await insertUpload(tx, {
      tenant_id: owner.tenantId,
      owner_id: owner.ownerId,
      client_id: clientId,
      kind: request.kind,
      status: 'UPLOADING',
      file_name: request.fileName,
      path: request.path ?? null,
      file_size: request.fileSize,
      content_type: request.contentType,
      chunk_size: request.chunkSize,
      total_chunks: request.totalChunks,
      declared_hash: request.contentHash ?? null,
      target_file_id: request.targetFileId === undefined ? null : toKey(request.targetFileId),
      client_key: null,
      staging,
      ...key,
      file_id: null,
      failure: null,
      created_at: now,
      expires_at: expiryOf(server),
    });
    if (row) await appendAudit(tx, call, startEntry(row), now);
    return row;
  });
  if (upload) return { upload, resumed: false };
  const winner = await findUpload(server.database.db, owner, clientId); // started twice concurrently
  if (!winner) throw new ApiError('SYSTEM_BUSY');
  rejectOtherPlan(winner, request);
  return { upload: winner, resumed: true };
}

/** Replaces an expired upload by a new one. */
async function replaceExpired(tx: Tx, server: Starts, { id }: UploadRow): Promise<void> {
  const now = server.clock.now();
  const upload = await lockUploadById(tx, server.database.kind, id);
  if (!upload || !hasExpired(upload, now)) return;
  await releaseClientId(tx, upload);
  if (upload.status !== 'EXPIRED') await updateUpload(tx, id, { status: 'EXPIRED' });
  await enqueueCleaning(tx, upload, now, server.config.uploads.urlHours);
}

const startEntry = (row: UploadRow) => ({
  module: 'uploads',
  operation: 'start',
  description: `upload of ${row.file_name} started`,
  param: { clientId: row.client_id, fileSize: row.file_size, kind: row.kind },
});
