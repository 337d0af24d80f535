// Moving files to the owner's trash, each with all its versions.
import type { Engine } from '../../platform/db/open-db.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { revokeGiftsOf } from '../envelopes/index.ts';
import type { FileRow } from '../files/index.ts';
import { addUsageUnchecked } from '../quotas/index.ts';
import { lockChains, markTrashed } from './queries.ts';
import { usageOfTrashing } from './trash-usage.ts';

type Owner = { readonly tenantId: Key; readonly ownerId: Key };

/** Revokes all access given to others. Returns the previous state of each chain's newest version. */
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
    const current = newest.get(toGroup(version));
    if (current === undefined || current.version < version.version) newest.set(toGroup(version), version);
  }
  const listed = [...newest.values()];
  const withNewer = versions.filter(version => newest.get(toGroup(version)) !== version);
  await markTrashed(tx, engine, { listed: listed.map(({ id }) => id), withNewer: withNewer.map(({ id }) => id) }, now);
  const uses = versions.map(version => ({
    ...{ ...owner, files: -1, bytes: -version.file_size, latestFiles: version.is_latest === 1 ? -1 : 0 },
    ...usageOfTrashing(version),
  }));
  await addUsageUnchecked(tx, uses);
  await revokeGiftsOf(tx, engine, { tenantId: owner.tenantId, fileIds: versions.map(({ id }) => id) }, now);
  return listed;
}

const toGroup = ({ id, version_group_id: group }: FileRow): Key => group ?? id;
