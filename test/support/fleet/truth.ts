// Consistency check of a fleet's database against everything that was acknowledged.
import { expect } from 'vitest';
import { openDatabase } from '../../../server/src/platform/db/open-db.ts';
import type { Fleet } from './fleet.ts';
import type { FleetLoad } from './load.ts';

/** Every acknowledged file exists once, with its bytes, and the deleted ones do not. */
export async function checkAcknowledged({ installation }: Fleet, loads: readonly FleetLoad[]): Promise<void> {
  const database = await openDatabase(installation.config.db);
  const rows = await database.db
    .selectFrom('file')
    .select(['file_hash', 'content_hash', 'status', 'version'])
    .execute();
  const shares = await database.db.selectFrom('share').select('code').execute();
  await database.close();
  const live = rows.filter(({ status }) => status === 1);
  const expected = loads.flatMap(({ stored, deleted }) => stored.filter(({ fileHash }) => !deleted.has(fileHash)));
  const name = (fileHash: string, contentHash: string) => `${fileHash} ${contentHash}`;
  const found = live.map(row => name(row.file_hash, row.content_hash)).toSorted();
  expect(found).toEqual(expected.map(file => name(file.fileHash, file.contentHash)).toSorted());
  const codes = new Set(shares.map(({ code }) => code));
  expect(loads.flatMap(load => load.shareCodes).filter(code => !codes.has(code))).toEqual([]);
}
