// From staged chunks to a registered file, in steps that each begin by reading where things stand, so that any of them
// may be cut off and run again: checked → promoted → prepared → recorded → stored. What is stored is never undone.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { gcmChunkSuite, plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import { emit } from '../../platform/outbox/outbox.ts';
import { defineSaga, type Saga, SagaAbort, type SagaRun } from '../../platform/saga/saga.ts';
import { appendAudit } from '../audit/index.ts';
import { recordPatiently, toFileHash } from '../chain/index.ts';
import { type SealedEnvelope, sealFor, storeEnvelope } from '../envelopes/index.ts';
import { type FileRow, failFile, findFile, prepareFile, storeFile } from '../files/index.ts';
import { activateManifest, type BuiltManifest, buildManifest } from '../manifests/index.ts';
import { type HeldObject, holdObjects, listHeld, passHolds, releaseObjects } from '../stored-objects/index.ts';
import { appendVersion } from '../versions/index.ts';
import { checkContent } from './content-check.ts';
import { bareHash } from './digests.ts';
import { enqueueCleaning } from './enqueue-cleaning.ts';
import type { Failure, FinalizeData } from './finalize-data.ts';
import type { UploadPorts } from './ports.ts';
import {
  type ChunkRow,
  forgetChunks,
  getUploadById,
  listChunks,
  markChecked,
  markReceived,
  type UploadRow,
  updateUpload,
} from './queries.ts';
import { expiryOf } from './start-upload.ts';
import { tellFailed, tellStored } from './tell-owner.ts';
import { openUploadKey } from './upload-key.ts';

export const finalizeKind = 'upload.finalize';
export const recordStep = 'record';

type Run = SagaRun<FinalizeData>;

const holderOf = (upload: UploadRow, attempt: number) => ({
  tenantId: upload.tenant_id,
  holder: `upload:${upload.id}:${attempt}`,
});

function needed<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`an earlier step left no ${what}`);
  return value;
}

export function finalizeSaga(ports: UploadPorts): Saga<FinalizeData> {
  const { db } = ports.database;
  return defineSaga<FinalizeData>({
    kind: finalizeKind,
    steps: [
      { name: 'check', run: run => check(ports, run), compensate: run => reopen(ports, run) },
      { name: 'promote', run: run => promote(ports, run), compensate: run => letGo(ports, run) },
      { name: 'prepare', run: run => prepare(ports, run), compensate: run => unprepare(ports, run) },
      { name: recordStep, run: run => record(ports, run) },
      { name: 'store', run: run => refusing(db, run, () => store(ports, run)) },
    ],
  });
}

/** A refusal that a person can understand ends the saga; anything else is an outage and is tried again. */
async function refusing<T>(db: UploadPorts['database']['db'], run: Run, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return abort(db, run, { kind: error.kind, message: error.message, again: false });
  }
}

async function abort(
  db: UploadPorts['database']['db'],
  run: Run,
  failure: Failure,
  alongside?: (tx: Tx) => Promise<void>,
): Promise<never> {
  await db.transaction().execute(async tx => {
    await run.save(tx, { failure });
    await alongside?.(tx);
  });
  throw new SagaAbort(failure.message);
}

async function check(ports: UploadPorts, run: Run): Promise<void> {
  const { db } = ports.database;
  const upload = await getUploadById(db, run.data.uploadId);
  const chunks = await listChunks(db, upload.id);
  const { contentHash, etags, bad } = await checkContent(ports, upload, chunks, run.signal);
  if (bad.length > 0) return refuseBad(ports, run, upload, chunks, bad);
  if (upload.declared_hash !== null && upload.declared_hash !== contentHash) {
    const message = `the file has the contentHash ${contentHash}, not the declared one`;
    await abort(db, run, { kind: 'DATA_IS_WRONG', message, again: false });
  }
  await db.transaction().execute(async tx => {
    await run.save(tx, { contentHash });
    await markChecked(tx, upload.id, etags);
  });
}

/** What is not as announced counts as never having come: it can be sent again. */
async function refuseBad(
  { database, objects }: UploadPorts,
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
    if (upload.kind === 'proxied') await forgetChunks(tx, upload.id, bad); // else the announcement stays
  });
}

