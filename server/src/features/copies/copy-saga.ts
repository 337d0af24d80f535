// From a prepared copy to a file that counts: recorded on the ledger, then stored with everything else in one
// transaction. Each step begins by reading where things stand; what cannot be is undone, and says why.
import { ApiError, type ErrorKind } from '@recordproof/shared/api/errors.ts';
import { plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { emit } from '../../platform/outbox/outbox.ts';
import { defineSaga, type Saga, SagaAbort, type SagaRun } from '../../platform/saga/saga.ts';
import { appendAudit, type Origin } from '../audit/index.ts';
import { recordPatiently } from '../chain/index.ts';
import { type EnvelopeSubject, openFileKey, type SealedEnvelope, sealFor, storeEnvelope } from '../envelopes/index.ts';
import { type Notice, notify } from '../events/index.ts';
import { type FileRow, failFile, findFile, holderOf, isLive, storeFile } from '../files/index.ts';
import { activateManifest, type BuiltManifest, buildManifest, findActiveManifest } from '../manifests/index.ts';
import { releaseObjects } from '../stored-objects/index.ts';
import { appendVersion } from '../versions/index.ts';
import type { CopyPorts, Gift, Saver } from './ports.ts';

export type CopyData = {
  readonly tenantId: Key;
  readonly saver: Saver;
  readonly sourceId: Key;
  readonly fileId: Key;
  readonly gift: Gift;
  readonly origin: Origin;
  readonly userAgent: string | null;
  readonly transactionHash?: string;
  readonly refusal?: { readonly kind: ErrorKind; readonly message: string };
};

export const recordStep = 'record';

type Run = SagaRun<CopyData>;

export function copySaga(ports: CopyPorts): Saga<CopyData> {
  return defineSaga<CopyData>({
    kind: 'file.copy',
    steps: [
      { name: 'prepared', run: async () => undefined, compensate: run => unprepare(ports, run) },
      { name: recordStep, run: run => refusing(ports, run, () => record(ports, run)) },
      { name: 'store', run: run => refusing(ports, run, () => store(ports, run)) },
    ],
  });
}

/** A refusal that a person can understand ends the saga; anything else is an outage and is tried again. */
async function refusing<T>({ database }: CopyPorts, run: Run, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    const refusal = { kind: error.kind, message: error.message };
    await database.db.transaction().execute(tx => run.save(tx, { refusal }));
    throw new SagaAbort(error.message);
  }
}

async function unprepare({ database, clock }: CopyPorts, run: Run): Promise<void> {
  const { tenantId, fileId } = run.data;
  await database.db.transaction().execute(async tx => {
    await run.assertFence(tx);
    await failFile(tx, { tenantId, fileId });
    await releaseObjects(tx, database.kind, { tenantId, holder: holderOf({ id: fileId }) }, clock.now());
  });
}

type Prepared = { readonly source: FileRow; readonly copy: FileRow; readonly manifest: BuiltManifest };

/** The same chunks under the id of the new record. */
async function findPrepared({ database: { db } }: CopyPorts, run: Run): Promise<Prepared> {
  const { tenantId, sourceId, fileId } = run.data;
  const [source, copy, original] = await Promise.all([
    findFile(db, tenantId, sourceId),
    findFile(db, tenantId, fileId),
    findActiveManifest(db, tenantId, sourceId),
  ]);
  if (copy === null) throw new Error('the prepared copy is gone');
  if (source === null || !isLive(source) || original === null) throw new ApiError('FILE_NOT_EXIST');
  return { source, copy, manifest: buildManifest({ ...original, fileHash: copy.file_hash }) };
}

async function record(ports: CopyPorts, run: Run): Promise<Partial<CopyData>> {
  const { copy, manifest } = await findPrepared(ports, run);
  const { manifestHash } = manifest;
  const evidence = { fileHash: copy.file_hash, manifestHash };
  const { transactionHash } = await recordPatiently(ports, evidence, run.data.origin.startedAt);
  return { transactionHash };
}

