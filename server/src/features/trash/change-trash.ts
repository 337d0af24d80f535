// Moving files to the trash, restoring them, and emptying the trash.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { type Owner, ownerOf } from '../../platform/http/caller.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { revokeGiftsOf } from '../envelopes/index.ts';
import { chainOf, type FileRow, findFile, findTakenNames, listOwnFiles, takeFreeName } from '../files/index.ts';
import { addUsageUnchecked } from '../quotas/index.ts';
import { lockVersionChains } from '../versions/index.ts';
import { purgeFile } from './delete-file.ts';
import { listAllTrashed, listTrashed, lockChains, markTrashed } from './queries.ts';
import { bringBack, endSharing, type Restoring } from './restore-file.ts';
import { trashStates, usageOfTrashing } from './trash-usage.ts';

const toIds = (files: readonly FileRow[]) => files.slice(0, 100).map(({ id }) => id);

function findMissing(hashes: readonly string[], files: readonly FileRow[]): string | undefined {
  const found = new Set(files.map(file => file.file_hash));
  return hashes.find(hash => !found.has(hash));
}

type Deleting = Pick<Server, 'database' | 'clock'>;
type Emptying = Deleting & Pick<Server, 'hooks'>;

/**
 * Moves chains with all their versions to the owner's trash, and revokes all access given to others. Returns the
 * previous state of each chain's newest version.
 */
export async function trashChains(
  tx: Tx,
  engine: Engine,
  owner: Owner,
  groupIds: readonly Key[],
  now: Time,
): Promise<FileRow[]> {
  if (groupIds.length === 0) return [];
  const versions = await lockChains(tx, engine, { ...owner, groupIds });
  const newest = new Map<Key, FileRow>();
  for (const version of versions) {
    const current = newest.get(chainOf(version));
    if (current === undefined || current.version < version.version) newest.set(chainOf(version), version);
  }
  const listed = [...newest.values()];
  const withNewer = versions.filter(version => newest.get(chainOf(version)) !== version);
  await markTrashed(tx, engine, { listed: listed.map(({ id }) => id), withNewer: withNewer.map(({ id }) => id) }, now);
  const uses = versions.map(version => ({
    ...{ ...owner, files: -1, bytes: -version.file_size, latestFiles: version.is_latest === 1 ? -1 : 0 },
    ...usageOfTrashing(version),
  }));
  await addUsageUnchecked(tx, uses);
  await revokeGiftsOf(tx, engine, { tenantId: owner.tenantId, fileIds: versions.map(({ id }) => id) }, now);
  return listed;
}

/** Each with all its versions; in one transaction. */
export const moveToTrash = ({ database, clock }: Deleting, call: Call, hashes: readonly string[]) =>
  database.db.transaction().execute(async tx => {
    const owner = ownerOf(call.actor);
    const own = await listOwnFiles(tx, call.actor, hashes);
    if (own.length < new Set(hashes).size)
      throw new ApiError('FILE_NOT_EXIST', `file ${findMissing(hashes, own)} does not exist; load the list again`);
    const groups = [...new Set(own.map(chainOf))];
    const now = clock.now();
    const deleted = await trashChains(tx, database.kind, owner, groups, now);
    if (deleted.length < groups.length)
      throw new ApiError('FILE_NOT_EXIST', 'some files were deleted in the meantime; load the list again');
    const sentence = deleted.length === 1 ? `file ${deleted[0]?.file_name} deleted` : `${deleted.length} files deleted`;
    await recordAudit(tx, call, now, 'trash.add', sentence, { files: deleted.length, fileIds: toIds(deleted) });
    return { files: deleted.length };
  });

/** To their folder; if the name is taken, a number is added. */
export async function restoreFromTrash(server: Restoring, call: Call, hashes: readonly string[]): Promise<FileRow[]> {
  const { database, clock } = server;
  const owner = ownerOf(call.actor);
  const trashed = await listTrashed(database.db, owner, hashes);
  if (trashed.length < new Set(hashes).size)
    throw new ApiError('FILE_NOT_EXIST', `file ${findMissing(hashes, trashed)} is not in your trash; list it again`);
  return database.db.transaction().execute(async tx => {
    await lockVersionChains(tx, database.kind, [...new Set(trashed.map(chainOf))]);
    await endSharing(server, tx, owner, trashed);
    const restored: FileRow[] = [];
    // Older versions first, so that the newest of a chain ends up as the latest.
    for (const { id } of trashed.toSorted((a, b) => a.version - b.version))
      restored.push(await restoreOne(server, tx, owner, id));
    const sentence =
      restored.length === 1 ? `file ${restored[0]?.file_name} restored` : `${restored.length} files restored`;
    const param = { files: restored.length, fileIds: toIds(restored) };
    await recordAudit(tx, call, clock.now(), 'trash.restore', sentence, param);
    return restored;
  });
}

async function restoreOne(server: Restoring, tx: Tx, owner: Owner, id: Key): Promise<FileRow> {
  const file = await findFile(tx, owner.tenantId, id);
  if (file === null || file.trash !== trashStates.LISTED)
    throw new ApiError('CONFLICT', `file ${id} is no longer in the trash; list the trash again`);
  const taken = await findTakenNames(tx, owner, file.path, [file.file_name], chainOf(file));
  return bringBack(server, tx, file, takeFreeName(taken, file.file_name));
}

const mostPurged = 5000;
const batch = 100;

/** A server that is killed in between has purged some: the call can be repeated. */
export async function emptyTrash(
  { database, clock, hooks }: Emptying,
  call: Call,
  hashes: readonly string[] | undefined,
) {
  const owner = ownerOf(call.actor);
  let [files, bytes] = [0, 0];
  const found = await listAllTrashed(database.db, owner, { hashes, limit: mostPurged + 1 });
  for (let at = 0; at < Math.min(found.length, mostPurged); at += batch) {
    const some = found.slice(at, Math.min(at + batch, mostPurged));
    await database.db.transaction().execute(async tx => {
      const purged: FileRow[] = [];
      for (const file of some) if (await purgeFile(tx, { database, hooks }, file, clock.now())) purged.push(file);
      if (purged.length === 0) return;
      const param = { files: purged.length, fileIds: toIds(purged) };
      await recordAudit(tx, call, clock.now(), 'trash.purge', `${purged.length} deleted files purged`, param);
      files += purged.length;
      bytes += purged.reduce((sum, file) => sum + file.file_size, 0);
    });
  }
  return { files, bytes, more: found.length > mostPurged };
}
