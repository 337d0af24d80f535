// What "stored" means: all that becomes true of a file in the transaction after which it counts. However it came, by an
// upload or as a copy, it counts through here, alone or with others: whole, or not at all. Older records come in two steps,
// in older-records.ts.
import { fileStatus } from '@recordproof/shared/api/files.ts';
import type { Call, Party } from '../../platform/call.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { emitAll, type NewEvent } from '../../platform/outbox/outbox.ts';
import type { Server } from '../../platform/server.ts';
import { type AuditEntry, type AuditNote, appendAudits } from '../audit/index.ts';
import { type SealedEnvelope, storeEnvelopes } from '../envelopes/index.ts';
import { toNoticeEvent } from '../events/index.ts';
import { countStored, type FileRow, holderOf, markStored, settleCounted } from '../files/index.ts';
import { activateManifests, type BuiltManifest } from '../manifests/index.ts';
import { passHolds } from '../stored-objects/index.ts';
import { appendVersion, beginChains, type VersionPlace } from '../versions/index.ts';

export type FileToStore = {
  /** Prepared; its bytes are in the object store and its record is on the ledger. */
  readonly file: FileRow;
  readonly manifest: BuiltManifest;
  readonly transactionHash: string;
  /** What it is the next version of. */
  readonly target: FileRow | null;
  /** Opens it for its owner; null where it is not sealed. */
  readonly envelope: SealedEnvelope | null;
  /** Who holds its objects so far; null when they are held for the file already. */
  readonly heldBy: string | null;
  /** Whose doing it is, and how the audit log tells it; which file came of it is added. */
  readonly call: Call<Party>;
  readonly audit: AuditEntry;
};

/** As `FileToStore`, in the transaction that prepared it; its record is written with the commit. */
export type FileToRecord = Omit<FileToStore, 'transactionHash'>;

type Place = { readonly place: VersionPlace };
type Placed = FileToStore & Place;

type Stores = Pick<Server, 'database' | 'clock' | 'log' | 'config' | 'hooks'>;

/**
 * The caller's own rows are written before, its fence first of all. Locks are taken in one order whoever stores how many:
 * chains, records, objects, and at the commit the counters and the heads of the audit logs. Throws VERSION_CONFLICT, the
 * commit QUOTA_EXCEEDED. Answers with the records as they are now, in the order of the files.
 */
export async function storeFiles(server: Stores, tx: Tx, files: readonly FileToStore[]): Promise<FileRow[]> {
  const now = server.clock.now();
  const placed = await takePlaces(tx, server.database.kind, files);
  await markStored(tx, server.config.quota, placed.map(toEvidence), now, toWarn(server));
  await storeParts(server, tx, placed, now);
  await emitAll(tx, placed.flatMap(toEvents), now);
  return placed.map(toRecord);
}

/**
 * As `storeFiles`, but for what names the transactions of the records. The function that it resolves to writes that, at the
 * end of the transaction.
 */
export async function storeUnrecorded(server: Stores, tx: Tx, files: readonly FileToRecord[]) {
  const now = server.clock.now();
  const placed = await takePlaces(tx, server.database.kind, files);
  await countStored(tx, server.config.quota, placed.map(toPlacedRow), now, toWarn(server));
  await storeParts(server, tx, placed, now);
  return async (transactionHashes: readonly string[]): Promise<FileRow[]> => {
    const recorded = placed.map((one, at): Placed => {
      const transactionHash = transactionHashes[at];
      if (transactionHash === undefined) throw new Error(`record ${one.file.id} has no transaction`);
      return { ...one, transactionHash };
    });
    await settleCounted(tx, recorded.map(toEvidence));
    await emitAll(tx, recorded.flatMap(toEvents), now);
    return recorded.map(toRecord);
  };
}

const toPlacedRow = ({ file, place }: Pick<Placed, 'file' | 'place'>): FileRow => ({
  ...file,
  version: place.version,
  version_group_id: place.versionGroupId,
  parent_version_id: place.parentVersionId,
  is_latest: 1,
});

