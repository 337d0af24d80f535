// Routes of accounts.
import * as api from '@recordproof/shared/api/accounts.ts';
import { roles } from '@recordproof/shared/api/auth.ts';
import { toPage } from '@recordproof/shared/api/common.ts';
import { permissions } from '@recordproof/shared/api/endpoint.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { changeStanding } from './change-standing.ts';
import { createServiceAccount } from './create-service-account.ts';
import { createUser } from './create-user.ts';
import { deleteUser } from './delete-user.ts';
import { endUserSessions } from './end-user-sessions.ts';
import { permissionDescriptions, permissionsOf, roleDescriptions } from './permissions.ts';
import { openProfiles } from './profiles.ts';
import { listAccounts } from './queries.ts';
import { updateProfile } from './update-profile.ts';
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
    route(api.deleteUser, async r => {
      await deleteUser(server, r, { accountId: toKey(r.params.id), ...r.query, reason: r.query.reason });
      return null;
    }),
    route(api.updateUserRole, async r => {
      const { role, reason } = r.body;
      return toAccount(await changeStanding(server, r, { accountId: toKey(r.params.id), change: { role }, reason }));
    }),
    route(api.updateUserStatus, async r => {
      const { status, reason } = r.body;
      return toAccount(await changeStanding(server, r, { accountId: toKey(r.params.id), change: { status }, reason }));
    }),
    route(api.endUserSessions, async r => {
      await endUserSessions(server, r, toKey(r.params.id));
      return null;
    }),
    route(api.listRoles, () =>
      roles.map(role => ({ role, description: roleDescriptions[role], permissions: [...permissionsOf(role)] })),
    ),
    route(api.listPermissions, () =>
      permissions.map(permission => ({ permission, description: permissionDescriptions[permission] })),
    ),
  ];
};
