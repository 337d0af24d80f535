// SQL on installation administrators: administrators of the first tenant with a flag. Who may see the installation.
import { countRows, selectWhere, updateWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { AccountRow } from './queries.ts';
import { isOnlyTenant } from './tenant-queries.ts';

const marked = (db: Db) => selectWhere(db, 'account', { installation_admin: 1, role: 'admin', status: 'ACTIVE' });

export const countInstallationAdmins = (db: Db): Promise<number> => countRows(marked(db));

export const listInstallationAdmins = (db: Db): Promise<Pick<AccountRow, 'id' | 'username' | 'email'>[]> =>
  marked(db).select(['id', 'username', 'email']).orderBy('id').execute();

export const setInstallationAdmin = (tx: Tx, tenantId: Key, id: Key, isGranted: boolean): Promise<void> =>
  updateWhere(tx, 'account', { tenant_id: tenantId, id }, { installation_admin: isGranted ? 1 : 0 });

/** The state of the whole installation: its administrators, and the staff of the only tenant. */
export const maySeeInstallation = async (
  db: Db,
  { tenantId, permissions }: Pick<Actor, 'tenantId' | 'permissions'>,
): Promise<boolean> => permissions.has('installation:admin') || (await isOnlyTenant(db, tenantId));
