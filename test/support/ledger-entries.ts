// The entries of the ledger in the database, to read all and to replace one.
import { type EntryRow, packEntry } from '@recordproof/server/features/chain/ledger/packed-entry.ts';
import { listEntries } from '@recordproof/server/features/chain/ledger/queries.ts';
import type { Db } from '@recordproof/server/platform/db/tables.ts';

export const readEntries = (db: Db): Promise<EntryRow[]> => listEntries(db, 0, Number.MAX_SAFE_INTEGER);

export async function writeEntry(db: Db, position: number, entry: string): Promise<void> {
  const [row] = await listEntries(db, position, position + 1);
  if (row === undefined) throw new Error(`the ledger has no entry ${position}`);
  const packed = packEntry(row, entry);
  await db.updateTable('ledger_entry').set({ packed }).where('position', '=', position).execute();
}
