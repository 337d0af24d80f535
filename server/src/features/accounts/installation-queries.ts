// SQL on installation administrators: administrators of the first tenant with a flag. Who may see the installation.
import { countRows } from '../../platform/db/rows.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { AccountRow } from './queries.ts';
import { isOnlyTenant } from './tenant-queries.ts';

const marked = (db: Db) =>
  db
    .selectFrom('account')
    .where('installation_admin', '=', 1)
    .where('role', '=', 'admin')
    .where('status', '=', 'ACTIVE');

export const countInstallationAdmins = (db: Db): Promise<number> => countRows(marked(db));

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

/** The state of the whole installation: its administrators, and the staff of the only tenant. */
export const maySeeInstallation = async (
  db: Db,
  { tenantId, permissions }: Pick<Actor, 'tenantId' | 'permissions'>,
): Promise<boolean> => permissions.has('installation:admin') || (await isOnlyTenant(db, tenantId));