const toRecord = (placed: Placed): FileRow => ({
  ...toPlacedRow(placed),
  status: fileStatus.SUCCESS,
  transaction_hash: placed.transactionHash,
  manifest_hash: placed.manifest.manifestHash,
});

const toEvidence = ({ file, manifest, transactionHash }: FileToStore) => ({
  fileId: file.id,
  transactionHash,
  manifestHash: manifest.manifestHash,
});

const toWarn =
  ({ log }: Pick<Stores, 'log'>): Parameters<typeof markStored>[4] =>
  ({ sentence, ...whose }) =>
    log.warn(whose, sentence);

const chainOf = ({ file, target }: FileToRecord): Key =>
  target === null ? file.id : (target.version_group_id ?? target.id);

/** Whoever waits for the lock of a chain holds nothing that comes behind it. */
async function takePlaces<F extends FileToRecord>(tx: Tx, engine: Engine, files: readonly F[]): Promise<(F & Place)[]> {
  const places = new Map<Key, VersionPlace>();
  for (const one of files.toSorted((a, b) => chainOf(a) - chainOf(b))) {
    const { file, target } = one;
    if (target === null) continue;
    const continued = { fileId: target.id, versionGroupId: chainOf(one) };
    const place = await appendVersion(tx, engine, { ...toSlot(file), ownerId: file.owner_id, target: continued });
    places.set(file.id, place);
  }
  const first = files.filter(({ target }) => target === null).map(({ file }) => file.id);
  for (const [fileId, place] of await beginChains(tx, first)) places.set(fileId, place);
  return files.map(one => {
    const place = places.get(one.file.id);
    if (!place) throw new Error(`record ${one.file.id} has been given a version meanwhile`);
    return { ...one, place };
  });
}

const toSlot = ({ tenant_id: tenantId, id: fileId }: FileRow) => ({ tenantId, fileId });

/** All that names no transaction: manifests, envelopes, holds, what is superseded, audit rows. */
async function storeParts(
  { database, hooks }: Stores,
  tx: Tx,
  placed: readonly (FileToRecord & Place)[],
  now: Time,
): Promise<void> {
  const manifests = placed.map(({ file, manifest, place }) => ({
    ...toSlot(file),
    ...manifest,
    fileVersion: place.version,
  }));
  await activateManifests(tx, manifests, now);
  await storeEnvelopes(
    tx,
    placed.flatMap(({ envelope }) => envelope ?? []),
    now,
  );
  await passHolds(tx, database.kind, placed.flatMap(toPassing));
  const newer = placed.filter(({ target }) => target !== null).map(({ place }) => place);
  if (newer.length > 0) for (const supersede of hooks.of('versionsStored')) await supersede(tx, newer, now);
  await appendAudits(tx, placed.map(toNote), now);
}

const toPassing = ({ file, heldBy }: FileToRecord) =>
  heldBy === null ? [] : [{ tenantId: file.tenant_id, from: heldBy, to: holderOf(file) }];

/** Tells which file it is about. */
export const toNote = ({
  file,
  call,
  audit,
  place: { version },
}: Pick<Placed, 'file' | 'call' | 'audit'> & { readonly place: Pick<VersionPlace, 'version'> }): AuditNote => ({
  call,
  entry: { ...audit, param: { ...audit.param, fileId: file.id, fileHash: file.file_hash, version } },
});

/** From now on there can be a proof of it. */
export function toEvents({
  file,
  place,
  transactionHash,
}: Pick<Placed, 'file' | 'transactionHash'> & { readonly place: Pick<VersionPlace, 'version'> }): NewEvent[] {
  const { tenant_id: tenantId, id: fileId, file_hash: fileHash, file_name: fileName, owner_id: ownerId } = file;
  const { version } = place;
  const isPatient = true;
  const folder = file.path === null ? {} : { path: file.path };
  const payload = { fileId: toWireId(fileId), fileName, ...folder, fileHash, version, transactionHash };
  return [
    {
      ...toNoticeEvent({ tenantId, to: { kind: 'users', userIds: [ownerId] }, type: 'file-recorded', payload }),
      isPatient,
    },
    { type: 'file.stored', tenantId, payload: { fileId, version }, isPatient },
  ];
}
