import * as api from '@recordproof/shared/api/accounts.ts';
import { roles } from '@recordproof/shared/api/auth.ts';
import { parseSort, toPage } from '@recordproof/shared/api/common.ts';
import { permissions } from '@recordproof/shared/api/endpoint.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/open-db.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import { originOf } from '../audit/index.ts';
import { changeStanding } from './change-standing.ts';
import { permissionDescriptions, permissionsOf, roleDescriptions } from './permissions.ts';
import { listAccounts } from './queries.ts';
import { updateProfile } from './update-profile.ts';
import { toAccount, toProfile } from './views.ts';

export const accountRoutes = (ports: { readonly database: Database; readonly clock: Clock }): Route[] => {
  const { db } = ports.database;
  return [
    route(api.updateProfile, async r =>
      toProfile(await updateProfile({ db, clock: ports.clock }, r.actor, r.body.nickname, originOf(r))),
    ),
    route(api.listUsers, async r => {
      const { rows, total } = await listAccounts(db, r.actor.tenantId, r.query, {
        ...r.query,
        sort: parseSort(r.query.sort),
      });
      return toPage(rows.map(toAccount), total, r.query);
    }),
    route(api.updateUserRole, async r => {
      const { role, reason } = r.body;
      const request = { actor: r.actor, accountId: toKey(r.params.id), change: { role }, reason, origin: originOf(r) };
      return toAccount(await changeStanding(ports, request));
    }),
    route(api.updateUserStatus, async r => {
      const { status, reason } = r.body;
      const request = {
        actor: r.actor,
        accountId: toKey(r.params.id),
        change: { status },
        reason,
        origin: originOf(r),
      };
      return toAccount(await changeStanding(ports, request));
    }),
    route(api.listRoles, () =>
      roles.map(role => ({ role, description: roleDescriptions[role], permissions: [...permissionsOf(role)] })),
    ),
    route(api.listPermissions, () =>
      permissions.map(permission => ({ permission, description: permissionDescriptions[permission] })),
    ),
  ];
};
