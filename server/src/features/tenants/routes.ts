// Routes of tenants. They show the usage of a tenant, never its content.
import { toPage } from '@recordproof/shared/api/common.ts';
import * as api from '@recordproof/shared/api/tenants.ts';
import { toIso, toIsoOrNull } from '../../platform/clock.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey, toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import {
  countAccountsOf,
  findTenantById,
  getDefaultTenant,
  listTenantPage,
  type TenantRow,
} from '../accounts/index.ts';
import { listUsageOfTenants } from '../quotas/index.ts';
import { changeStatus, deleteTenant, noTenant } from './change-tenant.ts';
import { openTenant } from './open-tenant.ts';

async function toTenants(db: Db, rows: readonly TenantRow[]): Promise<api.Tenant[]> {
  const ids = rows.map(({ id }) => id);
  const [first, accounts, usage] = [
    await getDefaultTenant(db),
    await countAccountsOf(db, ids),
    await listUsageOfTenants(db, ids),
  ];
  return rows.map(row => ({
    id: toWireId(row.id),
    name: row.name,
    status: row.status,
    statusReason: row.status_reason,
    statusChangedAt: toIsoOrNull(row.status_at),
    isFirst: row.id === first,
    users: accounts.get(row.id)?.users ?? 0,
    administrators: accounts.get(row.id)?.administrators ?? 0,
    files: usage.get(row.id)?.files ?? 0,
    bytes: usage.get(row.id)?.bytes ?? 0,
    createdAt: toIso(row.created_at),
  }));
}

type Dependencies = Pick<Server, 'database' | 'clock' | 'keys' | 'config' | 'baseUrl'>;

export function tenantRoutes(server: Dependencies): Route[] {
  const { db } = server.database;
  const getTenant = async (id: Key, row?: TenantRow): Promise<api.Tenant> => {
    const found = row ?? (await findTenantById(db, id));
    const [tenant] = found === null ? [] : await toTenants(db, [found]);
    if (tenant === undefined) throw noTenant(id);
    return tenant;
  };
  return [
    route(api.listTenants, async ({ query }) => {
      const { rows, total } = await listTenantPage(db, query, query);
      return toPage(await toTenants(db, rows), total, query);
    }),
    route(api.createTenant, async r => {
      const { tenantId, invitation } = await openTenant(server, r, r.body);
      const delivery = server.config.mail.kind === 'smtp' ? ('smtp' as const) : ('file' as const);
      const { row, link } = invitation ?? { row: null, link: null };
      return {
        tenant: await getTenant(tenantId),
        invitation: row && { email: row.email, link, expiresAt: toIso(row.expires_at) },
        ...(row !== null && link === null && { delivery }),
      };
    }),
    route(api.updateTenantStatus, async r => {
      const tenantId = toKey(r.params.id);
      await changeStatus(server, r, { tenantId, status: r.body.status, reason: r.body.reason });
      return getTenant(tenantId);
    }),
    route(api.deleteTenant, async r => {
      const tenantId = toKey(r.params.id);
      const row = await deleteTenant(server, r, { tenantId, name: r.query.name, reason: r.query.reason });
      return getTenant(tenantId, row);
    }),
  ];
}
