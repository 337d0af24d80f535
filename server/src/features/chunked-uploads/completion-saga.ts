// Completion saga: puts an upload's staged chunks together as a registered file, in idempotent steps that first read
// the current state: checked → promoted → prepared → recorded → stored. A stored file is never undone.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { gcmChunkSuite, plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import { bareHash } from '../../platform/content/digests.ts';
import type { Db, Tx } from '../../platform/db/tables.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import { defineSaga, type Saga, SagaAbort } from '../../platform/saga/saga.ts';
import type { Server } from '../../platform/server.ts';
import { recordWithRetry, toFileHash } from '../chain/index.ts';
import { waitForKeys } from '../envelopes/index.ts';
import { failFile, prepareFile } from '../files/index.ts';
import { storeFiles } from '../stored/index.ts';
import { type HeldObject, holdObjects, releaseObjects } from '../stored-objects/index.ts';
import {
  type ChunkRow,
  enqueueCleaning,
  expiryOf,
  findUploadById,
  forgetChunks,
  getUploadById,
  listChunks,
  lockUploadById,
  markChecked,
  markReceived,
  type UploadRow,
  updateUpload,
} from '../upload-sessions/index.ts';
import { findTargetFolder } from '../versions/index.ts';
import {
  type CompletionData,
  callOf,
  completionKind,
  type Failure,
  gather,
  getEarlier,
  getPrepared,
  holderOf,
  type Run,
  toManifest,
} from './completion-data.ts';
import { checkContent } from './content-check.ts';
import { notifyFailed } from './notify-owner.ts';

export const recordStep = 'record';

export function completionSaga(server: Server): Saga<CompletionData> {
  const { db } = server.database;
  return defineSaga<CompletionData>({
    kind: completionKind,
    steps: [
      {
        name: 'check',
        run: run => withKeys(server, run, 'check', () => check(server, run)),
        compensate: run => reopen(server, run),
      },
      { name: 'promote', run: run => promote(server, run), compensate: unlessStored(server, letGo) },
      { name: 'prepare', run: run => prepare(server, run), compensate: unlessStored(server, unprepare) },
      { name: recordStep, run: run => record(server, run) },
      {
        name: 'store',
        run: run => withKeys(server, run, 'store', () => failOnRejection(db, run, () => store(server, run))),
      },
    ],
  });
}

async function withKeys<T>(server: Server, run: Run, step: string, work: () => Promise<T>): Promise<T> {
  const upload = await getUploadById(server.database.db, run.data.uploadId);
  return waitForKeys(server, run, { name: step, since: callOf(run, upload).startedAt }, work);
}

/** A refusal with a message for people ends the saga; any other error is an outage and is retried. */
async function failOnRejection<T>(db: Db, run: Run, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return abort(db, run, { kind: error.kind, message: error.message, again: false });
  }
}

async function abort(db: Db, run: Run, failure: Failure, alongside?: (tx: Tx) => Promise<void>): Promise<never> {
  await db.transaction().execute(async tx => {
    await run.save(tx, { failure });
    await alongside?.(tx);
  });
  throw new SagaAbort(failure.message);
}

async function check(server: Server, run: Run): Promise<void> {
  const { db } = server.database;
  const upload = await getUploadById(db, run.data.uploadId);
  const chunks = await listChunks(db, upload.id);
  const { contentHash, etags, bad } = await checkContent(server, upload, chunks, run.signal);
  if (bad.length > 0) return rejectInvalid(server, run, upload, chunks, bad);
  if (upload.declared_hash !== null && upload.declared_hash !== contentHash) {
    const message = `the file has the contentHash ${contentHash}, not the declared one`;
    await abort(db, run, { kind: 'DATA_IS_WRONG', message, again: false });
  }
  await db.transaction().execute(async tx => {
    await run.save(tx, { contentHash });
    await markChecked(tx, upload.id, etags);
  });
}

/** Parts that are not as announced are treated as missing and can be sent again. */
async function rejectInvalid(
  { database, objects }: Server,
  run: Run,
  upload: UploadRow,
  chunks: readonly ChunkRow[],
  bad: readonly number[],
): Promise<never> {
  for (const chunk of chunks) if (bad.includes(chunk.chunk_index)) await objects.delete(chunk.storage_key);
  const named = bad.slice(0, 10).join(', ');
  const message = `${bad.length === 1 ? 'part' : 'parts'} ${named} did not arrive as announced; send again and complete`;
  return abort(database.db, run, { kind: 'CONFLICT', message, again: true }, async tx => {
    await markReceived(tx, upload.id, bad, 0);
    if (upload.kind === 'proxied') await forgetChunks(tx, upload.id, bad); // otherwise the announcement stays
  });
}

/**
 * After the rollback: the client may retry, or the upload has failed permanently. It has an effect once: the client may
 * have started another attempt before a crash repeats it.
 */