/** After the last undone step: the client may try again, or the upload has failed for good. */
async function reopen(ports: UploadPorts, run: Run): Promise<void> {
  const { failure, uploadId } = run.data;
  const again = failure === undefined || failure.again; // without a failure it was an outage
  await ports.database.db.transaction().execute(async tx => {
    await run.assertFence(tx);
    const status = again ? 'UPLOADING' : 'FAILED';
    const upload = await updateUpload(tx, uploadId, {
      status,
      failure: again ? null : JSON.stringify(failure),
      expires_at: expiryOf(ports),
    });
    if (again) return;
    const now = ports.clock.now();
    await tellFailed(tx, upload, failure.message, now);
    await enqueueCleaning(tx, upload, now, ports.limits.urlHours);
  });
}

const toBytes = (chunks: readonly ChunkRow[]) =>
  chunks.map(chunk => ({ sha256: bareHash(chunk.stored_hash), size: chunk.stored_size }));

async function promote({ database, objects }: UploadPorts, run: Run): Promise<void> {
  const { db } = database;
  const upload = await getUploadById(db, run.data.uploadId);
  const chunks = await listChunks(db, upload.id);
  const held = await db.transaction().execute(async tx => {
    await run.assertFence(tx);
    return holdObjects(tx, holderOf(upload, run.data.attempt), toBytes(chunks));
  });
  await inParallel(
    chunks.map((chunk, index) => ({ chunk, index })),
    async ({ chunk, index }) => {
      const { path, size } = held[index] as HeldObject;
      if ((await objects.findHead(path))?.size === size) return; // from an earlier run, or the same bytes stored before
      const etag = needed(chunk.checked_etag ?? undefined, 'etag');
      await objects.copy(chunk.storage_key, path, { etag });
    },
  );
}

async function letGo({ database, clock }: UploadPorts, run: Run): Promise<void> {
  const upload = await getUploadById(database.db, run.data.uploadId);
  await database.db
    .transaction()
    .execute(tx => releaseObjects(tx, database.kind, holderOf(upload, run.data.attempt), clock.now()));
}

const subjectOf = (upload: UploadRow, attempt: number): string => `${upload.staging}.${attempt}`;

const evidenceOf = (upload: UploadRow, data: FinalizeData) => ({
  subject: subjectOf(upload, data.attempt),
  contentHash: needed(data.contentHash, 'content hash'),
  fileSize: upload.file_size,
});

async function record(ports: UploadPorts, run: Run): Promise<Partial<FinalizeData>> {
  const { upload, file } = await getPrepared(ports, run);
  const { manifestHash } = await toManifest(ports, run, upload, file);
  const { transactionHash } = await recordPatiently(
    ports,
    { fileHash: file.file_hash, manifestHash },
    run.data.origin.startedAt,
  );
  return { transactionHash };
}

async function prepare({ database, clock }: UploadPorts, run: Run): Promise<Partial<FinalizeData>> {
  const upload = await getUploadById(database.db, run.data.uploadId);
  const evidence = evidenceOf(upload, run.data);
  const file = await database.db.transaction().execute(async tx => {
    await run.assertFence(tx);
    const record = {
      tenantId: upload.tenant_id,
      ownerId: upload.owner_id,
      fileHash: toFileHash(evidence),
      contentHash: evidence.contentHash,
      fileName: upload.file_name,
      fileSize: upload.file_size,
      contentType: upload.content_type,
      encryption: upload.kind === 'direct' ? plainSuite : gcmChunkSuite,
      fileNonce: upload.file_nonce,
      createdBy: `upload:${upload.id}:${run.data.attempt}`,
    };
    return prepareFile(tx, record, clock.now());
  });
  return { fileId: file.id };
}

async function unprepare({ database }: UploadPorts, run: Run): Promise<void> {
  const { fileId, uploadId } = run.data;
  if (fileId === undefined) return;
  const { tenant_id: tenantId } = await getUploadById(database.db, uploadId);
  await database.db.transaction().execute(tx => failFile(tx, { tenantId, fileId }));
}

type Prepared = {
  readonly upload: UploadRow;
  readonly file: FileRow;
  readonly manifest: BuiltManifest;
  readonly envelope: SealedEnvelope | null;
  readonly target: FileRow | null;
};

async function getPrepared({ database: { db } }: UploadPorts, run: Run): Promise<Pick<Prepared, 'upload' | 'file'>> {
  const upload = await getUploadById(db, run.data.uploadId);
  const file = await findFile(db, upload.tenant_id, needed(run.data.fileId, 'file'));
  if (!file) throw new Error('the prepared record is gone');
  return { upload, file };
}

