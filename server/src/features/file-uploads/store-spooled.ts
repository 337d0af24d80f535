// Storing a file received as a whole, through the steps of an upload in chunks; a failure leaves nothing behind.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { UploadResult } from '@recordproof/shared/api/uploads.ts';
import type { Call } from '../../platform/call.ts';
import type { Spool } from '../../platform/content/spool.ts';
import { ownerOf } from '../../platform/http/caller.ts';
import type { Request } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { completeUpload, receiveChunk } from '../chunked-uploads/index.ts';
import {
  completePlan,
  controlUpload,
  findUpload,
  getUploadById,
  type StartRequest,
  startUpload,
  type UploadLimits,
  type UploadPlan,
  type UploadRow,
} from '../upload-sessions/index.ts';

type Described = Pick<UploadPlan, 'fileName' | 'fileSize' | 'contentType'>;

export const toWholePlan = ({ fileName, fileSize, contentType }: Described, limits: UploadLimits) =>
  ({ kind: 'proxied', ...completePlan({ fileName, fileSize, contentType }, limits) }) as const;

export type NamedPlan = StartRequest & { readonly clientId: string };

/** One file per clientId, from any number of calls. */
export async function storeSpooledOnce(
  server: Server,
  request: Request,
  spool: Spool,
  plan: NamedPlan,
): Promise<UploadResult> {
  const { clientId } = plan;
  const completion = { clientId, kind: 'proxied', signal: request.signal } as const;
  if (await isDecided(server, request, clientId)) return await completeUpload(server, request, completion);
  try {
    return await storeSpooled(server, request, spool, plan);
  } catch (error) {
    // The same request may have arrived twice concurrently, and the file of the other one be what rejected this one.
    const isRejection = error instanceof ApiError && error.status < 500;
    if (isRejection && (await isDecided(server, request, clientId)))
      return await completeUpload(server, request, completion);
    throw error;
  }
}

/** Whether all of it has arrived; then the outcome is queried instead of sending again. */
async function isDecided({ database: { db } }: Server, { actor }: Call, clientId: string): Promise<boolean> {
  const upload = await findUpload(db, ownerOf(actor), clientId);
  return upload !== null && ['FINALIZING', 'COMPLETED', 'FAILED'].includes(upload.status);
}

export async function storeSpooled(
  server: Server,
  request: Request,
  spool: Spool,
  plan: StartRequest,
): Promise<UploadResult> {
  const { signal } = request;
  const { upload } = await startUpload(server, request, plan);
  try {
    if (upload.status === 'UPLOADING') await receiveAll(server, upload, spool, signal);
    return await completeUpload(server, request, { clientId: upload.client_id, kind: 'proxied', signal });
  } catch (error) {
    await giveUp(server, request, upload, { error, mayBeRepeated: plan.clientId !== undefined });
    throw error;
  }
}

async function receiveAll(server: Server, upload: UploadRow, spool: Spool, signal: AbortSignal): Promise<void> {
  for (let index = 0; index < upload.total_chunks; index += 1) {
    const start = index * upload.chunk_size;
    const source = spool.read(start, Math.min(spool.size, start + upload.chunk_size));
    await receiveChunk(server, upload, { index, source, signal, ownsBlocks: true });
  }
}

type Broken = { readonly error: unknown; readonly mayBeRepeated: boolean };

/**
 * Cancels the upload, whose session no client knows, unless the request can be repeated after this error. One in
 * completion continues by itself.
 */
async function giveUp(server: Server, call: Call, upload: UploadRow, { error, mayBeRepeated }: Broken): Promise<void> {
  const { id, client_id: clientId } = upload;
  const isRejection = error instanceof ApiError && error.status < 500;
  try {
    const { status } = await getUploadById(server.database.db, id);
    if (status === 'UPLOADING' && (isRejection || !mayBeRepeated))
      await controlUpload(server, call, { clientId, target: 'CANCELLED' });
    if (status !== 'FINALIZING' || isRejection) return;
  } catch (cause) {
    const how = mayBeRepeated
      ? 'send it again under the same Idempotency-Key, and the answer tells'
      : 'check your files before you send it again';
    const message = `it is not known whether the file was stored; ${how}`;
    throw new ApiError('SERVICE_UNAVAILABLE', message, { cause, retryAfterSeconds: 5, isOutcomeUnknown: true });
  }
  const message = 'the file has arrived and will be stored by itself; do not send it again';
  throw new ApiError('SYSTEM_BUSY', message, { cause: error, isOutcomeUnknown: true });
}
