// Tenants, accounts, roles and permissions.
import { feature } from '../../platform/feature.ts';
import { accountMigrations } from './migrations.ts';
import { accountRoutes } from './routes.ts';

export { changeInstallationAdmin } from './change-installation-admin.ts';
export { changeRole } from './change-standing.ts';
export { type AccountRequest, createAccount } from './create-account.ts';
export { createTenant } from './create-tenant.ts';
export { closeAccount } from './delete-user.ts';
export { endAllSessions, endSessionsOfTenant, notifySessionsEnded, sessionsEnded } from './end-sessions.ts';
export { countInstallationAdmins, listInstallationAdmins, maySeeInstallation } from './installation-queries.ts';
export { findPerson, listPeople, type PersonRow, searchPeople } from './people-queries.ts';
export { permissionsOf } from './permissions.ts';
export { openProfiles } from './profiles.ts';
export {
  type AccountRow,
  countAccounts,
  countActiveAdmins,
  findAccount,
  findAccountByEmail,
  findAccountByExternalId,
  findAccountByName,
  foldName,
  listAccounts,
  listActiveAdmins,
  listUsernames,
  moveToAddress,
  renewPasswordHash,
  updateAccount,
} from './queries.ts';
export { getAccount, rejectUnmanageable } from './reject-change.ts';
export {
  changeTenantStatus,
  countAccountsOf,
  findTenant,
  findTenantById,
  getDefaultTenant,
  insertTenant,
  isOnlyTenant,
  isTenantActive,
  listTenantPage,
  listTenants,
  listUndeleted,
  type TenantRow,
} from './tenant-queries.ts';
export { displayName, getPerson, toPerson } from './views.ts';

export const accounts = feature({
  name: 'accounts',
  layer: 0,
  migrations: accountMigrations,
  open: server => ({ routes: accountRoutes(server) }),
});
