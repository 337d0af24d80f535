// The definition of "stored": everything that changes in the transaction that makes a file visible and counted. Uploads
// and copies all pass through here, alone or several at once, atomically. Older records take two steps, in
// older-records.ts.
import { fileStatus } from '@recordproof/shared/api/files.ts';
import type { Call, Party } from '../../platform/call.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { writeTogether } from '../../platform/db/write-together.ts';
import { toWireId } from '../../platform/ids.ts';
import { emitAll, emitWith, type NewEvent } from '../../platform/outbox/outbox.ts';
import type { Server } from '../../platform/server.ts';
import { type AuditEntry, type AuditNote, appendAudits } from '../audit/index.ts';
import { type SealedEnvelope, writeEnvelopes } from '../envelopes/index.ts';
import { toNoticeEvent } from '../events/index.ts';
import { countStored, type FileRow, holderOf, markStored, writeStoredFiles } from '../files/index.ts';
import { type BuiltManifest, writeManifests } from '../manifests/index.ts';
import { passHolds } from '../stored-objects/index.ts';
import { appendVersion, beginChains, toPlace, type VersionPlace } from '../versions/index.ts';

export type FileToStore = {
  /** Prepared; its bytes are in the object store and its record is on the ledger. */
  readonly file: FileRow;
  readonly manifest: BuiltManifest;
  readonly transactionHash: string;
  /** The file that this is the next version of. */
  readonly target: FileRow | null;
  /** The owner's envelope; null if the file is not sealed. */
  readonly envelope: SealedEnvelope | null;
  /** The current holder of its objects; null if they are already referenced by the file. */
  readonly heldBy: string | null;
  /** The actor, and the audit entry; the file's id is added. */
  readonly call: Call<Party>;
  readonly audit: AuditEntry;
};

/** As `FileToStore`, in the transaction that prepared it; its record is written with the commit. */
export type FileToRecord = Omit<FileToStore, 'transactionHash'>;

type Place = { readonly place: VersionPlace };
type Placed = FileToStore & Place;

type Stores = Pick<Server, 'database' | 'clock' | 'log' | 'config' | 'hooks'>;

/**
 * The caller's own rows are written before, its fence first. Locks are taken in one order: chains, records, objects
 * and, at the commit, counters and heads of audit logs. Throws VERSION_CONFLICT; the commit throws QUOTA_EXCEEDED.
 * Returns the stored records, in the order of the files.
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
 * As `storeFiles`, except for rows that contain the hashes of the records. The returned function writes those, at the
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
    const settling = writeStoredFiles(tx, recorded.map(toEvidence));
    const settled = await emitWith(tx, server.database.kind, settling, recorded.flatMap(toEvents), now);
    if (settled < recorded.length) throw new Error(`${settled} of ${recorded.length} file records were stored`);
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

/** Chain locks come first: a waiting transaction holds no later lock. */
async function takePlaces<F extends FileToRecord>(tx: Tx, engine: Engine, files: readonly F[]): Promise<(F & Place)[]> {
  const places = new Map<Key, VersionPlace>();
  for (const one of files.toSorted((a, b) => chainOf(a) - chainOf(b))) {
    const { file, target } = one;
    if (target === null) continue;
    const continued = { fileId: target.id, versionGroupId: chainOf(one) };
    const place = await appendVersion(tx, engine, { ...toSlot(file), ownerId: file.owner_id, target: continued });
    places.set(file.id, place);
  }
  const first: Key[] = [];
  for (const { file, target } of files) {
    if (target !== null) continue;
    if (file.version_group_id === file.id) places.set(file.id, toPlace(file));
    else first.push(file.id);
  }
  for (const [fileId, place] of await beginChains(tx, first)) places.set(fileId, place);
  return files.map(one => {
    const place = places.get(one.file.id);
    if (!place) throw new Error(`another request assigned a version to file record ${one.file.id}`);
    return { ...one, place };
  });
}

const toSlot = ({ tenant_id: tenantId, id: fileId }: FileRow) => ({ tenantId, fileId });

/** Everything without record hashes: manifests, envelopes, references, superseded versions, audit rows. */
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
  const envelopes = placed.flatMap(({ envelope }) => envelope ?? []);
  const writes = [writeManifests(tx, manifests, now), ...writeEnvelopes(tx, envelopes, now)];
  await writeTogether(tx, database.kind, writes);
  await passHolds(tx, database.kind, placed.flatMap(toPassing));
  const newer = placed.filter(({ target }) => target !== null).map(({ place }) => place);
  if (newer.length > 0) for (const supersede of hooks.of('versionsStored')) await supersede(tx, newer, now);
  await appendAudits(tx, placed.map(toNote), now);
}

const toPassing = ({ file, heldBy }: FileToRecord) =>
  heldBy === null ? [] : [{ tenantId: file.tenant_id, from: heldBy, to: holderOf(file) }];

/** Adds the file to the audit entry. */
export const toNote = ({
  file,
  call,
  audit,
  place: { version },
}: Pick<Placed, 'file' | 'call' | 'audit'> & { readonly place: Pick<VersionPlace, 'version'> }): AuditNote => ({
  call,
  entry: { ...audit, param: { ...audit.param, fileId: file.id, fileHash: file.file_hash, version } },
});

/** Emits the events after which a proof can be made. */
export function toEvents({
  file,
  place,
  transactionHash,
}: Pick<Placed, 'file' | 'transactionHash'> & { readonly place: Pick<VersionPlace, 'version'> }): NewEvent[] {
  const { tenant_id: tenantId, id: fileId, file_hash: fileHash, file_name: fileName, owner_id: ownerId } = file;
  const { version } = place;
  const isCoalesced = true;
  const folder = file.path === null ? {} : { path: file.path };
  const payload = { fileId: toWireId(fileId), fileName, ...folder, fileHash, version, transactionHash };
  return [
    {
      ...toNoticeEvent({ tenantId, to: { kind: 'users', userIds: [ownerId] }, type: 'file-recorded', payload }),
      isCoalesced,
    },
    { type: 'file.stored', tenantId, payload: { fileId, version }, isCoalesced },
  ];
}
