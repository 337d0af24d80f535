// Tenants, accounts, roles and permissions.
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Feature } from '../../platform/feature.ts';
import { accountRoutes } from './routes.ts';

export { type AccountRequest, createAccount } from './create-account.ts';
export { createTenant } from './create-tenant.ts';
export { endAllSessions, sessionsEnded, tellSessionsEnded } from './end-sessions.ts';
export { accountMigrations } from './migrations.ts';
export { permissionsOf } from './permissions.ts';
export {
  type AccountRow,
  countActiveAdmins,
  findAccount,
  findAccountByEmail,
  findAccountByExternalId,
  findAccountByName,
  findPerson,
  findTenant,
  foldName,
  getDefaultTenant,
  insertTenant,
  listPeople,
  listTenants,
  listUsernames,
  type PersonRow,
  searchPeople,
  updateAccount,
} from './queries.ts';
export { actorToProfile, displayName, getPerson, toPerson, toProfile } from './views.ts';

export const accounts = (ports: { readonly database: Database; readonly clock: Clock }): Feature => ({
  name: 'accounts',
  routes: accountRoutes(ports),
});
