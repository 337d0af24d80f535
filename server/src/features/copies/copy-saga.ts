// The copy saga: from a prepared copy to a stored file, recorded on the ledger, then committed in one transaction. Each
// step reads the current state first; an impossible copy is rolled back with a reason.
import { ApiError, type ErrorKind } from '@recordproof/shared/api/errors.ts';
import { fileStatus } from '@recordproof/shared/api/files.ts';
import { plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import { type Call, localCall, type Party } from '../../platform/call.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import { defineSaga, type Saga, SagaAbort, type SagaRun } from '../../platform/saga/saga.ts';
import type { Server } from '../../platform/server.ts';
import { recordWithRetry } from '../chain/index.ts';
import {
  findFileKey,
  type KeyWait,
  type SealedEnvelope,
  sealFor,
  toOwner,
  toSubject,
  waitForKeys,
} from '../envelopes/index.ts';
import { type FileRow, failFile, findFile, holderOf, isLive } from '../files/index.ts';
import { type BuiltManifest, buildManifest, findActiveManifest } from '../manifests/index.ts';
import { storeFiles } from '../stored/index.ts';
import { releaseObjects } from '../stored-objects/index.ts';
import { type Gift, getGiver } from './gifts.ts';

export type CopyData = KeyWait & {
  readonly tenantId: Key;
  readonly sourceId: Key;
  readonly fileId: Key;
  readonly gift: Gift;
  /** The call that saves it; unknown for sagas started by an older server. */
  readonly call?: Call<Party>;
  readonly userAgent: string | null;
  readonly transactionHash?: string;
  readonly refusal?: { readonly kind: ErrorKind; readonly message: string };
};

const copyKind = 'file.copy';
export const recordStep = 'record';
const storeStep = 'store';

type Run = SagaRun<CopyData>;

const callOf = ({ data }: Run, copy: FileRow) => data.call ?? localCall(copyKind, data.tenantId, copy.created_at);

export function copySaga(server: Server): Saga<CopyData> {
  return defineSaga<CopyData>({
    kind: copyKind,
    steps: [
      { name: 'prepared', run: async () => undefined, compensate: run => unprepare(server, run) },
      { name: recordStep, run: run => failOnRejection(server, run, () => record(server, run)) },
      { name: storeStep, run: run => failOnRejection(server, run, () => store(server, run)) },
    ],
  });
}

/** A refusal with a message for people ends the saga; any other error is an outage and is retried. */
async function failOnRejection<T>({ database }: Server, run: Run, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    const rejection = { kind: error.kind, message: error.message };
    await database.db.transaction().execute(tx => run.save(tx, { refusal: rejection }));
    throw new SagaAbort(error.message);
  }
}

/** After a crash right after the commit of `store` the saga state is outdated; the copy may even be deleted since. */
async function isStored({ database }: Server, { data }: Run): Promise<boolean> {
  const copy = await findFile(database.db, data.tenantId, data.fileId);
  return copy?.status === fileStatus.SUCCESS || copy?.status === fileStatus.DELETE;
}

async function unprepare(server: Server, run: Run): Promise<void> {
  if (await isStored(server, run)) return;
  const { database, clock } = server;
  const { tenantId, fileId } = run.data;
  await database.db.transaction().execute(async tx => {
    await run.assertFence(tx);
    await failFile(tx, { tenantId, fileId });
    await releaseObjects(tx, database.kind, { tenantId, holder: holderOf({ id: fileId }) }, clock.now());
  });
}

type Prepared = { readonly source: FileRow; readonly copy: FileRow; readonly manifest: BuiltManifest };

/** The same chunks under the id of the new record. */
async function findPrepared({ database: { db } }: Server, run: Run): Promise<Prepared> {
  const { tenantId, sourceId, fileId } = run.data;
  const [source, copy, original] = await Promise.all([
    findFile(db, tenantId, sourceId),
    findFile(db, tenantId, fileId),
    findActiveManifest(db, tenantId, sourceId),
  ]);
  if (copy === null) throw new Error(`the copy ${fileId} of file ${sourceId} is missing`);
  if (source === null || !isLive(source) || original === null) throw new ApiError('FILE_NOT_EXIST');
  return { source, copy, manifest: buildManifest({ ...original, fileHash: copy.file_hash }) };
}

async function record(server: Server, run: Run): Promise<Partial<CopyData>> {
  const { copy, manifest } = await findPrepared(server, run);
  const { manifestHash } = manifest;
  const evidence = { fileHash: copy.file_hash, manifestHash };
  const { transactionHash } = await recordWithRetry(server, evidence, callOf(run, copy).startedAt);
  return { transactionHash };
}

/** The data key opened by the gift, wrapped again for the new owner; null if the gift no longer opens it. */
async function sealForOwner(server: Server, { source, copy }: Prepared, gift: Gift): Promise<SealedEnvelope | null> {
  try {
    const key = await findFileKey(server.database.db, server, source, gift);
    return await sealFor(server, key, toSubject(copy, toOwner(copy)));
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'FILE_NOT_EXIST') return null;
    throw error;
  }
}

async function store(server: Server, run: Run): Promise<void> {
  if (await isStored(server, run)) return;
  const prepared = await findPrepared(server, run);
  const isSealed = prepared.source.encryption !== plainSuite;
  const step = { name: storeStep, since: callOf(run, prepared.copy).startedAt };
  const seal = () => sealForOwner(server, prepared, run.data.gift);
  const envelope = isSealed ? await waitForKeys(server, run, step, seal) : null;
  await server.database.db.transaction().execute(tx => storeCopy(server, tx, run, prepared, envelope));
}

async function storeCopy(
  server: Server,
  tx: Tx,
  run: Run,
  { source, copy, manifest }: Prepared,
  envelope: SealedEnvelope | null,
): Promise<void> {
  const { transactionHash, sourceId, gift, tenantId, userAgent } = run.data;
  if (transactionHash === undefined)
    throw new Error(`the copy of file ${run.data.sourceId} has no transaction of an earlier step`);
  const call = callOf(run, copy);
  await run.assertFence(tx);
  await getGiver(server, gift).confirm(tx, { tenantId, giftId: gift.id, source, copy, call, userAgent });
  if (envelope === null && source.encryption !== plainSuite) throw new ApiError('FILE_NOT_EXIST');
  const audit = {
    module: 'copies',
    operation: 'save',
    description: `file ${copy.file_name} saved from another account`,
    param: { sourceId, gift: gift.type },
  };
  const rest = { target: null, envelope, heldBy: null, call, audit };
  await storeFiles(server, tx, [{ file: copy, manifest, transactionHash, ...rest }]);
  await run.save(tx, {});
}
