// Uploads of a sender: the upload engine with the link as the caller. Capacity is reserved before the upload starts,
// under the lock of the link.
import type { startDropFile } from '@recordproof/shared/api/drop-senders.ts';
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { maxPathBytes } from '@recordproof/shared/api/files.ts';
import { countChunks, recommendChunkSize } from '@recordproof/shared/api/uploads.ts';
import { joinPath } from '@recordproof/shared/file-path.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import { toAddressKey } from '../../platform/http/rate-limit.ts';
import type { Request } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { completeUpload, receiveChunk } from '../chunked-uploads/index.ts';
import {
  controlUpload,
  findUpload,
  hasExpired,
  listReceived,
  listUploadsOf,
  startUpload,
  type UploadRow,
} from '../upload-sessions/index.ts';
import { type Sending, toCall } from './enter-link.ts';
import { issueReceipt } from './issue-receipt.ts';
import { assertAcceptsFiles, assertNotClosed, assertRoom } from './policy.ts';
import {
  type ArrivalRow,
  countArrivedFrom,
  deleteArrival,
  findSent,
  findSentByKey,
  insertArrival,
  type LinkRow,
  listUnderWay,
  lockLink,
} from './queries.ts';

/** Clients cannot use it: only the server makes ids with a dot. */
export const toClientId = ({ id }: Pick<ArrivalRow, 'id'>): string => `drop.${id}`;

export const ownerOfLink = (link: Pick<LinkRow, 'tenant_id' | 'owner_id'>) => ({
  tenantId: link.tenant_id,
  ownerId: link.owner_id,
});

/** How long capacity is reserved for an upload that has not started. */
const startingMs = 60_000;

/** Whether the arrival may still become a file. */
export function isUnderWay({ created_at }: ArrivalRow, upload: UploadRow | undefined, now: Time): boolean {
  if (upload === undefined) return created_at > now - startingMs;
  return !hasExpired(upload, now) && upload.status !== 'CANCELLED' && upload.status !== 'FAILED';
}

type Plan = BodyOf<typeof startDropFile>;

type Started = {
  readonly arrival: ArrivalRow;
  readonly chunkSize: number;
  readonly totalChunks: number;
  readonly uploadedChunks: number[];
};

export async function startFile(
  server: Server,
  request: Request<typeof startDropFile>,
  sending: Sending,
): Promise<Started> {
  const { body: plan } = request;
  const { database, config } = server;
  const { link } = sending;
  const existing = await findSentByKey(database.db, sending.sender, plan.key);
  if (existing) assertSameFile(existing, plan);
  const chunkSize = Math.min(config.uploads.maxChunkBytes, recommendChunkSize(Math.max(1, plan.fileSize)));
  const totalChunks = countChunks(plan.fileSize, chunkSize);
  if (existing && existing.receipt !== null) return { arrival: existing, chunkSize, totalChunks, uploadedChunks: [] };
  if (plan.fileSize === 0) throw new ApiError('FILE_EMPTY', 'the file is empty; there is nothing to prove about it');
  const begun = await findBegun(server, sending, existing);
  const path = begun === null ? toFolder(link, plan) : (begun.path ?? undefined);
  const arrival = await database.db.transaction().execute(tx => reserve(server, tx, request, sending));
  try {
    const { upload } = await startUpload(server, toCall(request, sending), {
      kind: 'proxied',
      clientId: toClientId(arrival),
      fileName: arrival.file_name,
      path,
      fileSize: arrival.file_size,
      contentType: plan.contentType,
      // An upload that began without a hash goes on without one: the sender compares it with the receipt.
      contentHash: begun?.declared_hash === null ? undefined : plan.contentHash,
      chunkSize,
      totalChunks,
      onConflict: 'keepBoth',
    });
    const uploadedChunks = await listReceived(database.db, upload);
    return { arrival, chunkSize: upload.chunk_size, totalChunks: upload.total_chunks, uploadedChunks };
  } catch (error) {
    const started = await findUpload(database.db, ownerOfLink(link), toClientId(arrival));
    if (started === null) await database.db.transaction().execute(tx => deleteArrival(tx, arrival.id));
    throw withoutFigures(error);
  }
}

/** The upload of an earlier call, if it can be resumed. It keeps its folder: that of the link may have been moved since. */
async function findBegun(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  { link }: Sending,
  existing: ArrivalRow | null,
): Promise<UploadRow | null> {
  const upload = existing && (await findUpload(database.db, ownerOfLink(link), toClientId(existing)));
  return existing && upload && isUnderWay(existing, upload, clock.now()) ? upload : null;
}

