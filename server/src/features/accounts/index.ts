// Tenants, accounts, roles and permissions.
import { feature } from '../../platform/feature.ts';
import { accountMigrations } from './migrations.ts';
import { accountRoutes } from './routes.ts';

export { type AccountRequest, createAccount } from './create-account.ts';
export { createTenant } from './create-tenant.ts';
export { endAllSessions, sessionsEnded, tellSessionsEnded } from './end-sessions.ts';
export { permissionsOf } from './permissions.ts';
export {
  type AccountRow,
  countAccounts,
  countActiveAdmins,
  findAccount,
  findAccountByEmail,
  findAccountByExternalId,
  findAccountByName,
  findPerson,
  foldName,
  listActiveAdmins,
  listPeople,
  listUsernames,
  moveToAddress,
  type PersonRow,
  renewPasswordHash,
  searchPeople,
  updateAccount,
} from './queries.ts';

export { findTenant, getDefaultTenant, insertTenant, isOnlyTenant, listTenants } from './tenant-queries.ts';
export { actorToProfile, displayName, getPerson, toPerson, toProfile } from './views.ts';

export const accounts = feature({
  name: 'accounts',
  floor: 0,
  migrations: accountMigrations,
  open: server => ({ routes: accountRoutes(server) }),
});
