// Objects of the store that a row refers to. Ledger tiles always count as known: they are written from the ledger's
// entries.
import { backupArea, listNotedBackups } from '../../features/audit-review/index.ts';
import { ledgerArea } from '../../features/chain/index.ts';
import { listNotedPaths } from '../../features/stored-objects/index.ts';
import { listStagingFolders, stagingArea } from '../../features/upload-sessions/index.ts';
import type { Db } from '../../platform/db/tables.ts';

/** Areas whose objects have no rows in `stored_object`. */
export const otherAreas = [stagingArea, backupArea] as const;

/** The keys that a row refers to or that belong to the ledger. For a few hundred keys per call. */
export async function listKnown(db: Db, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const within = (area: string) => keys.filter(key => key.startsWith(area));
  const elsewhere = keys.filter(key => !otherAreas.some(area => key.startsWith(area)));
  const known = [
    await listNotedPaths(db, elsewhere),
    await listStaged(db, within(stagingArea)),
    await listNotedBackups(db, within(backupArea)),
  ];
  return new Set([...within(ledgerArea), ...known.flatMap(some => [...some])]);
}

async function listStaged(db: Db, keys: readonly string[]): Promise<string[]> {
  const folderOf = (key: string): string => key.slice(stagingArea.length).split('/')[0] ?? '';
  const folders = await listStagingFolders(db, [...new Set(keys.map(folderOf))]);
  return keys.filter(key => folders.has(folderOf(key)));
}
