// Routes of accounts.
import * as api from '@recordproof/shared/api/accounts.ts';
import { roles } from '@recordproof/shared/api/auth.ts';
import { toPage } from '@recordproof/shared/api/common.ts';
import { permissions } from '@recordproof/shared/api/endpoint.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { changeStanding } from './change-standing.ts';
import { createServiceAccount, createUser } from './create-account.ts';
import { deleteUser } from './delete-user.ts';
import { endUserSessions } from './end-sessions.ts';
import { permissionDescriptions, permissionsOf, roleDescriptions } from './permissions.ts';
import { openProfiles, updateProfile } from './profiles.ts';
import { listAccounts } from './queries.ts';
import { toAccount } from './views.ts';

export const accountRoutes = (server: Pick<Server, 'database' | 'clock' | 'passwords' | 'hooks'>): Route[] => {
  const { db } = server.database;
  const profiles = openProfiles(db);
  return [
    route(api.updateProfile, async r => profiles.ofRow(await updateProfile(server, r, r.body.nickname))),
    route(api.listUsers, async r => {
      const { rows, total } = await listAccounts(db, r.actor.tenantId, r.query, r.query);
      return toPage(rows.map(toAccount), total, r.query);
    }),
    route(api.createUser, async r => toAccount(await createUser(server, r, r.body))),
    route(api.createServiceAccount, async r => toAccount(await createServiceAccount(server, r, r.body))),
    route(api.deleteUser, r =>
      deleteUser(server, r, { accountId: toKey(r.params.id), ...r.query, reason: r.query.reason }),
    ),
    route(api.updateUserRole, async r => {
      const { role, reason } = r.body;
      return toAccount(await changeStanding(server, r, { accountId: toKey(r.params.id), change: { role }, reason }));
    }),
    route(api.updateUserStatus, async r => {
      const { status, reason } = r.body;
      return toAccount(await changeStanding(server, r, { accountId: toKey(r.params.id), change: { status }, reason }));
    }),
    route(api.endUserSessions, r => endUserSessions(server, r, toKey(r.params.id))),
    route(api.listRoles, () =>
      roles.map(role => ({ role, description: roleDescriptions[role], permissions: [...permissionsOf(role)] })),
    ),
    route(api.listPermissions, () =>
      permissions.map(permission => ({ permission, description: permissionDescriptions[permission] })),
    ),
  ];
};
