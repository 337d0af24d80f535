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
import { chainOf, countStored, type FileRow, holderOf, markStored, writeStoredFiles } from '../files/index.ts';
import { type BuiltManifest, writeManifests } from '../manifests/index.ts';
import { passHolds } from '../stored-objects/index.ts';
import { appendVersion, beginChains, toPosition, type VersionPosition } from '../versions/index.ts';

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

type WithPosition = { readonly position: VersionPosition };
type NumberedFile = FileToStore & WithPosition;

type Stores = Pick<Server, 'database' | 'clock' | 'log' | 'config' | 'hooks'>;

/**
 * The caller's own rows are written before, its fence first. Locks are taken in one order: chains, records, objects
 * and, at the commit, counters and heads of audit logs. Throws VERSION_CONFLICT; the commit throws QUOTA_EXCEEDED.
 * Returns the stored records, in the order of the files.
 */
export async function storeFiles(server: Stores, tx: Tx, files: readonly FileToStore[]): Promise<FileRow[]> {
  const now = server.clock.now();
  const numbered = await assignPositions(tx, server.database.kind, files);
  await markStored(tx, server.config.quota, numbered.map(toEvidence), now, server.log);
  await storeParts(server, tx, numbered, now);
  await emitAll(tx, numbered.flatMap(toEventsOf), now);
  return numbered.map(toRecord);
}

/**
 * As `storeFiles`, except for rows that contain the hashes of the records. The returned function writes those, at the
 * end of the transaction.
 */
export async function storeUnrecorded(server: Stores, tx: Tx, files: readonly FileToRecord[]) {
  const now = server.clock.now();
  const numbered = await assignPositions(tx, server.database.kind, files);
  await countStored(tx, server.config.quota, numbered.map(toNumberedRow), now, server.log);
  await storeParts(server, tx, numbered, now);
  return async (transactionHashes: readonly string[]): Promise<FileRow[]> => {
    const recorded = numbered.map((one, at): NumberedFile => {
      const transactionHash = transactionHashes[at];
      if (transactionHash === undefined) throw new Error(`record ${one.file.id} has no transaction`);
      return { ...one, transactionHash };
    });
    const storing = writeStoredFiles(tx, recorded.map(toEvidence));
    const stored = await emitWith(tx, server.database.kind, storing, recorded.flatMap(toEventsOf), now);
    if (stored < recorded.length) throw new Error(`${stored} of ${recorded.length} file records were stored`);
    return recorded.map(toRecord);
  };
}

const toNumberedRow = ({ file, position }: Pick<NumberedFile, 'file' | 'position'>): FileRow => ({
  ...file,
  version: position.version,
  version_group_id: position.versionGroupId,
  parent_version_id: position.parentVersionId,
  is_latest: 1,
});

const toRecord = (numbered: NumberedFile): FileRow => ({
  ...toNumberedRow(numbered),
  status: fileStatus.SUCCESS,
  transaction_hash: numbered.transactionHash,
  manifest_hash: numbered.manifest.manifestHash,
});

const toEvidence = ({ file, manifest, transactionHash }: FileToStore) => ({
  fileId: file.id,
  transactionHash,
  manifestHash: manifest.manifestHash,
});

const toChain = ({ file, target }: FileToRecord): Key => (target === null ? file.id : chainOf(target));

/** Chain locks come first: a waiting transaction holds no later lock. */
async function assignPositions<F extends FileToRecord>(
  tx: Tx,
  engine: Engine,
  files: readonly F[],
): Promise<(F & WithPosition)[]> {
  const positions = new Map<Key, VersionPosition>();
  for (const one of files.toSorted((a, b) => toChain(a) - toChain(b))) {
    const { file, target } = one;
    if (target === null) continue;
    const continued = { fileId: target.id, versionGroupId: chainOf(target) };
    const position = await appendVersion(tx, engine, { ...toSlot(file), ownerId: file.owner_id, target: continued });
    positions.set(file.id, position);
  }
  const first: Key[] = [];
  for (const { file, target } of files) {
    if (target !== null) continue;
    if (file.version_group_id === file.id) positions.set(file.id, toPosition(file));
    else first.push(file.id);
  }
  for (const [fileId, position] of await beginChains(tx, first)) positions.set(fileId, position);
  return files.map(one => {
    const position = positions.get(one.file.id);
    if (!position) throw new Error(`another request assigned a version to file record ${one.file.id}`);
    return { ...one, position };
  });
}

const toSlot = ({ tenant_id: tenantId, id: fileId }: FileRow) => ({ tenantId, fileId });

/** Everything without record hashes: manifests, envelopes, references, superseded versions, audit rows. */
async function storeParts(
  { database, hooks }: Stores,
  tx: Tx,
  numbered: readonly (FileToRecord & WithPosition)[],
  now: Time,
): Promise<void> {
  const manifests = numbered.map(({ file, manifest, position }) => ({
    ...toSlot(file),
    ...manifest,
    fileVersion: position.version,
  }));
  const envelopes = numbered.flatMap(({ envelope }) => envelope ?? []);
  const writes = [writeManifests(tx, manifests, now), ...writeEnvelopes(tx, envelopes, now)];
  await writeTogether(tx, database.kind, writes);
  await passHolds(tx, database.kind, numbered.flatMap(toPassing));
  const newer = numbered.filter(({ target }) => target !== null).map(({ position }) => position);
  if (newer.length > 0) for (const supersede of hooks.of('versionsStored')) await supersede(tx, newer, now);
  const notes = numbered.map(one => toNote(one, one.position.version));
  await appendAudits(tx, notes, now);
}

const toPassing = ({ file, heldBy }: FileToRecord) =>
  heldBy === null ? [] : [{ tenantId: file.tenant_id, from: heldBy, to: holderOf(file) }];

/** Adds the file to the audit entry. */
export const toNote = (
  { file, call, audit }: Pick<FileToStore, 'file' | 'call' | 'audit'>,
  version: number,
): AuditNote => ({
  call,
  entry: { ...audit, param: { ...audit.param, fileId: file.id, fileHash: file.file_hash, version } },
});

const toEventsOf = (numbered: NumberedFile): NewEvent[] => toEvents(numbered, numbered.position.version);

/** Emits the events after which a proof can be made. */
export function toEvents(
  { file, transactionHash }: Pick<FileToStore, 'file' | 'transactionHash'>,
  version: number,
): NewEvent[] {
  const { tenant_id: tenantId, id: fileId, file_hash: fileHash, file_name: fileName, owner_id: ownerId } = file;
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
