// SQL on installation administrators: administrators of the first tenant with a flag.
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import type { AccountRow } from './queries.ts';

const marked = (db: Db) =>
  db
    .selectFrom('account')
    .where('installation_admin', '=', 1)
    .where('role', '=', 'admin')
    .where('status', '=', 'ACTIVE');

export async function countInstallationAdmins(db: Db): Promise<number> {
  const row = await marked(db)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

export const listInstallationAdmins = (db: Db): Promise<Pick<AccountRow, 'id' | 'username' | 'email'>[]> =>
  marked(db).select(['id', 'username', 'email']).orderBy('id').execute();

export async function setInstallationAdmin(tx: Tx, tenantId: Key, id: Key, isGranted: boolean): Promise<void> {
  await tx
    .updateTable('account')
    .set({ installation_admin: isGranted ? 1 : 0 })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute();
}