function toFolder(link: Pick<LinkRow, 'path'>, plan: Pick<Plan, 'path'>): string | undefined {
  const path = joinPath(link.path ?? '', plan.path ?? '');
  if (Buffer.byteLength(path) <= maxPathBytes) return path || undefined;
  throw new ApiError('PARAM_IS_INVALID', 'path: too long below the folder of this link; shorten the folder names');
}

function assertSameFile(existing: ArrivalRow, { fileName, path, fileSize }: Plan): void {
  if (existing.file_name === fileName && existing.path === (path ?? null) && existing.file_size === fileSize) return;
  throw new ApiError('CONFLICT', 'this key belongs to another file; choose a new one');
}

/** Hides the owner's storage figures from senders. */
function withoutFigures(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.kind !== 'QUOTA_EXCEEDED') return error;
  return new ApiError('QUOTA_EXCEEDED', 'the quota of the recipient is exhausted', { cause: error });
}

/** Finds or reserves the arrival of the key. Concurrent calls wait at the lock of the link. */
async function reserve(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  tx: Tx,
  { body: plan, ip }: Request<typeof startDropFile>,
  { sender, link: found }: Sending,
): Promise<ArrivalRow> {
  const link = await lockLink(tx, database.kind, found.id);
  if (link === null) throw new ApiError('DROP_LINK_NOT_FOUND');
  const now = clock.now();
  const all = await listUnderWay(tx, link.id);
  const uploads = await listUploadsOf(tx, ownerOfLink(link), all.map(toClientId));
  const underWay = all.filter(one => isUnderWay(one, uploads.get(toClientId(one)), now));
  const existing = await findSentByKey(tx, sender, plan.key);
  if (existing !== null) {
    assertSameFile(existing, plan);
    if (existing.receipt !== null || underWay.some(({ id }) => id === existing.id)) {
      assertNotClosed(link);
      return existing;
    }
    await deleteArrival(tx, existing.id);
  }
  assertAcceptsFiles(link, now);
  const address = toAddressKey(ip);
  const bytes = underWay.reduce((sum, { file_size }) => sum + file_size, 0);
  assertRoom(link, plan.fileSize, {
    underWay: { files: underWay.length, bytes },
    underWayOfAddress: underWay.filter(one => one.address === address).length,
    arrivedOfAddress: await countArrivedFrom(tx, link.id, address),
  });
  return insertArrival(tx, {
    tenant_id: link.tenant_id,
    link_id: link.id,
    sender_id: sender.id,
    key: plan.key,
    address,
    file_name: plan.fileName,
    path: plan.path ?? null,
    file_size: plan.fileSize,
    file_id: null,
    received_at: null,
    receipt: null,
    created_at: now,
  });
}

export async function getSent({ database }: Pick<Server, 'database'>, sending: Sending, id: string) {
  const arrival = await findSent(database.db, sending.sender, toKey(id));
  if (arrival === null) throw new ApiError('FILE_NOT_EXIST');
  return arrival;
}

type Part = { readonly id: string; readonly index: number };

export async function putPart(server: Server, request: Request, sending: Sending, { id, index }: Part) {
  assertNotClosed(sending.link);
  const arrival = await getSent(server, sending, id);
  const upload = await findUpload(server.database.db, ownerOfLink(sending.link), toClientId(arrival));
  if (!upload) throw new ApiError('UPLOAD_SESSION_NOT_FOUND');
  const incoming = { index, source: request.stream, signal: request.signal, ownsBlocks: true };
  const uploadedChunkCount = await receiveChunk(server, upload, incoming);
  return { uploadedChunkCount, totalChunks: upload.total_chunks };
}

/** Idempotent: one file and one receipt. */
export async function completeFile(
  server: Server,
  request: Request,
  sending: Sending,
  id: string,
): Promise<ArrivalRow> {
  const arrival = await getSent(server, sending, id);
  if (arrival.receipt !== null) return arrival;
  assertNotClosed(sending.link);
  const completion = { clientId: toClientId(arrival), kind: 'proxied', signal: request.signal } as const;
  const { fileId } = await completeUpload(server, toCall(request, sending), completion).catch(error => {
    throw withoutFigures(error);
  });
  return issueReceipt(server, arrival, toKey(fileId));
}

export async function cancelFile(server: Server, request: Request, sending: Sending, id: string): Promise<void> {
  const { db } = server.database;
  const arrival = await getSent(server, sending, id);
  if (arrival.receipt !== null) throw new ApiError('CONFLICT', 'this file is already received and cannot be withdrawn');
  const clientId = toClientId(arrival);
  if (await findUpload(db, ownerOfLink(sending.link), clientId))
    await controlUpload(server, toCall(request, sending), { clientId, target: 'CANCELLED' });
  await db.transaction().execute(tx => deleteArrival(tx, arrival.id));
}
