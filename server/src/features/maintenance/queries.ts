// SQL on maintenance mode.
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database } from '../../platform/db/open-db.ts';
import { type Prepared, prepare } from '../../platform/db/prepared.ts';
import { findFirst } from '../../platform/db/rows.ts';
import type { Db, Tables, Time, Tx } from '../../platform/db/tables.ts';

export type MaintenanceRow = Selectable<Tables['maintenance']>;

const selected = (db: Db) => db.selectFrom('maintenance').selectAll();

/** Executed before every change request without a session; sessions are looked up together with the message. */
export const prepareFindMaintenance = (database: Pick<Database, 'db' | 'prepareFirst'>): Prepared<MaintenanceRow, []> =>
  prepare(database, selected);

/** The message as one value, null outside maintenance, for a statement that reads more. */
export const maintenanceMessage: RawBuilder<string | null> = sql`(select message from maintenance)`;

export const findMaintenance = (db: Db): Promise<MaintenanceRow | null> => findFirst(selected(db));

/** A new message replaces an earlier one; the time is kept. */
export async function insertMaintenance(tx: Tx, message: string, now: Time): Promise<void> {
  await tx
    .insertInto('maintenance')
    .values({ id: 1, message, since: now })
    .onConflict(conflict => conflict.column('id').doUpdateSet({ message }))
    .execute();
}

/** Returns false if it was off. */
export const deleteMaintenance = async (tx: Tx): Promise<boolean> =>
  (await tx.deleteFrom('maintenance').executeTakeFirst()).numDeletedRows > 0n;
