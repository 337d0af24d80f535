// Starting an upload, or finding it again: a known clientId with the same plan goes on where it was.
import { randomUUID } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { randomBase62, toKey } from '../../platform/ids.ts';
import { appendAudit, type Origin } from '../audit/index.ts';
import { checkQuota } from '../files/index.ts';
import { assertContinuable } from '../versions/index.ts';
import { enqueueCleaning } from './enqueue-cleaning.ts';
import { checkPlan, hasExpired, isSamePlan, type UploadPlan } from './policy.ts';
import type { UploadPorts } from './ports.ts';
import { findUpload, giveUpClientId, insertUpload, lockUploadById, type UploadRow, updateUpload } from './queries.ts';
import { newUploadKey } from './upload-key.ts';

export type StartRequest = UploadPlan & {
  readonly kind: 'proxied' | 'direct';
  readonly clientId?: string | undefined;
  readonly targetFileId?: string | undefined;
  readonly contentHash?: string | undefined;
};

export type Started = { readonly upload: UploadRow; readonly resumed: boolean };

const hourMs = 3600_000;
export const expiryOf = ({ clock, limits }: Pick<UploadPorts, 'clock' | 'limits'>): number =>
  clock.now() + limits.sessionHours * hourMs;

export const ownerOf = (actor: Actor) => ({ tenantId: actor.tenantId, ownerId: actor.userId });

/** What stands in the way of going on with a known upload. */
function refuseOtherPlan(upload: UploadRow, request: StartRequest): void {
  const target = request.targetFileId === undefined ? null : toKey(request.targetFileId);
  const same = isSamePlan(upload, request) && upload.kind === request.kind && upload.target_file_id === target;
  if (!same) throw new ApiError('CONFLICT', 'this clientId belongs to an upload with another plan; choose a new one');
  if (upload.status === 'CANCELLED' || upload.status === 'FAILED') {
    throw new ApiError('CONFLICT', 'this upload has ended; start a new one under another clientId');
  }
}

export async function startUpload(
  ports: UploadPorts,
  actor: Actor,
  request: StartRequest,
  origin: Origin,
): Promise<Started> {
  checkPlan(request, ports.limits);
  const { db } = ports.database;
  const owner = ownerOf(actor);
  const known = request.clientId === undefined ? null : await findUpload(db, owner, request.clientId);
  if (known && !hasExpired(known, ports.clock.now())) {
    refuseOtherPlan(known, request);
    return { upload: known, resumed: true };
  }
  if (request.targetFileId !== undefined) await assertContinuable(db, owner, toKey(request.targetFileId));
  const warning = await checkQuota(db, ports.quota, owner, request.fileSize);
  if (warning !== null) ports.log.warn({ tenant: owner.tenantId, user: owner.ownerId }, warning);
  return createUpload(ports, actor, request, origin, known);
}

async function createUpload(
  ports: UploadPorts,
  actor: Actor,
  request: StartRequest,
  origin: Origin,
  expired: UploadRow | null,
): Promise<Started> {
  const owner = ownerOf(actor);
  const staging = randomBase62(24);
  const key =
    request.kind === 'proxied'
      ? await newUploadKey(ports, { ...owner, staging })
      : { file_nonce: null, sealed_key: null };
  const clientId = request.clientId ?? randomUUID();
  const now = ports.clock.now();
  const upload = await ports.database.db.transaction().execute(async tx => {
    if (expired) await replaceExpired(tx, ports, expired);
    const row = await insertUpload(tx, {
      tenant_id: owner.tenantId,
      owner_id: owner.ownerId,
      client_id: clientId,
      kind: request.kind,
      status: 'UPLOADING',
      file_name: request.fileName,
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
      expires_at: expiryOf(ports),
    });
    if (row) await appendAudit(tx, startEntry(actor, row, origin), now);
    return row;
  });
  if (upload) return { upload, resumed: false };
  const winner = await findUpload(ports.database.db, owner, clientId); // started twice at once
  if (!winner) throw new ApiError('SYSTEM_BUSY');
  refuseOtherPlan(winner, request);
  return { upload: winner, resumed: true };
}

/** Nobody came back in time, and now somebody does: a new upload takes the place of the old one. */
async function replaceExpired(tx: Tx, ports: UploadPorts, { id }: UploadRow): Promise<void> {
  const now = ports.clock.now();
  const upload = await lockUploadById(tx, ports.database.kind, id);
  if (!upload || !hasExpired(upload, now)) return;
  await giveUpClientId(tx, upload);
  if (upload.status !== 'EXPIRED') await updateUpload(tx, id, { status: 'EXPIRED' });
  await enqueueCleaning(tx, upload, now, ports.limits.urlHours);
}

const startEntry = (actor: Actor, row: UploadRow, origin: Origin) => ({
  tenantId: actor.tenantId,
  who: actor,
  module: 'uploads',
  operation: 'start',
  description: `upload of ${row.file_name} started`,
  param: { clientId: row.client_id, fileSize: row.file_size, kind: row.kind },
  origin,
});
