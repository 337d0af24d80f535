// Completing: however often and from wherever it is asked for, one file comes of it and everybody gets the same answer.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { UploadResult } from '@recordproof/shared/api/uploads.ts';
import type { Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { startSaga } from '../../platform/saga/saga.ts';
import type { Origin } from '../audit/index.ts';
import { runPastChain, toRetrySeconds } from '../chain/index.ts';
import { findFile } from '../files/index.ts';
import { finalizeSaga, recordStep } from './finalize.ts';
import type { Failure, FinalizeData } from './finalize-data.ts';
import { refuseUnlessReceiving } from './policy.ts';
import type { UploadPorts } from './ports.ts';
import { findUpload, listAnnounced, listReceived, lockUpload, type UploadRow, updateUpload } from './queries.ts';
import { ownerOf } from './start-upload.ts';
import { toResult } from './views.ts';

type Begun = { readonly sagaId: number | null };

export async function completeUpload(
  ports: UploadPorts,
  actor: Actor,
  clientId: string,
  kind: 'proxied' | 'direct',
  origin: Origin,
  signal: AbortSignal,
): Promise<UploadResult> {
  const { sagaId } = await ports.database.db
    .transaction()
    .execute(tx => begin(ports, tx, actor, clientId, kind, origin));
  if (sagaId !== null) await awaitSaga(ports, sagaId, signal);
  const { db } = ports.database;
  const upload = await findUpload(db, ownerOf(actor), clientId);
  const file = upload?.file_id ? await findFile(db, actor.tenantId, upload.file_id) : null;
  if (!upload || !file) throw new ApiError('FILE_UPLOAD_ERROR', 'the upload could not be completed; complete it again');
  return toResult(upload, file);
}

async function begin(
  ports: UploadPorts,
  tx: Tx,
  actor: Actor,
  clientId: string,
  kind: 'proxied' | 'direct',
  origin: Origin,
): Promise<Begun> {
  const upload = await lockUpload(tx, ports.database.kind, ownerOf(actor), clientId);
  if (!upload) throw new ApiError('UPLOAD_SESSION_NOT_FOUND');
  if (upload.status === 'COMPLETED') return { sagaId: null };
  const isUnderWay = upload.status === 'FINALIZING';
  if (upload.status === 'FAILED') throw toFailure(upload);
  if (!isUnderWay) await refuseIncomplete(tx, ports, upload, kind);
  const attempt = isUnderWay ? upload.attempt : upload.attempt + 1;
  if (!isUnderWay) await updateUpload(tx, upload.id, { status: 'FINALIZING', attempt });
  const data: FinalizeData = { uploadId: upload.id, attempt, username: actor.username, origin };
  const key = `${upload.staging}.${attempt}`;
  const { id } = await startSaga(tx, finalizeSaga(ports), { key, data, now: ports.clock.now() });
  return { sagaId: id };
}

/** The same answer as the first time. */
function toFailure({ failure }: UploadRow): ApiError {
  if (failure === null) return new ApiError('CONFLICT', 'this upload has failed; start a new one');
  const { kind, message } = JSON.parse(failure) as Failure;
  return new ApiError(kind, message);
}

async function refuseIncomplete(
  tx: Tx,
  ports: UploadPorts,
  upload: UploadRow,
  kind: 'proxied' | 'direct',
): Promise<void> {
  refuseUnlessReceiving(upload, kind, ports.clock.now());
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

async function awaitSaga(ports: UploadPorts, sagaId: number, signal: AbortSignal): Promise<void> {
  const { status, data } = await runPastChain(ports.runSaga, sagaId, recordStep, signal);
  const { failure } = data as Partial<FinalizeData>;
  switch (status) {
    case 'COMPLETED':
      return;
    case 'ABORTED':
      throw new ApiError(failure?.kind ?? 'FILE_UPLOAD_ERROR', failure?.message);
    case 'FAILED':
      throw new ApiError('FILE_UPLOAD_ERROR', 'the upload could not be completed; nothing was lost, complete it again');
    case 'RUNNING':
    case 'COMPENSATING':
      throw new ApiError('SYSTEM_BUSY', 'the upload is still being completed; ask again', {
        retryAfterSeconds: toRetrySeconds((data as FinalizeData).origin.startedAt, ports.clock.now()),
      });
  }
}
