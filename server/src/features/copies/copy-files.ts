// Copying received files into the files of the account that saves them: a new record over the same stored objects.
// Repeated or concurrent saves yield one copy while that copy exists.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type Call, keepCall } from '../../platform/call.ts';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import { randomBase62 } from '../../platform/ids.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import { startSaga } from '../../platform/saga/saga.ts';
import type { Server } from '../../platform/server.ts';
import { runThroughRecording, toFileHash, toRetrySeconds } from '../chain/index.ts';
import { contentSuiteForReading } from '../crypto-policy/index.ts';
import { assertKeysAnswer } from '../envelopes/index.ts';
import { type FileRow, findFile, holderOf, isLive, prepareFile } from '../files/index.ts';
import { findActiveManifest } from '../manifests/index.ts';
import { checkQuota } from '../quotas/index.ts';
import { listHeld, shareHolds } from '../stored-objects/index.ts';
import { type CopyData, copySaga, recordStep } from './copy-saga.ts';
import type { Gift } from './gifts.ts';
import { findCopy } from './queries.ts';

export type CopyRequest = {
  /** Files of the saving account's tenant; the copies get their paths. */
  readonly sources: readonly FileRow[];
  readonly gift: Gift;
  readonly userAgent: string | null;
  readonly signal: AbortSignal;
};

type Begun = { readonly copy: FileRow; readonly sagaId: Key | null };

/** Throws the first refusal if not all could be copied; successful copies are kept. */
export async function copyFiles(server: Server, call: Call, request: CopyRequest): Promise<FileRow[]> {
  const { sources } = request;
  await countMissing(server, call, sources);
  const copy = (source: FileRow) => copyOne(server, call, request, source);
  const ended = await inParallel(sources, source => copy(source).catch((error: unknown) => error));
  const failed = ended.filter(end => !isCopy(end));
  if (failed.length === 0) return ended.filter(isCopy);
  throw toRejection(failed[0], ended.length - failed.length, ended.length);
}

const isCopy = (end: unknown): end is FileRow => typeof end === 'object' && end !== null && 'file_hash' in end;