/** All that has to be known, and asked of others, before the one transaction that makes the file exist. */
async function gather(ports: UploadPorts, run: Run): Promise<Prepared> {
  const { db } = ports.database;
  const { upload, file } = await getPrepared(ports, run);
  const manifest = await toManifest(ports, run, upload, file);
  const target = upload.target_file_id === null ? null : await findFile(db, upload.tenant_id, upload.target_file_id);
  if (upload.target_file_id !== null && !target) throw new ApiError('VERSION_SOURCE_INVALID');
  if (upload.kind === 'direct') return { upload, file, manifest, target, envelope: null };
  const subject = {
    tenantId: upload.tenant_id,
    fileId: file.id,
    fileHash: file.file_hash,
    recipientType: 'OWNER',
    recipientId: String(upload.owner_id),
  } as const;
  const envelope = await sealFor(ports.keyProvider, await openUploadKey(ports, upload), subject);
  return { upload, file, manifest, target, envelope };
}

async function toManifest(ports: UploadPorts, run: Run, upload: UploadRow, file: FileRow): Promise<BuiltManifest> {
  const { db } = ports.database;
  const chunks = await listChunks(db, upload.id);
  const paths = new Map(
    (await listHeld(db, holderOf(upload, run.data.attempt))).map(({ sha256, path }) => [sha256, path]),
  );
  return buildManifest({
    fileHash: file.file_hash,
    chunkSize: upload.chunk_size,
    totalSize: upload.file_size,
    storageBackend: ports.objects.backend,
    encryptionAlgorithm: upload.kind === 'direct' ? plainSuite : gcmChunkSuite,
    chunks: chunks.map(chunk => ({
      index: chunk.chunk_index,
      plainHash: chunk.plain_hash,
      cipherHash: chunk.stored_hash,
      storagePath: needed(paths.get(bareHash(chunk.stored_hash)), 'object'),
    })),
  });
}

async function store(ports: UploadPorts, run: Run): Promise<void> {
  const { database, clock, limits, log, quota } = ports;
  const prepared = await gather(ports, run);
  const { upload, file, manifest, envelope, target } = prepared;
  const now = clock.now();
  await database.db.transaction().execute(async tx => {
    const owner = { tenantId: upload.tenant_id, ownerId: upload.owner_id };
    const chain = target === null ? null : { fileId: target.id, versionGroupId: target.version_group_id ?? target.id };
    const { version, versionGroupId } = await appendVersion(tx, database.kind, {
      ...owner,
      fileId: file.id,
      target: chain,
    });
    await run.assertFence(tx);
    const evidence = {
      transactionHash: needed(run.data.transactionHash, 'transaction'),
      manifestHash: manifest.manifestHash,
    };
    const stored = await storeFile(tx, quota, { tenantId: upload.tenant_id, fileId: file.id }, evidence, now);
    if (stored.warning !== null) log.warn({ tenant: upload.tenant_id, user: upload.owner_id }, stored.warning);
    await activateManifest(tx, { tenantId: upload.tenant_id, fileId: file.id, fileVersion: version }, manifest, now);
    if (envelope) await storeEnvelope(tx, envelope, now);
    const keeper = { tenantId: upload.tenant_id, holder: `file:${file.id}` };
    await passHolds(tx, database.kind, holderOf(upload, run.data.attempt), keeper);
    const completed = await updateUpload(tx, upload.id, {
      status: 'COMPLETED',
      file_id: file.id,
      expires_at: expiryOf(ports),
    });
    if (target !== null) await ports.supersedeOlder(tx, { versionGroupId, version }, now);
    await appendAudit(tx, storeEntry(run.data, prepared, version), now);
    await tellStored(tx, upload, { file, version, transactionHash: evidence.transactionHash }, now);
    await emit(tx, { type: 'file.stored', tenantId: upload.tenant_id, payload: { fileId: file.id, version } }, now);
    await enqueueCleaning(tx, completed, now, limits.urlHours);
    await run.save(tx, {});
  });
}

const storeEntry = (data: FinalizeData, { upload, file }: Prepared, version: number) => ({
  tenantId: upload.tenant_id,
  who: { userId: upload.owner_id, username: data.username },
  module: 'uploads',
  operation: 'store',
  description: `file ${upload.file_name} stored`,
  param: { clientId: upload.client_id, fileId: file.id, fileHash: file.file_hash, version },
  origin: data.origin,
});
