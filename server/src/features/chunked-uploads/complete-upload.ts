// Upload completion: idempotent; one file, and the same answer to every call.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { UploadResult } from '@recordproof/shared/api/uploads.ts';
import { type Call, keepCall } from '../../platform/call.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import { ownerOf } from '../../platform/http/caller.ts';
import { rejectInMaintenance } from '../../platform/http/in-maintenance.ts';
import { startSaga } from '../../platform/saga/saga.ts';
import type { Server } from '../../platform/server.ts';
import { runThroughRecording, toRetrySeconds } from '../chain/index.ts';
import { assertKeysAnswer } from '../envelopes/index.ts';
import { findFile, toStored } from '../files/index.ts';
import {
  assertReceiving,
  findUpload,
  listAnnounced,
  listReceived,
  lockUpload,
  type UploadRow,
  updateUpload,
} from '../upload-sessions/index.ts';
import type { CompletionData, Failure } from './completion-data.ts';
import { completionSaga, recordStep } from './completion-saga.ts';

type Completion = { readonly clientId: string; readonly kind: 'proxied' | 'direct' };

export async function completeUpload(
  server: Server,
  call: Call,
  { signal, ...completion }: Completion & { readonly signal: AbortSignal },
): Promise<UploadResult> {
  const { db } = server.database;
  const sagaId = await db.transaction().execute(tx => begin(server, tx, call, completion));
  if (sagaId !== null) await awaitSaga(server, sagaId, signal);
  const { tenantId } = call.actor;
  const upload = await findUpload(db, ownerOf(call.actor), completion.clientId);
  const file = upload?.file_id ? await findFile(db, tenantId, upload.file_id) : null;
  if (!upload || !file)
    throw new ApiError('FILE_UPLOAD_ERROR', 'the upload could not be completed; retry the completion');
  return { clientId: upload.client_id, ...toStored(file) };
}

/** Returns null if nothing is left to do. */
async function begin(server: Server, tx: Tx, call: Call, { clientId, kind }: Completion): Promise<Key | null> {
  const upload = await lockUpload(tx, server.database.kind, ownerOf(call.actor), clientId);
  if (!upload) throw new ApiError('UPLOAD_SESSION_NOT_FOUND');
  if (upload.status === 'COMPLETED') return null;
  if (upload.status === 'FAILED') throw toFailure(upload);
  let { attempt } = upload;
  if (upload.status !== 'FINALIZING') {
    await rejectIncomplete(server, tx, upload, kind);
    attempt += 1;
    await updateUpload(tx, upload.id, { status: 'FINALIZING', attempt });
  }
  const data: CompletionData = { uploadId: upload.id, attempt, call: keepCall(call) };
  const key = `${upload.staging}.${attempt}`;
  const { id } = await startSaga(tx, completionSaga(server), { key, data, now: server.clock.now() });
  return id;
}

/** The same answer as the first time. */
function toFailure({ failure }: UploadRow): ApiError {
  if (failure === null) return new ApiError('CONFLICT', 'this upload has failed; start a new one');
  const { kind, message } = JSON.parse(failure) as Failure;
  return new ApiError(kind, message);
}

async function rejectIncomplete(
  { clock }: Pick<Server, 'clock'>,
  tx: Tx,
  upload: UploadRow,
  kind: Completion['kind'],
): Promise<void> {
  assertReceiving(upload, kind, clock.now());
  const present = kind === 'proxied' ? await listReceived(tx, upload) : await listAnnounced(tx, upload.id);
  if (present.length === upload.total_chunks) return;
  const there = new Set(present);
  const missing = Array.from({ length: upload.total_chunks }, (_, index) => index).filter(index => !there.has(index));
  const shown = missing.slice(0, 10).join(', ');
  throw new ApiError(
    'CONFLICT',
    `${missing.length} of ${upload.total_chunks} chunks are missing: ${shown}${missing.length > 10 ? ' …' : ''}`,
  );
}

async function awaitSaga({ sagas, clock, findMaintenance }: Server, sagaId: Key, signal: AbortSignal): Promise<void> {
  const state = await runThroughRecording({ sagas }, sagaId, recordStep, signal);
  const { status, data } = state;
  const { failure, call } = data as CompletionData;
  const retryAfterSeconds = toRetrySeconds(call?.startedAt ?? 0, clock.now());
  switch (status) {
    case 'COMPLETED':
      return;
    case 'ABORTED':
      throw new ApiError(failure?.kind ?? 'FILE_UPLOAD_ERROR', failure?.message);
    case 'FAILED':
      throw new ApiError(
        'FILE_UPLOAD_ERROR',
        'the upload could not be completed; nothing was lost, retry the completion',
      );
    case 'RUNNING':
    case 'COMPENSATING':
      assertKeysAnswer(state, 'the upload', retryAfterSeconds);
      await rejectInMaintenance(findMaintenance); // until then its jobs wait
      throw new ApiError('SYSTEM_BUSY', 'the upload is still being completed; try again later', { retryAfterSeconds });
  }
}