const toSubject = (file: FileRow, recipient: { readonly type: EnvelopeSubject['recipientType']; id: string }) => ({
  tenantId: file.tenant_id,
  fileId: file.id,
  fileHash: file.file_hash,
  recipientType: recipient.type,
  recipientId: recipient.id,
});

/** The key that the gift opens, wrapped anew for the new owner; null where the gift opens nothing any more. */
async function sealForOwner(
  { database, keyProvider }: CopyPorts,
  { source, copy }: Prepared,
  gift: Gift,
): Promise<SealedEnvelope | null> {
  const nonce = Buffer.from(source.file_nonce ?? '', 'hex');
  try {
    const key = await openFileKey(database.db, [keyProvider], toSubject(source, gift), nonce);
    return await sealFor(keyProvider, key, toSubject(copy, { type: 'OWNER', id: String(copy.owner_id) }));
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'FILE_NOT_EXIST') return null;
    throw error;
  }
}

async function store(ports: CopyPorts, run: Run): Promise<void> {
  const prepared = await findPrepared(ports, run);
  const isSealed = prepared.source.encryption !== plainSuite;
  const envelope = isSealed ? await sealForOwner(ports, prepared, run.data.gift) : null;
  await ports.database.db.transaction().execute(tx => storeCopy(ports, tx, run, prepared, envelope));
}

async function storeCopy(
  ports: CopyPorts,
  tx: Tx,
  run: Run,
  { source, copy, manifest }: Prepared,
  envelope: SealedEnvelope | null,
): Promise<void> {
  const { database, clock, log, quota } = ports;
  const { tenantId, saver, gift, transactionHash } = run.data;
  if (transactionHash === undefined) throw new Error('an earlier step left no transaction');
  const now = clock.now();
  const key = { tenantId, fileId: copy.id };
  const place = { ...key, ownerId: copy.owner_id, target: null };
  const { version } = await appendVersion(tx, database.kind, place);
  await run.assertFence(tx);
  await confirm(ports, tx, run.data, source, copy);
  if (envelope === null && source.encryption !== plainSuite) throw new ApiError('FILE_NOT_EXIST');
  const evidence = { transactionHash, manifestHash: manifest.manifestHash };
  const { warning } = await storeFile(tx, quota, key, evidence, now);
  if (warning !== null) log.warn({ tenant: tenantId, user: saver.userId }, warning);
  await activateManifest(tx, { ...key, fileVersion: version }, manifest, now);
  if (envelope) await storeEnvelope(tx, envelope, now);
  await appendAudit(tx, saveEntry(run.data, copy, gift), now);
  await notify(tx, toNotice(copy, version, transactionHash), now);
  await emit(tx, { type: 'file.stored', tenantId, payload: { fileId: copy.id, version } }, now);
  await run.save(tx, {});
}

async function confirm(
  { confirmGift }: CopyPorts,
  tx: Tx,
  { tenantId, gift, saver, origin, userAgent }: CopyData,
  source: FileRow,
  copy: FileRow,
): Promise<void> {
  const ask = confirmGift[gift.type];
  if (!ask) throw new Error(`nobody answers for files that come by ${gift.type}`);
  await ask(tx, { tenantId, giftId: gift.id, source, copy, saver, origin, userAgent });
}

const toNotice = (copy: FileRow, version: number, transactionHash: string): Notice<'file-recorded'> => ({
  tenantId: copy.tenant_id,
  to: { kind: 'users', userIds: [copy.owner_id] },
  type: 'file-recorded',
  payload: {
    fileId: toWireId(copy.id),
    fileName: copy.file_name,
    fileHash: copy.file_hash,
    version,
    transactionHash,
  },
});

const saveEntry = (data: CopyData, copy: FileRow, { type }: Gift) => ({
  tenantId: data.tenantId,
  who: data.saver,
  module: 'copies',
  operation: 'save',
  description: `file ${copy.file_name} saved from another account`,
  param: { fileId: copy.id, fileHash: copy.file_hash, sourceId: data.sourceId, gift: type },
  origin: data.origin,
});