async function reopen(server: Server, run: Run): Promise<void> {
  const { failure, uploadId, attempt } = run.data;
  const { database, clock, config } = server;
  const again = failure === undefined || failure.again; // without a failure it was an outage
  const failed = await database.db.transaction().execute(async tx => {
    await run.assertFence(tx);
    const current = await lockUploadById(tx, database.kind, uploadId);
    if (current?.status !== 'FINALIZING' || current.attempt !== attempt) return null;
    const upload = await updateUpload(tx, uploadId, {
      status: again ? 'UPLOADING' : 'FAILED',
      failure: again ? null : JSON.stringify(failure),
      expires_at: expiryOf(server),
    });
    if (again) return null;
    const now = clock.now();
    await notifyFailed(tx, upload, failure.message, now);
    await enqueueCleaning(tx, upload, now, config.uploads.urlHours);
    return upload;
  });
  if (failed) server.underWay.forget(failed);
}

const toBytes = (chunks: readonly ChunkRow[]) =>
  chunks.map(chunk => ({ sha256: bareHash(chunk.stored_hash), size: chunk.stored_size }));

async function promote({ database, objects }: Server, run: Run): Promise<void> {
  const { db } = database;
  const upload = await getUploadById(db, run.data.uploadId);
  const chunks = await listChunks(db, upload.id);
  const held = await db.transaction().execute(async tx => {
    await run.assertFence(tx);
    return holdObjects(tx, holderOf(upload, run.data.attempt), toBytes(chunks));
  });
  // Overwrites existing objects too: these bytes were just verified, the existing ones may be damaged.
  const sources = new Map(chunks.map((chunk, index) => [(held[index] as HeldObject).path, chunk]));
  await inParallel([...sources], async ([path, chunk]) => {
    const etag = getEarlier(chunk.checked_etag ?? undefined, 'etag');
    await objects.copy(chunk.storage_key, path, { etag });
  });
}

async function letGo({ database, clock }: Server, run: Run): Promise<void> {
  const upload = await getUploadById(database.db, run.data.uploadId);
  await database.db
    .transaction()
    .execute(tx => releaseObjects(tx, database.kind, holderOf(upload, run.data.attempt), clock.now()));
}

async function record(server: Server, run: Run): Promise<Partial<CompletionData>> {
  const { upload, file } = await getPrepared(server, run);
  const { manifestHash } = await toManifest(server, run, upload, file);
  const { transactionHash } = await recordWithRetry(
    server,
    { fileHash: file.file_hash, manifestHash },
    callOf(run, upload).startedAt,
  );
  return { transactionHash };
}

async function prepare({ database, clock }: Server, run: Run): Promise<Partial<CompletionData>> {
  const upload = await getUploadById(database.db, run.data.uploadId);
  const { staging, file_size: fileSize } = upload;
  const { attempt } = run.data;
  const contentHash = getEarlier(run.data.contentHash, 'content hash');
  const file = await database.db.transaction().execute(async tx => {
    await run.assertFence(tx);
    const record = {
      tenantId: upload.tenant_id,
      ownerId: upload.owner_id,
      fileHash: toFileHash({ subject: `${staging}.${attempt}`, contentHash, fileSize }),
      contentHash,
      fileName: upload.file_name,
      path: await findTargetFolder(tx, upload),
      fileSize,
      contentType: upload.content_type,
      encryption: upload.kind === 'direct' ? plainSuite : gcmChunkSuite,
      fileNonce: upload.file_nonce,
      createdBy: `upload:${upload.id}:${attempt}`,
    };
    return prepareFile(tx, record, clock.now());
  });
  return { fileId: file.id };
}

async function unprepare({ database }: Server, run: Run): Promise<void> {
  const { fileId, uploadId } = run.data;
  if (fileId === undefined) return;
  const { tenant_id: tenantId } = await getUploadById(database.db, uploadId);
  await database.db.transaction().execute(tx => failFile(tx, { tenantId, fileId }));
}

/**
 * After a crash right after the commit of `store` the saga state is outdated; the staged objects may be deleted
 * already.
 */
async function isStored({ database: { db } }: Server, { data }: Run): Promise<boolean> {
  const upload = await findUploadById(db, data.uploadId);
  if (upload === null) return true; // its row was deleted after the retention period
  return upload.status === 'COMPLETED' && upload.file_id === data.fileId;
}

const unlessStored = (server: Server, undo: (server: Server, run: Run) => Promise<void>) => async (run: Run) => {
  if (!(await isStored(server, run))) await undo(server, run);
};

async function store(server: Server, run: Run): Promise<void> {
  if (await isStored(server, run)) return;
  const { database, clock, config } = server;
  const { upload, ...stored } = await gather(server, run);
  await database.db.transaction().execute(async tx => {
    await run.assertFence(tx);
    const change = { status: 'COMPLETED', file_id: stored.file.id, expires_at: expiryOf(server) };
    const completed = await updateUpload(tx, upload.id, change);
    await storeFiles(server, tx, [stored]);
    await enqueueCleaning(tx, completed, clock.now(), config.uploads.urlHours);
    await run.save(tx, {});
  });
  server.underWay.forget(upload);
}
