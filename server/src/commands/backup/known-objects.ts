// Which objects of the store somebody speaks of. The tiles of the ledger are written from its entries, and have ways of
// their own.
import { backupArea, listNotedBackups } from '../../features/audit-review/index.ts';
import { ledgerArea } from '../../features/chain/index.ts';
import { listNotedPaths } from '../../features/stored-objects/index.ts';
import { listUploadPlaces, stagingArea } from '../../features/uploads/index.ts';
import type { Db } from '../../platform/db/tables.ts';

/** Where objects lie that `stored_object` has no rows for. */
export const otherAreas = [stagingArea, backupArea] as const;

/** Those of the keys that a row speaks of, or that are the ledger's. At most some hundreds at once. */
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
  const placeOf = (key: string): string => key.slice(stagingArea.length).split('/')[0] ?? '';
  const places = await listUploadPlaces(db, [...new Set(keys.map(placeOf))]);
  return keys.filter(key => places.has(placeOf(key)));
}