function toRejection(error: unknown, saved: number, requested: number): unknown {
  if (!(error instanceof ApiError) || saved === 0) return error;
  const { kind, message, retryAfterSeconds } = error;
  const extras = { cause: error, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  return new ApiError(kind, `${saved} of ${requested} files were saved; then: ${message}`, extras);
}

/**
 * A pre-check: how many of the files the account does not have yet. Throws if they cannot be saved; the binding check
 * is made when each copy is stored.
 */
export async function countMissing(
  { database, config, suites }: Pick<Server, 'database' | 'config' | 'suites'>,
  { actor }: Call,
  sources: readonly FileRow[],
): Promise<number> {
  if (sources.some(source => source.owner_id === actor.userId))
    throw new ApiError('DATA_ALREADY_EXISTED', 'this file is already yours; no copy is needed');
  const owner = { tenantId: actor.tenantId, ownerId: actor.userId };
  const copies = await Promise.all(sources.map(source => findCopy(database.db, owner, source.id)));
  const missing = sources.filter((_source, index) => copies[index] === null);
  for (const source of missing) contentSuiteForReading({ suites }, source.encryption);
  const bytes = missing.reduce((sum, source) => sum + source.file_size, 0);
  if (missing.length > 0) await checkQuota(database.db, config.quota, owner, bytes, missing.length);
  return missing.length;
}

async function copyOne(server: Server, call: Call, request: CopyRequest, source: FileRow): Promise<FileRow> {
  const { db } = server.database;
  const { copy, sagaId } = await db.transaction().execute(tx => begin(server, tx, call, { request, source }));
  if (sagaId === null) return copy;
  await awaitSaga(server, sagaId, request.signal);
  const stored = await findFile(db, copy.tenant_id, copy.id);
  if (stored === null || !isLive(stored))
    throw new ApiError('FILE_NOT_EXIST', 'the copy was deleted while it was being saved; save the file again');
  return stored;
}

/** Serialized per account, so that two copies of one file are never in progress. */
async function begin(
  server: Server,
  tx: Tx,
  call: Call,
  { request, source }: { readonly request: CopyRequest; readonly source: FileRow },
): Promise<Begun> {
  const { tenantId, userId: ownerId } = call.actor;
  await lockInTransaction(tx, server.database.kind, `copies:${ownerId}`);
  const existing = await findCopy(tx, { tenantId, ownerId }, source.id);
  if (existing !== null && isLive(existing)) return { copy: existing, sagaId: null };
  const subject = existing === null ? randomBase62(24) : subjectOf(existing);
  const copy = existing ?? (await prepareCopy(server, tx, call, { given: source, subject }));
  const { id: sagaId } = await startSaga(tx, copySaga(server), {
    key: subject,
    data: toData(call, request, copy, source),
    now: server.clock.now(),
  });
  return { copy, sagaId };
}

const prefix = 'copy:';
const subjectOf = (copy: FileRow): string => copy.created_by.slice(prefix.length);

const toData = (call: Call, { gift, userAgent }: CopyRequest, copy: FileRow, source: FileRow): CopyData => ({
  tenantId: copy.tenant_id,
  sourceId: source.id,
  fileId: copy.id,
  gift,
  call: keepCall(call),
  userAgent,
});

async function prepareCopy(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  tx: Tx,
  { actor }: Call,
  { given, subject }: { readonly given: Pick<FileRow, 'id' | 'path'>; readonly subject: string },
): Promise<FileRow> {
  const { tenantId, userId: ownerId } = actor;
  const source = await findFile(tx, tenantId, given.id);
  if (source === null || !isLive(source)) throw new ApiError('FILE_NOT_EXIST');
  const { content_hash: contentHash, file_size: fileSize } = source;
  const record = {
    tenantId,
    ownerId,
    fileHash: toFileHash({ subject, contentHash, fileSize }),
    contentHash,
    fileName: source.file_name,
    path: given.path,
    fileSize,
    contentType: source.content_type,
    encryption: source.encryption,
    fileNonce: source.file_nonce,
    createdBy: `${prefix}${subject}`,
    origin: {
      ownerId: source.origin_owner_id ?? source.owner_id,
      sharedFromId: source.owner_id,
      sourceFileId: source.id,
      depth: source.provenance_depth + 1,
    },
  };
  const copy = await prepareFile(tx, record, clock.now());
  await shareHolds(tx, database.kind, { tenantId, from: holderOf(source), to: holderOf(copy) });
  const held = await listHeld(tx, { tenantId, holder: holderOf(copy) });
  await rejectIncomplete(
    tx,
    source,
    held.map(({ path }) => path),
  );
  return copy;
}

/** The original may have been purged before its objects were referenced. */
async function rejectIncomplete(tx: Tx, source: FileRow, held: readonly string[]): Promise<void> {
  const manifest = await findActiveManifest(tx, source.tenant_id, source.id);
  if (manifest === null)
    throw new ApiError('FILE_RECORD_ERROR', 'this file has no manifest, so it cannot be copied; ask an administrator');
  const there = new Set(held);
  if (!manifest.chunks.every(chunk => there.has(chunk.storagePath))) throw new ApiError('FILE_NOT_EXIST');
}

async function awaitSaga({ sagas, clock }: Server, sagaId: Key, signal: AbortSignal): Promise<void> {
  const state = await runThroughRecording({ sagas }, sagaId, recordStep, signal);
  const { status, data } = state;
  const { refusal: rejection, call } = data as CopyData;
  const retryAfterSeconds = toRetrySeconds(call?.startedAt ?? 0, clock.now());
  switch (status) {
    case 'COMPLETED':
      return;
    case 'ABORTED':
      throw new ApiError(rejection?.kind ?? 'FILE_SERVICE_ERROR', rejection?.message);
    case 'FAILED':
      throw new ApiError('FILE_SERVICE_ERROR', 'the file could not be saved; nothing was changed, try again');
    case 'RUNNING':
    case 'COMPENSATING':
      assertKeysAnswer(state, 'the copy', retryAfterSeconds);
      throw new ApiError('SYSTEM_BUSY', 'the file is still being saved; try again later', { retryAfterSeconds });
  }
}
